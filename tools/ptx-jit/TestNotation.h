//===- TestNotation.h - the notation of execution tests ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test is one comment line in a PTX file:
//
//   // run: KERNEL {grid=X,Y,Z} {block=X,Y,Z} {cluster=X,Y,Z} {shared=N}
//          ARG... {~ulps=N} {~rel=X} {~abs=X} {fails=TEXT} {racy}
//
// An ARG for each parameter is TYPE:VALUE, TYPE{VALUE,...}, or a buffer:
//   in=TYPE[v, v*n, ...]   given values; v*n is v repeated n times
//   out=TYPE[v, v, ...]    starts as zero, must end as given; `?` is anything
//   io=TYPE[v, ...]->[w, ...]
//   in=TYPE[GEN] / out=TYPE[ref] / io=TYPE[GEN]->[ref]
//   in=TYPE[@FILE] and so on: the bytes of a file beside the test
//   in=TYPE[...]@texture(...) and so on: TextureNotation.h
//   in=TYPE[...]@multicast(N) and so on: the N equal parts of the buffer lie at
//                         one address, for `multimem`
// GEN generates values, 256 unless :N (`ref`, too) follows:
//   zero, iota, random(SEED)
//   edges.a, .b, .c       16 edge values of the type: all pairs of them in a
//                         and b, a mixture in c
//   f16.a, bf16.a, f32.a and so on: the same for integers that hold such values
//   sweep                 floats from -8 to 8
//
// `ref` stands for what the reference interpreter computes. Every test runs on
// the interpreter, so given values check it, too. The exception are `racy`
// tests, which are right only if warps run side by side: the interpreter runs
// thread by thread. With `fails` the launch must fail with a message that
// contains TEXT. A block has as many threads as the longest buffer has elements
// (1024 at most) unless given. A test also fails if the kernel writes outside
// its buffers (Buffer in ptxjit.h).
//
// A line `// ptx-jit-test: N` says for which version of this notation the file
// was written. docs/Testing.md is the manual.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_TESTNOTATION_H
#define PTXJIT_TOOLS_TESTNOTATION_H

#include "Buffers.h"
#include "TextureNotation.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ptxjit {

/// The version of the notation. A file that says a later one is refused.
inline constexpr unsigned kNotationVersion = 1;

struct TestArgument {
  bool isBuffer = false;
  ElementType type;
  std::vector<uint8_t> value;    ///< bytes of a number, an array or a struct
  std::vector<uint64_t> initial; ///< of a buffer
  bool checked = false;          ///< are there expected values (out, io)?
  bool byReference = false;      ///< `ref`
  std::vector<uint64_t> expected;
  std::vector<bool> wild; ///< `?`, for each element
  /// The buffer holds the texels of a texture or surface.
  std::optional<TextureRequest> texture;
  unsigned memories = 0;    ///< of `@multicast`; 0: it was not given
  std::string expectedFile; ///< path of `@FILE`, if that was given
  /// The text of the expected values: offset in the line, and length.
  size_t textBegin = 0, textLength = 0;
};

struct TestCase {
  std::string kernel;
  std::string fails; ///< part of the message of a launch that shall fail
  unsigned line = 0; ///< in the file, from 1 on
  size_t offset = 0; ///< of the text behind `// run:`, in the file
  bool isRacy = false;
  LaunchConfig config;
  std::vector<TestArgument> arguments;
  Tolerance tolerance;
};

/// Reads what follows `// run:`. Files lie in `folder`.
/// \returns false, with the reason in `error`, if it is malformed.
bool parseCase(const std::string &line, const std::string &folder,
               TestCase &test, std::string &error);

/// The values as the notation has them: equal neighbours as `v*n`, and `?`
/// where `wild`.
std::string formatValues(const ElementType &type,
                         const std::vector<uint64_t> &values,
                         const std::vector<bool> &wild);

} // namespace ptxjit

#endif
