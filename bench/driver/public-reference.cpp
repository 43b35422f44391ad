// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References of the cases of public suites: obvious code, in double.
#include "cases.h"
#include "fns.h"
#include "sizes.h"
#include <algorithm>
#include <cmath>
namespace bench {
using namespace sz;
#define PF(i, n)                                                               \
  _Pragma("omp parallel for schedule(dynamic, 16)") for (int i = 0; i < (n);   \
                                                         ++i)
typedef float *fp;
void ref_hotspot(Bufs b) {
  fp power = (fp)b[0], out = (fp)b[3];
  std::vector<double> now((fp)b[1], (fp)b[1] + HOT * HOT), next(HOT * HOT);
  auto at = [&](int y, int x) {
    return now[std::clamp(y, 0, HOT - 1) * HOT + std::clamp(x, 0, HOT - 1)];
  };
  for (int s = 0; s < HOTSTEPS; ++s) {
    PF(y, HOT) for (int x = 0; x < HOT; ++x) {
      double t = at(y, x);
      next[y * HOT + x] =
          t + HOTRATE * (power[y * HOT + x] +
                         (at(y - 1, x) + at(y + 1, x) - 2 * t) * HOTRX +
                         (at(y, x - 1) + at(y, x + 1) - 2 * t) * HOTRX +
                         (80 - t) * HOTRZ);
    }
    now.swap(next);
  }
  std::copy(now.begin(), now.end(), out);
}
void ref_pathfinder(Bufs b) {
  auto wall = (int *)b[0], out = (int *)b[1];
  std::vector<int> now(wall, wall + PATHCOLS), next(PATHCOLS);
  for (int r = 1; r < PATHROWS; ++r) {
    for (int x = 0; x < PATHCOLS; ++x)
      next[x] = wall[(size_t)r * PATHCOLS + x] +
                std::min({now[std::max(x - 1, 0)], now[x],
                          now[std::min(x + 1, PATHCOLS - 1)]});
    now.swap(next);
  }
  std::copy(now.begin(), now.end(), out);
}
void ref_srad(Bufs b) {
  fp image = (fp)b[0], out = (fp)b[1];
  const int n = SRAD * SRAD;
  std::vector<double> j(n), c(n), d[4];
  for (auto &v : d)
    v.resize(n);
  PF(i, n) j[i] = std::exp(image[i] / 255.0);
  auto at = [](int y, int x) {
    return std::clamp(y, 0, SRAD - 1) * SRAD + std::clamp(x, 0, SRAD - 1);
  };
  for (int s = 0; s < SRADSTEPS; ++s) {
    double sum = 0, squares = 0;
    for (double v : j)
      sum += v, squares += v * v;
    double mean = sum / n, q0 = (squares / n - mean * mean) / (mean * mean);
    PF(y, SRAD) for (int x = 0; x < SRAD; ++x) {
      int i = at(y, x);
      d[0][i] = j[at(y - 1, x)] - j[i], d[1][i] = j[at(y + 1, x)] - j[i];
      d[2][i] = j[at(y, x - 1)] - j[i], d[3][i] = j[at(y, x + 1)] - j[i];
      double g = 0, l = 0;
      for (auto &v : d)
        g += v[i] * v[i], l += v[i];
      g /= j[i] * j[i], l /= j[i];
      double q = (0.5 * g - l * l / 16) / ((1 + l / 4) * (1 + l / 4));
      c[i] = std::clamp(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0.0, 1.0);
    }
    PF(y, SRAD) for (int x = 0; x < SRAD; ++x) {
      int i = at(y, x);
      j[i] += SRADLAMBDA / 4 *
              (c[i] * (d[0][i] + d[2][i]) + c[at(y + 1, x)] * d[1][i] +
               c[at(y, x + 1)] * d[3][i]);
    }
  }
  std::copy(j.begin(), j.end(), out);
}
void ref_lud(Bufs b) {
  const int n = LUD;
  std::vector<double> m((fp)b[0], (fp)b[0] + n * n);
  for (int k = 0; k < n; ++k)
    PF(i, n) if (i > k) {
      double f = m[i * n + k] /= m[k * n + k];
      for (int j = k + 1; j < n; ++j)
        m[i * n + j] -= f * m[k * n + j];
    }
  std::copy(m.begin(), m.end(), (fp)b[1]);
}
void ref_nw(Bufs b) {
  auto s = (int *)b[0], like = (int *)b[1];
  const int w = NW + 1;
  for (int y = 1; y < w; ++y)
    for (int x = 1; x < w; ++x)
      s[y * w + x] =
          std::max({s[(y - 1) * w + x - 1] + like[y * w + x],
                    s[y * w + x - 1] - NWGAP, s[(y - 1) * w + x] - NWGAP});
}
void ref_streamcluster(Bufs b) {
  fp coord = (fp)b[0], weight = (fp)b[1], cost = (fp)b[2], gain = (fp)b[6];
  auto centre = (int *)b[3];
  auto moves = (uint8_t *)b[5];
  std::vector<double> sum(SCK + 1);
  for (int i = 0; i < SCN; ++i) {
    double d = 0;
    for (int k = 0; k < SCDIM; ++k) {
      double e =
          (double)coord[(size_t)k * SCN + i] - coord[(size_t)k * SCN + 77];
      d += e * e;
    }
    d *= weight[i];
    moves[i] = d < cost[i];
    (moves[i] ? sum[SCK] : sum[centre[i]]) -=
        moves[i] ? cost[i] - d : d - cost[i];
  }
  for (int k = 0; k <= SCK; ++k)
    gain[k] = sum[k];
}
void ref_kmeans(Bufs b) {
  fp points = (fp)b[0], centres = (fp)b[2];
  auto nearest = (int *)b[3];
  PF(i, KMN) {
    double least = 1e300;
    for (int c = 0; c < KMK; ++c) {
      double d = 0;
      for (int k = 0; k < KMDIM; ++k) {
        double e =
            (double)points[(size_t)i * KMDIM + k] - centres[c * KMDIM + k];
        d += e * e;
      }
      if (d < least)
        least = d, nearest[i] = c;
    }
  }
}
void ref_backprop(Bufs b) {
  fp input = (fp)b[0], weights = (fp)b[1], out = (fp)b[3];
  for (int h = 0; h < BPH; ++h) {
    double s = 0;
    for (int i = 0; i < BPN; ++i)
      s += (double)input[i] * weights[(size_t)i * BPH + h];
    out[h] = 1 / (1 + std::exp(-s));
  }
}
void ref_lavamd(Bufs b) {
  fp pos = (fp)b[0], charge = (fp)b[1], force = (fp)b[2];
  const int e = LAVAEDGE;
  auto near = [](int p, int q) { return std::abs(p - q) <= 1; };
  PF(box, e * e * e) {
    int x = box % e, y = box / e % e, z = box / e / e;
    for (int i = box * LAVAPER; i < (box + 1) * LAVAPER; ++i) {
      fp p = pos + 4 * i;
      double f[4] = {};
      for (int j = 0; j < e * e * e * LAVAPER; ++j) {
        int other = j / LAVAPER;
        if (!near(other % e, x) || !near(other / e % e, y) ||
            !near(other / e / e, z))
          continue;
        fp q = pos + 4 * j;
        double dot =
            (double)p[0] * q[0] + (double)p[1] * q[1] + (double)p[2] * q[2];
        double v = charge[j] * std::exp(-0.5 * ((double)p[3] + q[3] - dot));
        for (int k = 0; k < 3; ++k)
          f[k] += 2 * v * ((double)p[k] - q[k]);
        f[3] += v;
      }
      for (int k = 0; k < 4; ++k)
        force[4 * i + k] = f[k];
    }
  }
}
void ref_conv2d(Bufs b) {
  fp in = (fp)b[0], out = (fp)b[1];
  const double k[9] = {0.2, -0.3, 0.4, 0.5, 0.6, 0.7, -0.8, -0.9, 0.1};
  PF(y, TR) for (int x = 0; x < TR; ++x) {
    double s = 0;
    if (x && y && x < TR - 1 && y < TR - 1)
      for (int i = 0; i < 9; ++i)
        s += k[i] * in[(size_t)(y + i / 3 - 1) * TR + x + i % 3 - 1];
    out[(size_t)y * TR + x] = s;
  }
}
void ref_atax(Bufs b) {
  fp a = (fp)b[0], x = (fp)b[1], y = (fp)b[3];
  std::vector<double> sum(ATAX);
  for (int i = 0; i < ATAX; ++i) {
    fp row = a + (size_t)i * ATAX;
    double t = 0;
    for (int j = 0; j < ATAX; ++j)
      t += (double)row[j] * x[j];
    for (int j = 0; j < ATAX; ++j)
      sum[j] += t * row[j];
  }
  std::copy(sum.begin(), sum.end(), y);
}
void ref_corr(Bufs b) {
  fp data = (fp)b[0], sym = (fp)b[4];
  const int n = CORR;
  std::vector<double> c(n * n); // columns of data, as rows
  PF(j, n) {
    double s = 0, q = 0;
    for (int i = 0; i < n; ++i)
      s += data[i * n + j];
    for (int i = 0; i < n; ++i)
      c[j * n + i] = data[i * n + j] - s / n, q += c[j * n + i] * c[j * n + i];
    double dev = std::sqrt(q / n);
    for (int i = 0; i < n; ++i)
      c[j * n + i] /= std::sqrt(n) * (dev <= 0.005 ? 1 : dev);
  }
  PF(j, n) for (int k = 0; k < n; ++k) {
    double s = 0;
    for (int i = 0; i < n; ++i)
      s += c[j * n + i] * c[k * n + i];
    sym[j * n + k] = j == k ? 1 : s;
  }
}
void ref_fdtd2d(Bufs b) {
  fp source = (fp)b[0];
  const int n = FDTD;
  auto load = [&](int i) {
    return std::vector<double>((fp)b[i], (fp)b[i] + n * n);
  };
  auto ex = load(1), ey = load(2), hz = load(3);
  for (int t = 0; t < FDTDSTEPS; ++t) {
    PF(y, n) for (int x = 0; x < n; ++x) {
      int i = y * n + x;
      ey[i] = y ? ey[i] - 0.5 * (hz[i] - hz[i - n]) : source[t];
      if (x)
        ex[i] -= 0.5 * (hz[i] - hz[i - 1]);
    }
    PF(y, n - 1) for (int x = 0; x < n - 1; ++x) {
      int i = y * n + x;
      hz[i] -= 0.7 * (ex[i + 1] - ex[i] + ey[i + n] - ey[i]);
    }
  }
  std::copy(ex.begin(), ex.end(), (fp)b[1]);
  std::copy(ey.begin(), ey.end(), (fp)b[2]);
  std::copy(hz.begin(), hz.end(), (fp)b[3]);
}
void ref_softmax_vec(Bufs b) {
  PF(r, SVROWS) {
    fp p = (fp)b[0] + (size_t)r * SVCOLS, q = (fp)b[1] + (size_t)r * SVCOLS;
    double m = *std::max_element(p, p + SVCOLS), s = 0;
    for (int i = 0; i < SVCOLS; ++i)
      s += std::exp(p[i] - m);
    for (int i = 0; i < SVCOLS; ++i)
      q[i] = std::exp(p[i] - m) / s;
  }
}
} // namespace bench
