# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The smallest producers of DLPack: f32 in memory of ctypes."""
import ctypes

CAPSULE_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, CAPSULE_DESTRUCTOR)(
        ("PyCapsule_New", ctypes.pythonapi))
# The destructor gets a capsule that is going away, so no py_object.
is_capsule = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
get_pointer = ctypes.PYFUNCTYPE(
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi))


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("manager", ctypes.c_void_p),
                ("deleter", DELETER)]


class DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("manager", ctypes.c_void_p), ("deleter", DELETER),
                ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


# Calls the deleter, as the protocol wants for capsules that nobody took over.
@CAPSULE_DESTRUCTOR
def destroy(capsule):
    for name, kind in ((b"dltensor", DLManagedTensor),
                       (b"dltensor_versioned", DLManagedTensorVersioned)):
        if is_capsule(capsule, name):
            address = get_pointer(capsule, name)
            kind.from_address(address).deleter(address)


class Tensor:
    """Counts the capsules made of it, and those whose tensor was deleted."""

    name = b"dltensor_versioned"

    def __init__(self, values, shape, strides=None, byte_offset=0, device=1,
                 flags=0, major=1):
        values = list(values)
        self.memory = (ctypes.c_float * len(values))(*values)
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = strides and (ctypes.c_int64 * len(shape))(*strides)
        self.device = device
        self.made = self.deleted = 0
        self.deleter = DELETER(self.count_deletion)
        self.managed = DLManagedTensorVersioned(
            major, 0, None, self.deleter, flags, self.describe(byte_offset))

    def describe(self, byte_offset):
        return DLTensor(ctypes.addressof(self.memory), self.device, 0,
                        len(self.shape), 2, 32, 1,
                        ctypes.addressof(self.shape), self.strides and
                        ctypes.addressof(self.strides), byte_offset)

    def count_deletion(self, _):
        self.deleted += 1

    def values(self):
        return list(self.memory)

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, *, max_version=None):
        assert max_version >= (1, 0)
        return self.make_capsule()

    def make_capsule(self):
        self.made += 1
        return new_capsule(ctypes.addressof(self.managed), self.name, destroy)


class OldTensor(Tensor):
    """As before version 1.0."""

    name = b"dltensor"

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.managed = DLManagedTensor(self.managed.tensor, None, self.deleter)

    def __dlpack__(self, *, stream=None):
        return self.make_capsule()
