//===- TestRecord.h - tests and their results, for other judges -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes tests with what the reference interpreter computes for them, so that
// another implementation can run the same kernels on the same bytes: a GPU
// (utils/on-gpu.py), or code that was compiled ahead of time (test/ahead.py).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_TESTRECORD_H
#define PTXJIT_TOOLS_TESTRECORD_H

#include "TestNotation.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace ptxjit {

/// The test as a JSON object in one line. Buffers are hexadecimal, in the order
/// of their bytes. `expected` must hold the results:
///   {"file": PATH, "line": N, "kernel": NAME, "grid": [X,Y,Z], "block": ...,
///    "cluster": ..., "shared": BYTES, "ulps": N, "rel": X, "abs": X,
///    "args": [{"value": HEX} or {"type": TYPE, "initial": HEX} with
///             "expected": HEX and "any": [INDEX...] where it is checked, and
///             of a texture "texture": LIST, "surface": BOOL, "variable": NAME
///             (TextureNotation.h)]}
/// A launch that shall fail also has "fails": TEXT, and one that is right only
/// if warps run side by side "racy": true.
std::string formatRecord(llvm::StringRef path, const TestCase &test);

} // namespace ptxjit

#endif
