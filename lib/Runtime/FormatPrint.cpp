//===- FormatPrint.cpp - vprintf of kernels -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First copies the format and the strings of the program. A bad address there
// leaves this code by a jump, so until then nothing here owns memory. Then the
// C library formats one conversion at a time.
//
//===----------------------------------------------------------------------===//

#include "FaultScope.h"
#include "SystemCalls.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

using namespace ptxjit;

static thread_local unsigned mutes = 0;
MutedKernels::MutedKernels() { ++mutes; }
MutedKernels::~MutedKernels() { --mutes; }
bool MutedKernels::areMuted() { return mutes != 0; }

namespace {
/// One conversion of a format, from its % to its letter.
struct Conversion {
  const char *begin, *end;
  unsigned stars = 0;     ///< `*` for width or precision
  bool isLong = false;    ///< l, ll, j, z, t: 8 bytes if pointers have 8
  bool isLongest = false; ///< ll, j: always 8 bytes
  char letter = 0;

  bool isFloat() const { return std::strchr("aAeEfFgG", letter); }
  bool isInteger() const { return std::strchr("diouxXc", letter); }
  bool isSigned() const { return letter == 'd' || letter == 'i'; }
  /// Size of the argument. `isNarrow`: pointers have 4 bytes.
  unsigned bytes(bool isNarrow) const {
    if (isFloat())
      return 8;
    if (isInteger() && !isLong)
      return 4;
    return isNarrow && !isLongest ? 4 : 8;
  }
};

/// A copy of a call's format and arguments.
struct Call {
  static constexpr size_t kRoom = 16 << 10;
  char text[kRoom]; ///< format, then strings, each zero-terminated
  size_t used;
  uint64_t values[64];
  unsigned numValues;
};
} // namespace

/// On the heap, because the stack may be a small fiber's, and static
/// thread-local storage is scarce for libraries that are loaded late.
static Call &getCall() {
  static thread_local std::unique_ptr<Call> call = std::make_unique<Call>();
  return *call;
}

/// Parses the conversion at a %. Its letter is 0 if C has no such conversion.
static Conversion parseConversion(const char *at) {
  Conversion c{at, at + 1};
  auto skip = [&](const char *set) {
    while (*c.end && std::strchr(set, *c.end)) {
      c.stars += *c.end == '*';
      c.isLong |= std::strchr("ljzt", *c.end) != nullptr;
      c.isLongest |= *c.end == 'j' || (*c.end == 'l' && c.end[-1] == 'l');
      ++c.end;
    }
  };
  skip("-+ #0");
  skip("*0123456789");
  skip(".*0123456789");
  skip("hljztL");
  if (*c.end && std::strchr("diouxXcspaAeEfFgG%", *c.end))
    c.letter = *c.end++;
  return c;
}

/// Finds the next %; null if there is none.
static const char *nextConversion(const char *at) {
  return std::strchr(at, '%');
}

/// Copies a string, cut off where `call.text` is full.
static const char *copyString(Call &call, uint64_t address) {
  char *begin = call.text + call.used;
  auto *from = reinterpret_cast<const char *>(address);
  if (!from)
    from = "(null)";
  while (call.used + 1 < Call::kRoom && *from)
    call.text[call.used++] = *from++;
  call.text[call.used] = 0;
  if (call.used + 1 < Call::kRoom)
    ++call.used;
  return begin;
}

/// Copies the arguments of the format's conversions. They follow each other,
/// each at a multiple of its size.
static void copyArguments(Call &call, uint64_t format, uint64_t arguments,
                          bool isNarrow) {
  call.used = 0;
  call.numValues = 0;
  copyString(call, format);
  uint64_t at = arguments;
  auto take = [&](unsigned bytes, bool isSigned) {
    at = (at + bytes - 1) / bytes * bytes;
    uint64_t value = bytes == 8 ? SystemCall::readAt<uint64_t>(at)
                     : isSigned
                         ? uint64_t(int64_t(SystemCall::readAt<int32_t>(at)))
                         : SystemCall::readAt<uint32_t>(at);
    at += bytes;
    if (call.numValues < 64)
      call.values[call.numValues++] = value;
    return value;
  };
  for (const char *p = nextConversion(call.text); p; p = nextConversion(p)) {
    Conversion c = parseConversion(p);
    p = c.end;
    if (!c.letter || c.letter == '%')
      continue;
    for (unsigned i = 0; i < c.stars; ++i)
      take(4, true);
    uint64_t value = take(c.bytes(isNarrow), c.isSigned());
    if (c.letter == 's' && call.numValues < 64)
      call.values[call.numValues - 1] =
          reinterpret_cast<uint64_t>(copyString(call, value));
  }
}

/// Longer results are a mistake or an attack, and are dropped.
static constexpr int kMostWidth = 1 << 20;

/// Appends one conversion of `value`, with width and precision `stars`.
template <typename T>
static void append(std::string &out, const std::string &spec, const int *stars,
                   unsigned numStars, T value) {
  char text[512];
  auto print = [&](char *to, size_t room) {
    switch (numStars) {
    case 0:
      return std::snprintf(to, room, spec.c_str(), value);
    case 1:
      return std::snprintf(to, room, spec.c_str(), stars[0], value);
    default:
      return std::snprintf(to, room, spec.c_str(), stars[0], stars[1], value);
    }
  };
  int length = print(text, sizeof(text));
  if (length < 0 || length > kMostWidth)
    return;
  if (size_t(length) < sizeof(text)) {
    out.append(text, size_t(length));
    return;
  }
  size_t before = out.size();
  out.resize(before + size_t(length) + 1);
  print(&out[before], size_t(length) + 1);
  out.resize(before + size_t(length));
}

static void appendConversion(std::string &out, const Conversion &c,
                             const uint64_t *&value) {
  std::string spec;
  for (const char *p = c.begin; p != c.end; ++p)
    if ((c.isInteger() && c.letter != 'c') || !std::strchr("hljztL", *p))
      spec += *p;
  int stars[2] = {};
  for (unsigned i = 0; i < c.stars; ++i)
    stars[i < 2 ? i : 1] = int(*value++);
  uint64_t bits = *value++;
  if (c.isFloat()) {
    double number;
    std::memcpy(&number, &bits, sizeof(number));
    append(out, spec, stars, c.stars, number);
  } else if (c.letter == 's') {
    append(out, spec, stars, c.stars, reinterpret_cast<const char *>(bits));
  } else if (c.letter == 'p') {
    append(out, spec, stars, c.stars, reinterpret_cast<void *>(bits));
  } else if (c.isLong && c.letter != 'c') { // all have 8 bytes on the host
    append(out, spec, stars, c.stars, (long long)bits);
  } else {
    append(out, spec, stars, c.stars, int(bits));
  }
}

/// Appends the formatted text. \returns the number of converted arguments.
static unsigned format(const Call &call, std::string &out) {
  const uint64_t *value = call.values, *end = call.values + call.numValues;
  const char *p = call.text;
  unsigned count = 0;
  while (const char *percent = nextConversion(p)) {
    out.append(p, percent);
    Conversion c = parseConversion(percent);
    p = c.end;
    if (c.letter == '%')
      out += '%';
    else if (!c.letter)
      out.append(c.begin, c.end); // printed unchanged, as CUDA does
    else if (end - value > int(c.stars)) {
      appendConversion(out, c, value);
      ++count;
    }
  }
  out += p;
  return count;
}

void ptxjit::printFormatted(const SystemCall &request) {
  uint64_t pattern = request.readPointer(0);
  Call &call = getCall();
  if (pattern) {
    FaultScope::Reading reading(request.caller);
    copyArguments(call, pattern, request.readPointer(1), request.isNarrow);
  }
  int result = -1;
  if (pattern) {
    std::string out;
    result = int(format(call, out));
    if (!mutes)
      std::fwrite(out.data(), 1, out.size(), stdout);
  }
  request.write(2, uint32_t(result), sizeof(result));
}
