//===- demo.cpp - real kernels, checked against plain C++ -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads four CUDA kernels as PTX, runs them on this CPU, compares every result
// with an obvious C++ loop, and times both: best of several runs, the loop on
// one thread. Also an example of the C++ interface (docs/Embedding.md).
//
//   ptx-jit-demo KERNELS_DIR {PICTURE.ppm}
//
//===----------------------------------------------------------------------===//

#include "ptxjit/ptxjit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace ptxjit;

namespace {

template <typename T> Buffer<T> allocate(size_t count) {
  auto buffer = Buffer<T>::allocate(count);
  if (!buffer) {
    std::fprintf(stderr, "%s\n", buffer.getError().getMessage().c_str());
    std::exit(1);
  }
  return *buffer;
}

double bestOf(int runs, const std::function<void()> &body) {
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    body();
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

/// The CPU's side of a kernel.
struct Comparison {
  std::function<void()> loop;         ///< computes the same in plain C++
  std::function<std::string()> check; ///< "right", or what is wrong
};

struct Demo {
  std::string folder;
  bool ok = true;

  /// Runs the kernel `name` of NAME.ptx, and prints a row of the table.
  template <typename... Args>
  void run(const std::string &name, Dim3 grid, Dim3 block,
           const Comparison &comparison, const Args &...args) {
    auto module = Module::loadFile(folder + "/" + name + ".ptx");
    if (!module)
      return fail(module.getError());
    auto kernel = module->getKernel(name);
    if (!kernel)
      return fail(kernel.getError());
    Error error;
    double first =
        bestOf(1, [&] { error = kernel->launch(grid, block, args...); });
    if (error)
      return fail(error);
    std::string verdict = comparison.check();
    double ours = bestOf(10, [&] {
      if (!error)
        error = kernel->launch(grid, block, args...);
    });
    if (error)
      return fail(error);
    double plain = bestOf(3, comparison.loop);
    std::printf("%-14s %12.2f %12.2f %9.1fx %12.2f   %s\n", name.c_str(), ours,
                plain, plain / ours, first, verdict.c_str());
    std::fflush(stdout);
    ok &= verdict == "right";
  }

  void fail(const Error &error) {
    std::fprintf(stderr, "%s\n", error.getMessage().c_str());
    ok = false;
  }
};

float uniform(uint32_t i, float low, float high) {
  uint32_t x = i * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return low + (high - low) * float(x >> 8) * 0x1p-24f;
}

std::string closeEnough(float *got, const std::vector<float> &want,
                        double tolerance) {
  for (size_t i = 0; i < want.size(); ++i)
    if (!(std::fabs(got[i] - want[i]) <=
          tolerance * (1 + std::fabs(want[i])))) {
      char text[96];
      std::snprintf(text, sizeof text, "WRONG at %zu: %g, expected %g", i,
                    got[i], want[i]);
      return text;
    }
  return "right";
}

void saxpy(Demo &demo) {
  const int n = 1 << 24;
  auto x = allocate<float>(n), y = allocate<float>(n);
  std::vector<float> start(n), want(n);
  for (int i = 0; i < n; ++i) {
    x[i] = uniform(i, -1, 1);
    start[i] = uniform(i + 7, -1, 1);
    y[i] = start[i];
    want[i] = std::fma(2.5f, x[i], start[i]);
  }
  std::vector<float> plain = start;
  demo.run("saxpy", {unsigned(n / 256), 1, 1}, {256, 1, 1},
           {[&] {
              for (int i = 0; i < n; ++i)
                plain[i] = 2.5f * x[i] + plain[i];
            },
            [&] { return closeEnough(y.data(), want, 0); }},
           2.5f, x, y, n);
}

float cnd(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  float c =
      0.39894228f * std::exp(-0.5f * d * d) *
      (k * (0.31938153f +
            k * (-0.356563782f +
                 k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

void blackscholes(Demo &demo) {
  const int n = 1 << 22;
  auto s = allocate<float>(n), x = allocate<float>(n), t = allocate<float>(n),
       call = allocate<float>(n), put = allocate<float>(n);
  for (int i = 0; i < n; ++i) {
    s[i] = uniform(i, 5, 30);
    x[i] = uniform(i + 1, 1, 100);
    t[i] = uniform(i + 2, .25f, 10);
  }
  const float r = 0.02f, v = 0.3f;
  std::vector<float> wantCall(n), wantPut(n);
  auto loop = [&] {
    for (int i = 0; i < n; ++i) {
      float sq = std::sqrt(t[i]);
      float d1 = (std::log(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq);
      float d2 = d1 - v * sq, n1 = cnd(d1), n2 = cnd(d2);
      float e = std::exp(-r * t[i]);
      wantCall[i] = s[i] * n1 - x[i] * e * n2;
      wantPut[i] = x[i] * e * (1 - n2) - s[i] * (1 - n1);
    }
  };
  loop();
  demo.run("blackscholes", {unsigned(n / 256), 1, 1}, {256, 1, 1},
           {loop,
            [&] {
              std::string verdict = closeEnough(call.data(), wantCall, 1e-4);
              return verdict == "right" ? closeEnough(put.data(), wantPut, 1e-4)
                                        : verdict;
            }},
           s, x, t, call, put, r, v, n);
}

void mandelbrot(Demo &demo, const char *picture) {
  const int n = 1024, limit = 512;
  auto out = allocate<uint32_t>(n * n);
  const float x0 = -2.0f, y0 = -1.25f, step = 2.5f / n;
  std::vector<uint32_t> want(n * n);
  auto loop = [&] {
    for (int py = 0; py < n; ++py)
      for (int px = 0; px < n; ++px) {
        float cx = x0 + px * step, cy = y0 + py * step, zx = 0, zy = 0;
        int it = 0;
        for (; it < limit; ++it) {
          float a = zx * zx, b = zy * zy;
          if (a + b > 4.0f)
            break;
          zy = 2.0f * zx * zy + cy;
          zx = a - b + cx;
        }
        want[py * n + px] = it;
      }
  };
  loop();
  demo.run("mandelbrot", {n / 32, n / 8, 1}, {32, 8, 1},
           {loop,
            [&] {
              // nvcc contracts to fma, plain C++ does not: orbits that graze
              // the border may differ.
              int wrong = 0;
              for (int i = 0; i < n * n; ++i)
                wrong += out[i] != want[i];
              if (wrong > n * n / 50)
                return "WRONG: " + std::to_string(wrong) + " pixels differ";
              return std::string("right");
            }},
           out, n, n, x0, y0, step, step, limit);
  if (!picture)
    return;
  std::FILE *file = std::fopen(picture, "wb");
  if (!file)
    return;
  std::fprintf(file, "P6 %d %d 255\n", n, n);
  for (int i = 0; i < n * n; ++i) {
    double t =
        out[i] >= unsigned(limit) ? 0 : std::sqrt(double(out[i]) / limit);
    unsigned char rgb[3] = {
        (unsigned char)(255 * std::min(1.0, 1.6 * t)),
        (unsigned char)(255 * t * t),
        (unsigned char)(255 * std::min(1.0, 0.25 * (t > 0) + t * (1 - t) * 3))};
    std::fwrite(rgb, 1, 3, file);
  }
  std::fclose(file);
  std::printf("picture: %s\n", picture);
}

uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

const uint32_t kSha[64] = {
#include "../bench/kernels/sha256_k.inc"
};

void sha256One(const uint32_t *message, uint32_t *digest) {
  uint32_t w[64];
  std::copy(message, message + 16, w);
  for (int t = 16; t < 64; ++t)
    w[t] =
        (rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
        (rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
  const uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint32_t v[8];
  std::copy(h, h + 8, v);
  for (int t = 0; t < 64; ++t) {
    uint32_t t1 = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) +
                  ((v[4] & v[5]) ^ (~v[4] & v[6])) + kSha[t] + w[t];
    uint32_t t2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) +
                  ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (int i = 7; i > 0; --i)
      v[i] = v[i - 1];
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i)
    digest[i] = h[i] + v[i];
}

void sha256(Demo &demo) {
  const int n = 1 << 18;
  auto message = allocate<uint32_t>(size_t(n) * 16),
       digest = allocate<uint32_t>(size_t(n) * 8);
  for (size_t i = 0; i < message.size(); ++i)
    message[i] = uint32_t(i) * 2654435761u;
  std::vector<uint32_t> want(digest.size());
  auto loop = [&] {
    for (int i = 0; i < n; ++i)
      sha256One(&message[size_t(i) * 16], &want[size_t(i) * 8]);
  };
  loop();
  demo.run("sha256", {n / 256, 1, 1}, {256, 1, 1},
           {loop,
            [&] {
              bool same = std::equal(want.begin(), want.end(), digest.data());
              return std::string(same ? "right" : "WRONG");
            }},
           message, digest, n);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ptx-jit-demo KERNELS_DIR {PICTURE.ppm}\n");
    return 2;
  }
  Demo demo{argv[1]};
  std::printf("%-14s %12s %12s %10s %12s   %s\n", "kernel", "ptx-jit ms",
              "C++ loop ms", "faster", "first run ms", "results");
  saxpy(demo);
  blackscholes(demo);
  mandelbrot(demo, argc > 2 ? argv[2] : nullptr);
  sha256(demo);
  return demo.ok ? 0 : 1;
}
