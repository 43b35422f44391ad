//===- Arguments.h - kernel arguments from the command line -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the ARGs of `ptx-jit run`, makes the arguments of a launch from them,
// and afterwards prints, writes and compares the buffers among them.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_ARGUMENTS_H
#define PTXJIT_TOOLS_ARGUMENTS_H

#include "Buffers.h"

namespace ptxjit {

/// One kernel argument, written as one of
///   TYPE:VALUE         a scalar
///   TYPE{VALUE,...}    a parameter that is an array or a struct
///   TYPE[N]=FILL{,print{=N}}{,out=FILE}{,expect=FILE}{,rtol=X}{,atol=X}
///       {,ulps=N}{,misses=SHARE}    a buffer of N elements
///   buf:N              buffer number N (from 0) once more
struct ArgumentRequest {
  bool isBuffer = false;
  std::vector<uint8_t> value; ///< the bytes of a scalar or an array
  size_t buffer = 0;          ///< index in ArgumentList::buffers
  /// The buffer is seen as this texture, and its handle is the argument.
  std::optional<Texture> texture;
  /// The buffer's equal parts are these memories.
  std::optional<Multicast> multicast;
  /// Of the texture, or the multicast address; 0: there is neither.
  uint64_t handle = 0;
  bool isBound = false; ///< to a variable: it is no argument of the launch
};

/// Reads TYPE:VALUE or TYPE{VALUE,...} as its bytes. Returns false, with a
/// message in `error`, if `text` is malformed.
bool parseScalarArgument(const std::string &text, std::vector<uint8_t> &value,
                         std::string &error);

/// A buffer, and what the user asks to be done with it after the launch.
struct BufferRequest {
  TypedBuffer data;
  uint64_t printCount = 0;
  std::string out, expect;
  Tolerance tolerance;
  double misses = 0; ///< fraction of elements that may differ
};

struct ArgumentList {
  std::vector<ArgumentRequest> arguments;
  std::vector<BufferRequest> buffers;
  bool isLow = false; ///< Module::needsLowMemory, where `add` allocates

  /// Reads one argument and fills its buffer. Returns false, with a message in
  /// `error`, if it is malformed or memory is short.
  bool add(const std::string &text, std::string &error);
  /// Makes the arguments of a launch of `kernel`, which refer to this list.
  /// Returns false if their number or a size does not match. Unlike for C++
  /// programs, types do not matter: `u32:0x3f800000` may be a `.f32`.
  bool pass(const Kernel &kernel, std::vector<Argument> &passed,
            std::string &error) const;
  /// Checks after a launch of `kernel` that it did not write outside the
  /// buffers. Returns false, with the place of such a write in `error`, if it
  /// did.
  bool checkEdges(const std::string &kernel, std::string &error) const;
  /// The address range of each buffer, one a line, to be printed with a report
  /// of a bad address.
  std::string describePlaces() const;
  /// Prints, writes and compares buffers as requested. Returns false on a
  /// mismatch or an I/O error.
  bool finish(std::string &error);
};

/// Reads "X", "X,Y" or "X,Y,Z", all positive; missing extents are 1. Returns
/// false if `text` is malformed.
bool parseExtents(const std::string &text, Dim3 &extents);

} // namespace ptxjit

#endif
