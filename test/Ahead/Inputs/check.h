/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares what a kernel has written with what it should have. */
#ifndef CHECK_H
#define CHECK_H
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of an element of a type: "f32", "u8x4". */
static size_t bytesOf(const char *type) {
  size_t bits = (size_t)atoi(type + strcspn(type, "0123456789"));
  return bits < 8 ? 1 : bits / 8;
}

static double valueOf(const unsigned char *at, const char *type) {
  float f;
  double d;
  memcpy(&f, at, sizeof(f));
  if (strcmp(type, "f32") == 0)
    return (double)f;
  memcpy(&d, at, sizeof(d));
  return d;
}

/* The distance of two floats of one sign, in units of the last place. */
static double ulpsOf(const unsigned char *a, const unsigned char *b,
                     size_t bytes) {
  uint64_t x = 0, y = 0;
  memcpy(&x, a, bytes);
  memcpy(&y, b, bytes);
  return (double)(x > y ? x - y : y - x);
}

/* By the rules of `isClose` (tools/ptx-jit/Buffers.cpp). PTX does not say which
 * NaN an addition gives, and CPUs differ. */
static int isNear(const unsigned char *got, const unsigned char *wanted,
                  const char *type, double ulps, double rel, double abs) {
  size_t bytes = bytesOf(type);
  int isFloat = strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0;
  double a, b;
  if (memcmp(got, wanted, bytes) == 0)
    return 1;
  if (isFloat && isnan(valueOf(got, type)) && isnan(valueOf(wanted, type)))
    return 1;
  if (ulps == 0 && rel == 0 && abs == 0)
    return 0;
  if (!isFloat)
    return ulpsOf(got, wanted, bytes) <= ulps;
  a = valueOf(got, type);
  b = valueOf(wanted, type);
  return ulpsOf(got, wanted, bytes) <= ulps ||
         fabs(a - b) <= abs + rel * fabs(b);
}

/* \param wild  indices of elements that may have any value, then -1. */
static int isEqual(const unsigned char *got, const unsigned char *wanted,
                   size_t bytes, const char *type, const long *wild,
                   double ulps, double rel, double abs) {
  size_t each = bytesOf(type);
  for (size_t i = 0; i < bytes / each; ++i) {
    if (*wild == (long)i)
      ++wild;
    else if (!isNear(got + i * each, wanted + i * each, type, ulps, rel, abs))
      return 0;
  }
  return 1;
}
#endif
