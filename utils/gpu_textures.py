# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Textures and surfaces of recorded tests on a GPU, for on-gpu.py.

A record has the texture as the list of the test notation
(tools/ptx-jit/TextureNotation.h), and its texels as dense bytes. Here they
become CUDA arrays, objects, and references of modules.
"""
import ctypes

SHAPES = {"buffer": (1, 0, 0), "1d": (1, 0, 0), "2d": (2, 0, 0),
          "3d": (3, 0, 0), "cube": (1, 0, 0), "a1d": (1, 1, 0),
          "a2d": (2, 1, 0), "acube": (1, 1, 0), "2dms": (2, 0, 1),
          "a2dms": (2, 1, 1)}
FORMATS = {"u8": (1, 1), "u16": (2, 2), "u32": (3, 4), "s8": (8, 1),
           "s16": (9, 2), "s32": (10, 4), "f16": (16, 2), "f32": (32, 4)}
MODES = ["wrap", "clamp", "mirror", "border"]
LAYERED, SURFACE, CUBE, GATHER = 1, 2, 4, 8
ARRAY, MIPMAPPED, LINEAR = 0, 1, 2
HOST, DEVICE_ARRAY = 1, 3
AS_INTEGER, NORMALIZED, SRGB, SEAMLESS = 1, 2, 0x10, 0x40


class Unsupported(Exception):
    """CUDA cannot make such a texture."""


class ArrayDescriptor(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t),
                ("depth", ctypes.c_size_t), ("format", ctypes.c_int),
                ("channels", ctypes.c_uint), ("flags", ctypes.c_uint)]


class Place(ctypes.Structure):
    _fields_ = [("x", ctypes.c_size_t), ("y", ctypes.c_size_t),
                ("z", ctypes.c_size_t), ("level", ctypes.c_size_t),
                ("kind", ctypes.c_uint), ("host", ctypes.c_void_p),
                ("device", ctypes.c_uint64), ("array", ctypes.c_void_p),
                ("reserved", ctypes.c_void_p), ("pitch", ctypes.c_size_t),
                ("height", ctypes.c_size_t)]


class Copy(ctypes.Structure):
    _fields_ = [("source", Place), ("to", Place),
                ("width", ctypes.c_size_t), ("height", ctypes.c_size_t),
                ("depth", ctypes.c_size_t)]


class Resource(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("data", ctypes.c_uint64 * 16),
                ("flags", ctypes.c_uint), ("pad", ctypes.c_uint)]


class Sampling(ctypes.Structure):
    _fields_ = [("address", ctypes.c_int * 3), ("filter", ctypes.c_int),
                ("flags", ctypes.c_uint), ("anisotropy", ctypes.c_uint),
                ("mip_filter", ctypes.c_int), ("bias", ctypes.c_float),
                ("least", ctypes.c_float), ("most", ctypes.c_float),
                ("border", ctypes.c_float * 4), ("reserved", ctypes.c_int * 12)]


class Description:
    """The list of the notation, read."""

    def __init__(self, argument):
        words = argument["texture"].split(",")
        self.shape = words.pop(0)
        extents, layers, samples = SHAPES[self.shape]
        self.extents = [int(words.pop(0)) for _ in range(extents)]
        self.is_cube = "cube" in self.shape
        if self.is_cube:
            self.extents *= 2
        self.layers = int(words.pop(0)) if layers else 0
        if samples:
            raise Unsupported("CUDA has no multisampled arrays")
        self.type = "f16" if "f16" in words else argument["type"]
        self.channels = 2 if "x2" in words else 4 if "x4" in words else 1
        self.words = words
        self.values = dict(w.split("=") for w in words if "=" in w)
        self.levels = int(self.values.get("levels", 1))
        self.texel_bytes = FORMATS[self.type][1] * self.channels

    def level_extents(self, level):
        """Width, rows and images of a level."""
        width, height, depth = [max(1, n >> level) for n in
                                (self.extents + [1, 1, 1])[:3]]
        return (width, height,
                depth * max(1, self.layers) * (6 if self.is_cube else 1))

    def array_descriptor(self, is_surface):
        width, height, depth = (self.extents + [0, 0, 0])[:3]
        if self.is_cube:
            depth = 6 * max(1, self.layers)
        elif self.layers:
            depth = self.layers
        flags = (LAYERED if self.layers else 0) | (CUBE if self.is_cube else 0)
        flags |= SURFACE if is_surface else 0
        if self.shape == "2d" and not is_surface:
            flags |= GATHER
        return ArrayDescriptor(width, height, depth, FORMATS[self.type][0],
                               self.channels, flags)

    def modes(self):
        named = [w for w in self.words if w in MODES] or ["clamp"]
        return [MODES.index((named + named[-1:] * 3)[i]) for i in range(3)]

    def flags(self):
        flags = 0 if "fraction" in self.words else AS_INTEGER
        for word, flag in (("normalized", NORMALIZED), ("srgb", SRGB),
                           ("seamless", SEAMLESS)):
            flags |= flag if word in self.words else 0
        return flags

    def border(self):
        return [float(v) for v in
                self.values.get("color", "0;0;0;0").split(";")]


class Texture:
    """A texture or surface over a CUDA array."""

    def __init__(self, gpu, argument, module):
        self.gpu, self.description = gpu, Description(argument)
        self.is_surface = argument["surface"]
        self.make_arrays()
        self.copy(bytes.fromhex(argument["initial"]))
        if argument["variable"]:
            self.handle = None
            self.bind(module, argument["variable"].encode())
        else:
            self.handle = self.make_object()

    def call(self, *arguments):
        self.gpu.call(*arguments)

    def make_arrays(self):
        d = self.description
        descriptor = d.array_descriptor(self.is_surface)
        self.mipmap, self.arrays = None, []
        if d.shape == "buffer":
            raise Unsupported("a buffer is no array")
        if d.levels == 1:
            self.arrays = [ctypes.c_void_p()]
            self.call("cuArray3DCreate_v2", ctypes.byref(self.arrays[0]),
                      ctypes.byref(descriptor))
            return
        self.mipmap = ctypes.c_void_p()
        descriptor.flags &= ~GATHER
        self.call("cuMipmappedArrayCreate", ctypes.byref(self.mipmap),
                  ctypes.byref(descriptor), d.levels)
        for level in range(d.levels):
            self.arrays.append(ctypes.c_void_p())
            self.call("cuMipmappedArrayGetLevel",
                      ctypes.byref(self.arrays[-1]), self.mipmap, level)

    def copy(self, data, read=False):
        """Copies all texels to the arrays, or returns them."""
        d, at, result = self.description, 0, b""
        for level, array in enumerate(self.arrays):
            width, height, depth = d.level_extents(level)
            row = width * d.texel_bytes
            size = row * height * depth
            part = ctypes.create_string_buffer(data[at:at + size], size)
            at += size
            host = Place(kind=HOST, host=ctypes.addressof(part), pitch=row,
                         height=height)
            device = Place(kind=DEVICE_ARRAY, array=array)
            ends = (device, host) if read else (host, device)
            copy = Copy(*ends, row, height, depth)
            self.call("cuMemcpy3D_v2", ctypes.byref(copy))
            result += part.raw
        return result

    def read(self, size):
        return self.copy(bytes(size), read=True)

    def make_object(self):
        d, handle = self.description, ctypes.c_uint64()
        resource = Resource(kind=MIPMAPPED if self.mipmap else ARRAY)
        resource.data[0] = (self.mipmap or self.arrays[0]).value
        if self.is_surface:
            self.call("cuSurfObjectCreate", ctypes.byref(handle),
                      ctypes.byref(resource))
            return handle.value
        sampling = Sampling(
            (ctypes.c_int * 3)(*d.modes()), "linear" in d.words, d.flags(),
            int(d.values.get("aniso", 1)), "miplinear" in d.words,
            float(d.values.get("bias", 0)), float(d.values.get("minlevel", 0)),
            float(d.values.get("maxlevel", 1000)),
            (ctypes.c_float * 4)(*d.border()))
        self.call("cuTexObjectCreate", ctypes.byref(handle),
                  ctypes.byref(resource), ctypes.byref(sampling), None)
        return handle.value

    def bind(self, module, name):
        d, reference = self.description, ctypes.c_void_p()
        if self.is_surface:
            self.call("cuModuleGetSurfRef", ctypes.byref(reference), module,
                      name)
            self.call("cuSurfRefSetArray", reference, self.arrays[0], 0)
            return
        self.call("cuModuleGetTexRef", ctypes.byref(reference), module, name)
        if self.mipmap:
            self.call("cuTexRefSetMipmappedArray", reference, self.mipmap, 1)
        else:
            self.call("cuTexRefSetArray", reference, self.arrays[0], 1)
        for i, mode in enumerate(d.modes()):
            self.call("cuTexRefSetAddressMode", reference, i, mode)
        self.call("cuTexRefSetFilterMode", reference, int("linear" in d.words))
        self.call("cuTexRefSetMipmapFilterMode", reference,
                  int("miplinear" in d.words))
        self.call("cuTexRefSetFlags", reference, d.flags())
        self.call("cuTexRefSetBorderColor", reference,
                  (ctypes.c_float * 4)(*d.border()))

    def free(self):
        if self.mipmap:
            self.call("cuMipmappedArrayDestroy", self.mipmap)
        else:
            self.call("cuArrayDestroy", self.arrays[0])
