# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels on CPU tensors, where torch has no CUDA device.

Triton finds this package by the entry point group ``triton.backends``, and asks
``driver`` whether it is active. Kernels are compiled by Triton's own backend for
NVIDIA and run by our driver. Under ``ptx-jit exec`` torch has a CUDA device, and
Triton's own driver is the active one. ``PTXJIT_TRITON=0`` turns this off.
"""
