//===- Handle.h - handles of both libraries ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcublas tells libcublasLt its handles, which are handles there, too.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_HANDLE_H
#define PTXJIT_LIB_CUBLAS_HANDLE_H

extern "C" {
void ptxjitCublasLtAddHandle(const void *handle);
void ptxjitCublasLtRemoveHandle(const void *handle);
}

#endif
