//===- Arguments.h - kernel arguments from the command line -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the ARGs of `ptx-jit run`, lays them out as the `.param` block of a
// kernel, and afterwards prints, writes and compares the buffers among them.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_ARGUMENTS_H
#define PTXJIT_TOOLS_ARGUMENTS_H

#include "Buffers.h"
#include "ptxjit/Runtime/CompilerABI.h"

namespace ptxjit {

/// One kernel argument, written as one of
///   TYPE:VALUE         a scalar
///   TYPE{VALUE,...}    a parameter that is an array or a struct
///   TYPE[N]=FILL{,print{=N}}{,out=FILE}{,expect=FILE}{,rtol=X}{,atol=X}
///       {,ulps=N}{,misses=SHARE}    a buffer of N elements
///   buf:N              buffer number N (from 0) once more
struct Argument {
  bool isBuffer = false;
  ElementType type;
  std::vector<uint64_t> values; ///< one, or those of an array
  size_t buffer = 0;            ///< index in ArgumentList::buffers
  uint64_t bytes() const { return isBuffer ? 8 : values.size() * type.bytes; }
};

/// Reads TYPE:VALUE or TYPE{VALUE,...}. Returns false, with a message in
/// `error`, if `text` is malformed.
bool parseScalarArgument(const std::string &text, Argument &argument,
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
  std::vector<Argument> arguments;
  std::vector<BufferRequest> buffers;
  /// The addresses that the module's kernels can reach; `add` allocates there.
  AddressRange range = AddressRange::All;

  /// Reads one argument and fills its buffer. Returns false, with a message in
  /// `error`, if it is malformed or memory is short.
  bool add(const std::string &text, std::string &error);
  /// Fills `block` with the parameters of `kernel`. Returns false if the number
  /// of arguments or a size does not match.
  bool layOut(const PtxjitKernelInfo &kernel, std::vector<uint64_t> &block,
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
bool parseExtents(const std::string &text, uint32_t (&extents)[3]);

} // namespace ptxjit

#endif
