// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The benchmark program. Without --case it takes all cases.
// bench --side native|tuned|pocl|cuda|emu [--case NAME] [--ms MS | --runs N]
//       [--verify] [--results DIR]
//   prints a TSV line: case side prepare_ms min_ms median_ms runs verdict
//   --results writes what the first run computes, as C.<buffer>.out
// bench --list|--model|--manifest|--dump DIR [--case NAME]
#include "backend.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
namespace bench {
void fail(const std::string &s) {
  fprintf(stderr, "bench: %s\n", s.c_str());
  exit(2);
}
std::string slurp(const std::string &p) {
  std::ifstream f(p, std::ios::binary);
  if (!f)
    fail("cannot read " + p);
  std::stringstream s;
  s << f.rdbuf();
  return s.str();
}
static double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
static std::vector<void *> allocate(const Case &c) {
  std::vector<void *> v;
  for (auto &b : c.bufs) {
    size_t n = (b.bytes + (2 << 20) - 1) & ~size_t((2 << 20) - 1);
    void *p =
        aligned_alloc(b.bytes >= (2 << 20) ? 2 << 20 : 4096,
                      b.bytes >= (2 << 20) ? n : (b.bytes + 4095) & ~4095ul);
    if (b.bytes >= (2 << 20))
      madvise(p, n, MADV_HUGEPAGE);
    if (b.fill)
      b.fill(p);
    else
      memset(p, 0, b.bytes);
    v.push_back(p);
  }
  return v;
}
static std::string check(const Case &c, Bufs got, Bufs want) {
  for (auto &k : c.checks) {
    size_t n = c.bufs[k.buf].bytes / (k.type == Type::U8 ? 1 : 4), bad = 0,
           first = 0;
    for (size_t i = 0; i < n; ++i) {
      bool ok;
      if (k.type == Type::U8)
        ok = ((uint8_t *)got[k.buf])[i] == ((uint8_t *)want[k.buf])[i];
      else if (k.type == Type::U32) {
        double g = ((uint32_t *)got[k.buf])[i],
               w = ((uint32_t *)want[k.buf])[i];
        ok = g == w || (k.rtol > 0 && std::fabs(g - w) <= k.rtol * w);
      } else {
        double g = ((float *)got[k.buf])[i], w = ((float *)want[k.buf])[i];
        ok = std::fabs(g - w) <= k.atol + k.rtol * std::fabs(w);
      }
      if (!ok && !bad++)
        first = i;
    }
    if (bad > (k.rtol < 0 ? -k.rtol * n : 0))
      return "WRONG:" + std::string(c.bufs[k.buf].name) + "[" +
             std::to_string(first) + "]x" + std::to_string(bad);
  }
  return "ok";
}
struct Direct : Backend {
  void (*f)(Bufs);
  Bufs b;
  explicit Direct(void (*f)(Bufs)) : f(f) {}
  void prepare(const Case &, Bufs h) override { b = h; }
  void run() override { f(b); }
  void download(Bufs) override {}
};
static void save(const Case &c, const std::string &dir, const char *kind,
                 size_t i, const void *p) {
  std::ofstream(dir + "/" + c.name + "." + c.bufs[i].name + "." + kind,
                std::ios::binary)
      .write((const char *)p, c.bufs[i].bytes);
}
struct Options {
  double ms = 300;     // time to measure for
  size_t runs = 0;     // how many runs to measure instead, if not 0
  bool verify = false; // compare results with the reference's
  std::string results; // folder for results, if not empty
};
static void one(const Case &c, const std::string &side, const std::string &root,
                const Options &o) {
  std::unique_ptr<Backend> be;
  if (side == "native")
    be = std::make_unique<Direct>(c.native);
  else if (side == "tuned" && c.tuned)
    be = std::make_unique<Direct>(c.tuned);
  else if (side == "pocl" && c.cl)
    be = make_opencl(root);
  else if (side == "cuda")
    be = make_cuda(root);
  else if (side == "emu" && make_emu)
    be = make_emu();
  else {
    printf("%s\t%s\t-\t-\t-\t0\tnone\n", c.name.c_str(), side.c_str());
    return;
  }
  auto host = allocate(c);
  double t0 = now();
  be->prepare(c, host.data());
  be->run();
  double prep = now() - t0; // includes the first run, which may compile
  std::string verdict = "-";
  if (o.verify || !o.results.empty())
    be->download(host.data());
  if (!o.results.empty())
    for (auto &k : c.checks)
      save(c, o.results, "out", k.buf, host[k.buf]);
  if (o.verify) {
    auto ref = allocate(c);
    c.reference(ref.data());
    verdict = check(c, host.data(), ref.data());
    for (auto p : ref)
      free(p);
  }
  std::vector<double> t;
  auto more = [&, start = now()] {
    if (o.runs)
      return t.size() < o.runs;
    return t.size() < (o.ms > 0 ? 5 : 1) ||
           (now() - start < o.ms && t.size() < 2000);
  };
  while (more()) {
    double a = now();
    be->run();
    t.push_back(now() - a);
  }
  std::sort(t.begin(), t.end());
  printf("%s\t%s\t%.3f\t%.5f\t%.5f\t%zu\t%s\n", c.name.c_str(), side.c_str(),
         prep, t[0], t[t.size() / 2], t.size(), verdict.c_str());
}
static const char *tn(Type t) {
  return t == Type::F32 ? "f32" : t == Type::U32 ? "u32" : "u8";
}
static void manifest(const Case &c) {
  printf("case %s\nptx kernels/ptx/%s.ptx\n", c.name.c_str(), c.module.c_str());
  for (size_t i = 0; i < c.bufs.size(); ++i)
    printf("buffer %zu %s %zu %s\n", i, c.bufs[i].name, c.bufs[i].bytes,
           c.bufs[i].fill ? "input" : "zero");
  for (auto &l : c.launches) {
    printf("launch %s %u %u %u %u %u %u", l.entry, l.grid.x, l.grid.y, l.grid.z,
           l.block.x, l.block.y, l.block.z);
    for (auto &a : l.args)
      a.kind == Arg::Buf   ? printf(" buf:%d", a.i)
      : a.kind == Arg::I32 ? printf(" i32:%d", a.i)
                           : printf(" f32:%a", a.f);
    puts("");
  }
  for (auto &k : c.checks)
    printf("check %d %s rtol %g atol %g\n", k.buf, tn(k.type), k.rtol, k.atol);
  printf("model bytes %.0f flops %.0f slots %.0f peak %s\n\n", c.bytes, c.flops,
         c.slots, c.peak);
}
static void dump(const Case &c, const std::string &dir) {
  auto h = allocate(c);
  for (size_t i = 0; i < c.bufs.size(); ++i)
    if (c.bufs[i].fill)
      save(c, dir, "in", i, h[i]);
  c.reference(h.data());
  for (auto &k : c.checks)
    save(c, dir, "ref", k.buf, h[k.buf]);
  for (auto p : h)
    free(p);
}
} // namespace bench
int main(int argc, char **argv) {
  using namespace bench;
  std::string side, name, dir, mode, root = BENCH_ROOT;
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    auto next = [&] {
      return i + 1 < argc ? argv[++i] : (fail("missing value after " + a), "");
    };
    if (a == "--side")
      side = next();
    else if (a == "--case")
      name = next();
    else if (a == "--ms")
      options.ms = atof(next());
    else if (a == "--runs")
      options.runs = std::max(1, atoi(next()));
    else if (a == "--verify")
      options.verify = true;
    else if (a == "--results")
      options.results = next();
    else if (a == "--dump")
      mode = a, dir = next();
    else if (a == "--list" || a == "--model" || a == "--manifest")
      mode = a;
    else
      fail("unknown option " + a);
  }
  bool any = false;
  for (auto &c : cases()) {
    if (!name.empty() && c.name != name)
      continue;
    any = true;
    if (mode == "--list")
      puts(c.name.c_str());
    else if (mode == "--model")
      printf("%s\t%.0f\t%.0f\t%.0f\t%s\n", c.name.c_str(), c.bytes, c.flops,
             c.slots, c.peak);
    else if (mode == "--manifest")
      manifest(c);
    else if (mode == "--dump")
      dump(c, dir);
    else
      one(c, side, root, options);
  }
  if (!any)
    fail("no case " + name);
}
