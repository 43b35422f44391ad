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
  int (*function)(); ///< its real type is another
};

/// The newest entry that a program of that CUDA version knows under a name;
/// null if there is none. \param isKnown  set to whether the name exists at
/// all.
const Entry *findEntry(const char *name, int version, bool perThread,
                       bool &isKnown);

/// Reports a call of a function of Unsupported.def. \returns its result.
int reportUnsupported(const char *symbol);
/// Why a function of Unsupported.def is not supported.
const char *reasonAgainst(const char *symbol);

} // namespace ptxjit::cuda

#endif
