//===- Model.cpp - collectives, computed in the plainest way --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

using namespace ncclmodel;

std::string ncclmodel::nameOf(Kind kind) {
  static const char *const names[] = {"AllReduce", "Reduce",    "ReduceScatter",
                                      "Broadcast", "AllGather", "AlltoAll",
                                      "Gather",    "Scatter"};
  return names[int(kind)];
}

size_t ncclmodel::sizeOf(ncclDataType_t type) {
  static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return sizes[type];
}

//===----------------------------------------------------------------------===//
// Narrow floats, as their definitions say
//===----------------------------------------------------------------------===//

namespace {
struct Format {
  int exponentBits, mantissaBits;
  bool hasInfinity;
};
} // namespace

static Format formatOf(ncclDataType_t type) {
  switch (type) {
  case ncclFloat16:
    return {5, 10, true};
  case ncclBfloat16:
    return {8, 7, true};
  case ncclFloat8e5m2:
    return {5, 2, true};
  default:
    return {4, 3, false}; // e4m3
  }
}

static bool isNarrow(ncclDataType_t type) {
  return type == ncclFloat16 || type == ncclBfloat16 ||
         type == ncclFloat8e4m3 || type == ncclFloat8e5m2;
}

double ncclmodel::decode(ncclDataType_t type, unsigned code) {
  Format format = formatOf(type);
  int exponents = 1 << format.exponentBits;
  int mantissas = 1 << format.mantissaBits;
  int mantissa = int(code) & (mantissas - 1);
  int exponent = int(code >> format.mantissaBits) & (exponents - 1);
  double sign = code >> (format.exponentBits + format.mantissaBits) ? -1 : 1;
  int bias = exponents / 2 - 1;
  if (exponent == exponents - 1 && format.hasInfinity)
    return mantissa ? std::nan("") : sign * INFINITY;
  if (exponent == exponents - 1 && mantissa == mantissas - 1)
    return std::nan("");
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - format.mantissaBits);
  return sign * std::ldexp(mantissas + mantissa,
                           exponent - bias - format.mantissaBits);
}

unsigned ncclmodel::encode(ncclDataType_t type, double value) {
  Format format = formatOf(type);
  unsigned signBit = 1u << (format.exponentBits + format.mantissaBits);
  unsigned sign = std::signbit(value) ? signBit : 0;
  // The finite numbers of one sign ascend with their codes.
  // Ranks may be threads.
  static thread_local std::map<int, std::map<double, unsigned>> tables;
  std::map<double, unsigned> &table = tables[type];
  if (table.empty())
    for (unsigned code = 0; code < signBit; ++code)
      if (std::isfinite(decode(type, code)))
        table[decode(type, code)] = code;
  double largest = table.rbegin()->first, magnitude = std::fabs(value);
  unsigned most = table.rbegin()->second;
  if (std::isnan(value))
    return sign | (signBit - 1);
  auto above = table.lower_bound(magnitude);
  if (above == table.end()) {
    // Floats of 16 bits overflow, those of 8 bits become the largest number.
    double step = largest - std::prev(std::prev(table.end()))->first;
    bool overflows = sizeOf(type) == 2 && magnitude >= largest + step / 2;
    return sign | (most + overflows);
  }
  if (above->first == magnitude)
    return sign | above->second;
  auto below = std::prev(above);
  double toBelow = magnitude - below->first, toAbove = above->first - magnitude;
  bool up = toAbove < toBelow || (toAbove == toBelow && below->second % 2);
  return sign | (up ? above : below)->second;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T> static T get(const Bytes &bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}
template <typename T> static void put(Bytes &bytes, size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
}

static double getNumber(ncclDataType_t type, const Bytes &bytes, size_t i) {
  return decode(type, sizeOf(type) == 1 ? get<uint8_t>(bytes, i)
                                        : get<uint16_t>(bytes, i));
}
static void putNumber(ncclDataType_t type, Bytes &bytes, size_t i,
                      double value) {
  if (sizeOf(type) == 1)
    put(bytes, i, uint8_t(encode(type, value)));
  else
    put(bytes, i, uint16_t(encode(type, value)));
}

//===----------------------------------------------------------------------===//
// Reductions of one element
//===----------------------------------------------------------------------===//

/// Reduces numbers of a type in which integers wrap around.
template <typename T> static T combine(int op, T a, T b) {
  using U = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  switch (op) {
  case ncclProd:
    return T(U(a) * U(b));
  case ncclMax:
    return a > b ? a : b;
  case ncclMin:
    return a < b ? a : b;
  default:
    return T(U(a) + U(b));
  }
}

template <typename T>
static void reducePlain(const Collective &call, const std::vector<Bytes> &in,
                        Bytes &out, size_t elements) {
  for (size_t i = 0; i < elements; ++i) {
    T sum{};
    for (int rank = 0; rank < call.ranks; ++rank) {
      T value = get<T>(in[size_t(rank)], i);
      if (call.op == kPreMulSum)
        value = combine(ncclProd, value, get<T>(call.factor(rank), 0));
      sum = rank ? combine(call.op, sum, value) : value;
    }
    put(out, i, T(call.op == ncclAvg ? sum / T(call.ranks) : sum));
  }
}

static void reduceNarrow(const Collective &call, const std::vector<Bytes> &in,
                         Bytes &out, size_t elements) {
  for (size_t i = 0; i < elements; ++i) {
    float sum = 0; // exact for the inputs that there are
    for (int rank = 0; rank < call.ranks; ++rank) {
      auto value = float(getNumber(call.type, in[size_t(rank)], i));
      if (call.op == kPreMulSum)
        value *= float(getNumber(call.type, call.factor(rank), 0));
      sum = rank ? combine(call.op, sum, value) : value;
    }
    putNumber(call.type, out, i,
              call.op == ncclAvg ? sum / float(call.ranks) : sum);
  }
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

size_t Collective::sendCount() const {
  bool hasAll = kind == Kind::ReduceScatter || kind == Kind::AlltoAll ||
                kind == Kind::Scatter;
  return hasAll ? count * size_t(ranks) : count;
}
size_t Collective::recvCount() const {
  bool hasAll =
      kind == Kind::AllGather || kind == Kind::AlltoAll || kind == Kind::Gather;
  return hasAll ? count * size_t(ranks) : count;
}
size_t Collective::inPlaceOffset(int rank) const {
  switch (kind) {
  case Kind::ReduceScatter:
  case Kind::AllGather:
  case Kind::Gather:
  case Kind::Scatter:
    return size_t(rank) * count;
  default:
    return 0;
  }
}

/// A number between 0 and 2^32 that looks random.
static uint32_t hash(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

Bytes Collective::input(int rank) const {
  size_t elements = sendCount();
  Bytes bytes(elements * sizeOf(type));
  for (size_t i = 0; i < elements; ++i) {
    uint32_t random = hash(uint32_t(i) * 64 + uint32_t(rank));
    // So few bits that sums and products are exact.
    double number =
        op == ncclProd ? (random % 3 ? 1 : -2) : int(random % 7) / 4.0 - 0.5;
    if (isNarrow(type))
      putNumber(type, bytes, i, number);
    else if (type == ncclFloat32)
      put(bytes, i, float(number));
    else if (type == ncclFloat64)
      put(bytes, i, number);
    else
      for (size_t byte = 0; byte < sizeOf(type); ++byte)
        bytes[i * sizeOf(type) + byte] =
            uint8_t(hash(random + uint32_t(byte / 4)) >> byte % 4 * 8);
  }
  return bytes;
}

Bytes Collective::factor(int rank) const {
  Bytes bytes(sizeOf(type));
  double number = rank % 2 ? 0.5 : -2;
  if (isNarrow(type))
    putNumber(type, bytes, 0, number);
  else if (type == ncclFloat32)
    put(bytes, 0, float(number));
  else if (type == ncclFloat64)
    put(bytes, 0, number);
  else
    bytes[0] = uint8_t(rank + 3);
  return bytes;
}

Bytes Collective::reduceAll() const {
  std::vector<Bytes> in;
  for (int rank = 0; rank < ranks; ++rank)
    in.push_back(input(rank));
  Bytes out(in[0].size());
  size_t elements = sendCount();
  switch (type) {
  case ncclInt8:
    reducePlain<int8_t>(*this, in, out, elements);
    break;
  case ncclUint8:
    reducePlain<uint8_t>(*this, in, out, elements);
    break;
  case ncclInt32:
    reducePlain<int32_t>(*this, in, out, elements);
    break;
  case ncclUint32:
    reducePlain<uint32_t>(*this, in, out, elements);
    break;
  case ncclInt64:
    reducePlain<int64_t>(*this, in, out, elements);
    break;
  case ncclUint64:
    reducePlain<uint64_t>(*this, in, out, elements);
    break;
  case ncclFloat32:
    reducePlain<float>(*this, in, out, elements);
    break;
  case ncclFloat64:
    reducePlain<double>(*this, in, out, elements);
    break;
  default:
    reduceNarrow(*this, in, out, elements);
  }
  return out;
}

Bytes Collective::expected(int rank) const {
  size_t block = count * sizeOf(type);
  auto part = [&](const Bytes &all, int index) {
    auto begin = all.begin() + ptrdiff_t(size_t(index) * block);
    return Bytes(begin, begin + ptrdiff_t(block));
  };
  Bytes result;
  auto append = [&](const Bytes &more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  switch (kind) {
  case Kind::AllReduce:
    return reduceAll();
  case Kind::Reduce:
    return rank == root ? reduceAll() : Bytes();
  case Kind::ReduceScatter:
    return part(reduceAll(), rank);
  case Kind::Broadcast:
    return input(root);
  case Kind::Scatter:
    return part(input(root), rank);
  case Kind::Gather:
    if (rank != root)
      return Bytes();
    [[fallthrough]];
  case Kind::AllGather:
    for (int each = 0; each < ranks; ++each)
      append(input(each));
    return result;
  case Kind::AlltoAll:
    for (int each = 0; each < ranks; ++each)
      append(part(input(each), rank));
    return result;
  }
  return result;
}

std::string Collective::describe() const {
  return nameOf(kind) + ", type " + std::to_string(type) + ", op " +
         std::to_string(op) + ", root " + std::to_string(root) + ", count " +
         std::to_string(count) + ", ranks " + std::to_string(ranks);
}
