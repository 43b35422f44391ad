// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back end for the CUDA driver API. It loads the library at run time:
// BENCH_LIBCUDA, or else libcuda.so.1.
#include "backend.h"
#include <cstdlib>
#include <dlfcn.h>
namespace bench {
struct Cuda : Backend {
  std::string root;
  void *lib;
  std::vector<uint64_t> mem;
  std::vector<size_t> size;
  struct L {
    void *f;
    Dim g, b;
    std::vector<void *> p;
  };
  std::vector<std::vector<uint64_t>> vals;
  std::vector<L> launches;
  template <class... A> void call(const char *n, A... a) {
    auto f = (int (*)(A...))dlsym(lib, n);
    if (!f)
      fail(std::string("missing ") + n);
    if (int e = f(a...))
      fail(std::string(n) + " returned " + std::to_string(e));
  }
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **) = nullptr;
  int (*sync)() = nullptr;
  explicit Cuda(std::string r) : root(r) {
    const char *n = getenv("BENCH_LIBCUDA");
    lib = dlopen(n ? n : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!lib)
      fail(dlerror());
    call("cuInit", 0u);
    int dev = 0;
    call("cuDeviceGet", &dev, 0);
    void *ctx;
    call("cuDevicePrimaryCtxRetain", &ctx, dev);
    call("cuCtxSetCurrent", ctx);
    launch = (decltype(launch))dlsym(lib, "cuLaunchKernel");
    sync = (decltype(sync))dlsym(lib, "cuCtxSynchronize");
    if (!launch || !sync)
      fail("missing cuLaunchKernel or cuCtxSynchronize");
  }
  void prepare(const Case &c, Bufs host) override {
    std::string ptx = slurp(root + "/kernels/ptx/" + c.module + ".ptx");
    void *mod;
    call("cuModuleLoadData", &mod, (const void *)ptx.c_str());
    for (size_t i = 0; i < c.bufs.size(); ++i) {
      uint64_t d;
      call("cuMemAlloc_v2", &d, c.bufs[i].bytes);
      call("cuMemcpyHtoD_v2", d, (const void *)host[i], c.bufs[i].bytes);
      mem.push_back(d), size.push_back(c.bufs[i].bytes);
    }
    vals.reserve(c.launches.size());
    for (auto &l : c.launches) {
      L r{nullptr, l.grid, l.block, {}};
      call("cuModuleGetFunction", &r.f, mod, l.entry);
      vals.emplace_back();
      for (auto &a : l.args)
        vals.back().push_back(a.kind == Arg::Buf ? mem[a.i] : (uint32_t)a.i);
      for (auto &v : vals.back())
        r.p.push_back(&v);
      launches.push_back(r);
    }
  }
  void run() override {
    for (auto &l : launches)
      if (int e = launch(l.f, l.g.x, l.g.y, l.g.z, l.b.x, l.b.y, l.b.z, 0,
                         nullptr, l.p.data(), nullptr))
        fail("cuLaunchKernel returned " + std::to_string(e));
    if (int e = sync())
      fail("cuCtxSynchronize returned " + std::to_string(e));
  }
  void download(Bufs host) override {
    for (size_t i = 0; i < mem.size(); ++i)
      call("cuMemcpyDtoH_v2", host[i], mem[i], size[i]);
  }
};
std::unique_ptr<Backend> make_cuda(const std::string &r) {
  return std::make_unique<Cuda>(r);
}
} // namespace bench
