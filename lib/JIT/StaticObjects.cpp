//===- StaticObjects.cpp - static objects of the compiler -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread may compile while the program exits. LLVM's static objects would be
// destroyed under its hands: many are made at their first use, so no exit
// handler is sure to be called before their destructors. They hold nothing that
// the system does not free.
//
//===----------------------------------------------------------------------===//

/// Stands in for the C library's function, for this library alone, and
/// registers no destructor.
extern "C" int __cxa_atexit(void (*)(void *), void *, void *) { return 0; }
