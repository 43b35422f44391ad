// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL back end (PoCL). opencl/<module>.cl has the same entry names and
// argument order as the CUDA kernels.
#define CL_TARGET_OPENCL_VERSION 120
#include "backend.h"
#include <CL/cl.h>
#include <cstdlib>
namespace bench {
static void ok(cl_int e, const char *w) {
  if (e)
    fail(std::string("OpenCL ") + w + " error " + std::to_string(e));
}
struct OpenCl : Backend {
  std::string root;
  cl_device_id dev;
  cl_context ctx;
  cl_command_queue q;
  struct L {
    cl_kernel k;
    size_t g[3], l[3];
  };
  std::vector<L> launches;
  std::vector<cl_mem> mem;
  std::vector<size_t> size;
  explicit OpenCl(std::string r) : root(r) {
    cl_platform_id p;
    cl_uint n;
    cl_int e;
    ok(clGetPlatformIDs(1, &p, &n), "platform");
    ok(clGetDeviceIDs(p, CL_DEVICE_TYPE_CPU, 1, &dev, &n), "device");
    ctx = clCreateContext(nullptr, 1, &dev, nullptr, nullptr, &e);
    ok(e, "context");
    q = clCreateCommandQueue(ctx, dev, 0, &e);
    ok(e, "queue");
  }
  void prepare(const Case &c, Bufs host) override {
    std::string src = slurp(root + "/opencl/" + c.module + ".cl");
    const char *s = src.c_str();
    cl_int e;
    cl_program p = clCreateProgramWithSource(ctx, 1, &s, nullptr, &e);
    ok(e, "program");
    const char *fl = getenv("BENCH_CL_FLAGS");
    std::string flags =
        std::string(fl ? fl : "-cl-mad-enable") + " -I " + root + "/kernels";
    if (clBuildProgram(p, 1, &dev, flags.c_str(), nullptr, nullptr)) {
      std::string log(65536, 0);
      clGetProgramBuildInfo(p, dev, CL_PROGRAM_BUILD_LOG, log.size(), &log[0],
                            nullptr);
      fail(log.c_str());
    }
    for (size_t i = 0; i < c.bufs.size(); ++i) {
      mem.push_back(clCreateBuffer(ctx, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                   c.bufs[i].bytes, host[i], &e));
      ok(e, "buffer");
      size.push_back(c.bufs[i].bytes);
    }
    for (auto &l : c.launches) {
      L r{clCreateKernel(p, l.entry, &e),
          {(size_t)l.grid.x * l.block.x, (size_t)l.grid.y * l.block.y,
           (size_t)l.grid.z * l.block.z},
          {l.block.x, l.block.y, l.block.z}};
      ok(e, l.entry);
      for (size_t i = 0; i < l.args.size(); ++i) {
        auto &a = l.args[i];
        ok(a.kind == Arg::Buf
               ? clSetKernelArg(r.k, i, sizeof(cl_mem), &mem[a.i])
               : clSetKernelArg(r.k, i, 4, &a.i),
           "argument");
      }
      launches.push_back(r);
    }
  }
  void run() override {
    for (auto &l : launches)
      ok(clEnqueueNDRangeKernel(q, l.k, 3, nullptr, l.g, l.l, 0, nullptr,
                                nullptr),
         "launch");
    ok(clFinish(q), "finish");
  }
  void download(Bufs) override {
    for (size_t i = 0; i < mem.size(); ++i) {
      cl_int e;
      void *p = clEnqueueMapBuffer(q, mem[i], CL_TRUE, CL_MAP_READ, 0, size[i],
                                   0, nullptr, nullptr, &e);
      ok(e, "map");
      clEnqueueUnmapMemObject(q, mem[i], p, 0, nullptr, nullptr);
    }
    ok(clFinish(q), "finish");
  }
};
std::unique_ptr<Backend> make_opencl(const std::string &r) {
  return std::make_unique<OpenCl>(r);
}
} // namespace bench
