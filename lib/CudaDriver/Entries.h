// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Entries.h - the functions of the driver interface, by name -*- C++ -*-=//

#ifndef PTXJIT_LIB_CUDADRIVER_ENTRIES_H
#define PTXJIT_LIB_CUDADRIVER_ENTRIES_H

namespace ptxjit::cuda {

/// A row of Entries.def.
struct Entry {
  const char *name;
  int since; ///< CUDA version: 12030 for 12.3
  bool perThread;
  int (*function)(); ///< of whatever type it is
};

/// The newest entry of a name that a program of that CUDA version knows, or
/// null. \param isKnown  whether the name exists at all.
const Entry *findEntry(const char *name, int version, bool perThread,
                       bool &isKnown);

/// A function was called that is not written. \returns its result.
int reportUnsupported(const char *name);

} // namespace ptxjit::cuda

#endif
