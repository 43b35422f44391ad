//===- Arguments.h - kernel arguments from the command line -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_ARGUMENTS_H
#define PTXJIT_TOOLS_ARGUMENTS_H

#include "Buffers.h"
#include "ptxjit/Runtime/CompilerABI.h"

namespace ptxjit {

/// TYPE:VALUE, or TYPE{VALUE,...} for a parameter that is an array or struct,
/// or
/// TYPE[N]=FILL{,print{=N}}{,out=FILE}{,expect=FILE}{,rtol=X}{,atol=X}{,ulps=N}
/// {,misses=SHARE}; buf:N names the Nth buffer again.
struct Argument {
  bool isBuffer = false;
  ElementType type;
  std::vector<uint64_t> values; ///< one, or those of an array, of `type`
  size_t buffer = 0;            ///< index among the buffers
  uint64_t bytes() const { return isBuffer ? 8 : values.size() * type.bytes; }
};

/// Reads TYPE:VALUE or TYPE{VALUE,...}.
bool parseScalarArgument(const std::string &text, Argument &argument,
                         std::string &error);

struct BufferRequest {
  TypedBuffer data;
  uint64_t printCount = 0;
  std::string out, expect;
  Tolerance tolerance;
  double misses = 0; ///< share of elements that may differ
};

struct ArgumentList {
  std::vector<Argument> arguments;
  std::vector<BufferRequest> buffers;
  /// Where buffers have to lie for the module that gets them.
  AddressRange range = AddressRange::All;

  /// Reads one argument. False with `error` set if it is malformed.
  bool add(const std::string &text, std::string &error);
  /// The `.param` block for `kernel`. False if counts or sizes do not match.
  bool layOut(const PtxjitKernelInfo &kernel, std::vector<uint64_t> &block,
              std::string &error) const;
  /// After a launch of `kernel`: did it write beside a buffer? False, with the
  /// first such byte in `error`, if it did.
  bool checkEdges(const std::string &kernel, std::string &error) const;
  /// Where the buffers lie, a line each: for people who are told an address.
  std::string describePlaces() const;
  /// Prints, writes and compares what was asked for. False on a mismatch.
  bool finish(std::string &error);
};

/// "X", "X,Y" or "X,Y,Z".
bool parseExtents(const std::string &text, uint32_t (&extents)[3]);

} // namespace ptxjit

#endif
