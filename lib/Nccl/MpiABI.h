//===- MpiABI.h - between the library and its MPI plug-in -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only libptxjit-nccl-mpi.so is linked with MPI. libnccl.so.2 loads it when
// ranks are on different machines, so that other programs need no MPI.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_MPIABI_H
#define PTXJIT_LIB_NCCL_MPIABI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTXJIT_NCCL_MPI_VERSION 1

/** The functions of the plug-in. Requests and messages are freed when they are
 * done. Calls may come from any thread. */
typedef struct PtxjitNcclMpi {
  int version;
  /** Initialises MPI if the program has not. \returns null, or why MPI cannot
   * be used. */
  const char *(*join)(int *worldRank);
  /** Makes a communicator of processes of MPI_COMM_WORLD, which all call this
   * with the same arguments. \returns null on failure. */
  void *(*create)(const int *worldRanks, int count, int tag);
  void (*destroy)(void *communicator);
  /** Starts to send. \param process  its number in the communicator */
  void *(*send)(void *communicator, int process, int tag, const void *data,
                size_t bytes);
  /** Finds the next message, without waiting. \returns null if there is none.
   */
  void *(*probe)(void *communicator, int process, int tag, size_t *bytes);
  /** Starts to receive a message that probe() has found. */
  void *(*receive)(void *message, void *data, size_t bytes);
  /** Is the request done? */
  int (*test)(void *request);
} PtxjitNcclMpi;

/** The only symbol of the plug-in. */
const PtxjitNcclMpi *ptxjitNcclMpi(void);

#ifdef __cplusplus
}
#endif

#endif
