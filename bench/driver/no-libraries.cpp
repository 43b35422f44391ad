// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In place of OpenCL's back end and of native code that calls oneDNN, in builds
// for another architecture, which lack those libraries.
#include "backend.h"
#include "fns.h"
namespace bench {
std::unique_ptr<Backend> make_opencl(const std::string &) {
  fail("this build has no OpenCL");
}
void native_sgemm(void **) { fail("this build has no oneDNN"); }
void native_hgemm_bf16(void **) { fail("this build has no oneDNN"); }
void native_igemm_s8(void **) { fail("this build has no oneDNN"); }
void native_attention(void **) { fail("this build has no oneDNN"); }
} // namespace bench
