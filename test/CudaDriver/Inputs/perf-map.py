# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches a kernel, and another by a graph that runs twice, then prints and
removes the perf map of this process.

    perf-map.py LIBCUDA
"""
import ctypes
import os
import sys

PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry fill() { ret; }
"""
cuda = ctypes.CDLL(sys.argv[1])
context, module, function = (ctypes.c_void_p() for _ in range(3))
cuda.cuInit(0)
cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
cuda.cuMemFree_v2(ctypes.c_uint64(12345))
cuda.cuModuleLoadData(ctypes.byref(module), PTX)
cuda.cuModuleGetFunction(ctypes.byref(function), module, b"fill")
cuda.cuLaunchKernel(function, 2, 1, 1, 8, 1, 1, 0, None, None, None)
cuda.cuCtxSynchronize()

# A graph that holds a launch is made without one, and launched twice.
stream, graph, instance = (ctypes.c_void_p() for _ in range(3))
cuda.cuStreamCreate(ctypes.byref(stream), 1)
cuda.cuStreamBeginCapture_v2(stream, 1)
cuda.cuLaunchKernel(function, 3, 1, 1, 8, 1, 1, 0, stream, None, None)
cuda.cuStreamEndCapture(stream, ctypes.byref(graph))
cuda.cuGraphInstantiateWithFlags(ctypes.byref(instance), graph,
                                 ctypes.c_uint64(0))
for _ in range(2):
    cuda.cuGraphLaunch(instance, stream)
cuda.cuCtxSynchronize()

path = f"/tmp/perf-{os.getpid()}.map"
if os.path.exists(path):
    print(open(path).read())
    os.remove(path)
else:
    print("no map")
