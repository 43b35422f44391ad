//===- TextureRecord.h - what a GPU computed with textures ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record is a line of JSON: PTX statements that a kernel has run for each of
// some rows of input words, the image and the sampler of its texture or
// surface, and what came out. This file runs records on the reference
// interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_REFERENCE_TEXTURERECORD_H
#define PTXJIT_UNITTESTS_REFERENCE_TEXTURERECORD_H

#include "mlir/IR/Diagnostics.h"
#include "ptxjit/Parser/Parser.h"
#include "ptxjit/Reference/Interpreter.h"
#include "ptxjit/Runtime/Texture.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace ptxjit {

/// Four words come out of each row.
using RecordedRow = std::array<uint32_t, 4>;

/// What a record says, or the interpreter.
struct RecordedResult {
  std::vector<RecordedRow> rows;
  /// Contents of a surface after the kernel.
  std::string after;
  /// A diagnostic; of the GPU, its error.
  std::string error;
};

/// An image and its sampler, in the memory of the test.
class RecordedImage {
public:
  RecordedImage(const llvm::json::Object &image,
                const llvm::json::Object &sampler) {
    texture.kind = PTXJIT_OPAQUE_TEXTURE;
    readFormat(image, sampler);
    readShape(image);
    texture.sampler = readSampler(sampler);
  }
  RecordedImage(const RecordedImage &) = delete;

  PtxjitTexture texture{};
  std::vector<std::string> levels; ///< the bytes of each one

private:
  void readFormat(const llvm::json::Object &image,
                  const llvm::json::Object &sampler) {
    texture.type = llvm::StringSwitch<uint8_t>(*image.getString("fmt"))
                       .Case("u8", PTXJIT_TEXEL_U8)
                       .Case("u16", PTXJIT_TEXEL_U16)
                       .Case("u32", PTXJIT_TEXEL_U32)
                       .Case("s8", PTXJIT_TEXEL_S8)
                       .Case("s16", PTXJIT_TEXEL_S16)
                       .Case("s32", PTXJIT_TEXEL_S32)
                       .Case("f16", PTXJIT_TEXEL_F16)
                       .Default(PTXJIT_TEXEL_F32);
    unsigned bits = 0;
    image.getString("fmt")->drop_front().getAsInteger(10, bits);
    texture.channels = uint8_t(*image.getInteger("channels"));
    texelBytes = bits / 8 * texture.channels;
    texture.isFraction = bits < 32 && texture.type != PTXJIT_TEXEL_F16 &&
                         !sampler.getInteger("integer").value_or(0);
    texture.isSRGB = sampler.getInteger("srgb").value_or(0) != 0;
  }

  void readShape(const llvm::json::Object &image) {
    const llvm::json::Array &dims = *image.getArray("dims");
    uint64_t w = *dims[0].getAsUINT64(), h = *dims[1].getAsUINT64(),
             d = *dims[2].getAsUINT64();
    int64_t flags = image.getInteger("flags").value_or(0);
    bool isCube = flags & 4;
    texture.isLayered = flags & 1;
    texture.shape = isCube                    ? PTXJIT_IMAGE_CUBE
                    : d && !texture.isLayered ? PTXJIT_IMAGE_3D
                    : h                       ? PTXJIT_IMAGE_2D
                                              : PTXJIT_IMAGE_1D;
    texture.layers = texture.isLayered ? uint32_t(isCube ? d / 6 : d) : 1;
    texture.samples = uint8_t(image.getInteger("samples").value_or(1));
    for (const llvm::json::Value &level : *image.getArray("levels"))
      levels.push_back(llvm::fromHex(*level.getAsString()));
    if (!w) { // linear memory
      texture.shape = PTXJIT_IMAGE_LINEAR;
      w = levels[0].size() / texelBytes;
    }
    texture.levels = uint8_t(levels.size());
    for (auto [i, bytes] : llvm::enumerate(levels)) {
      PtxjitImageLevel &level = texture.level[i];
      level.width = uint32_t(std::max<uint64_t>(w >> i, 1));
      level.height = uint32_t(std::max<uint64_t>(h >> i, 1));
      bool isVolume = texture.shape == PTXJIT_IMAGE_3D;
      level.depth = isVolume ? uint32_t(std::max<uint64_t>(d >> i, 1)) : 1;
      level.rowBytes =
          image.getInteger("pitch").value_or(int64_t(level.width) * texelBytes);
      level.sliceBytes = level.rowBytes * level.height;
      repeat(bytes, level.sliceBytes *
                        (texture.isLayered || isCube ? d : level.depth));
      level.texels = reinterpret_cast<uint64_t>(bytes.data());
      texture.sampleBytes = uint32_t(bytes.size() / texture.samples);
    }
  }

  static void repeat(std::string &bytes, size_t size) {
    for (size_t period = bytes.size(); bytes.size() < size;)
      bytes += bytes[bytes.size() - period];
  }

  static uint8_t readMode(llvm::StringRef mode) {
    return llvm::StringSwitch<uint8_t>(mode)
        .Case("wrap", PTXJIT_ADDRESS_WRAP)
        .Case("mirror", PTXJIT_ADDRESS_MIRROR)
        .Case("border", PTXJIT_ADDRESS_BORDER)
        .Default(PTXJIT_ADDRESS_CLAMP);
  }

  static PtxjitSampler readSampler(const llvm::json::Object &from) {
    PtxjitSampler sampler{};
    const llvm::json::Array *modes = from.getArray("mode");
    for (unsigned d = 0; d < 3; ++d)
      sampler.addressModes[d] =
          readMode(modes ? *(*modes)[d].getAsString()
                         : from.getString("mode").value_or("clamp"));
    auto number = [&](llvm::StringRef key) {
      return from.getInteger(key).value_or(0);
    };
    sampler.isLinear = uint8_t(number("filter"));
    sampler.isMipLinear = uint8_t(number("mipfilter"));
    sampler.isNormalized = uint8_t(number("norm"));
    sampler.maxAnisotropy = uint8_t(number("aniso"));
    sampler.isSeamless = (number("extra") & 0x40) != 0;
    sampler.isTrilinear = (number("extra") & 0x20) != 0;
    sampler.levelBias = float(from.getNumber("bias").value_or(0));
    sampler.maxLevel = 99;
    if (const llvm::json::Array *lod = from.getArray("lod")) {
      sampler.minLevel = float(*(*lod)[0].getAsNumber());
      sampler.maxLevel = float(*(*lod)[1].getAsNumber());
    }
    if (const llvm::json::Array *border = from.getArray("border"))
      for (unsigned c = 0; c < 4; ++c)
        sampler.border[c] = float(*(*border)[c].getAsNumber());
    return sampler;
  }

  unsigned texelBytes = 0;
};

/// The kernel around the statements of a record: %t is the handle, %x0 to %x15
/// the input words (%f0 to %f15: as floats), %d0 to %d3 what comes out.
inline std::string writeKernel(llvm::StringRef head, llvm::StringRef body) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  text += head;
  text += R"(
.visible .entry k(.param .u64 tex, .param .u64 in, .param .u64 out, .param .u32 n)
{ .reg .b64 %t, %i, %o, %at; .reg .b32 %x<16>, %d<4>, %s, %c, %n;
.reg .f32 %f<16>, %e<4>; .reg .b16 %h<4>; .reg .b64 %l<4>; .reg .pred %p, %q;
ld.param.u64 %t, [tex]; ld.param.u64 %i, [in]; ld.param.u64 %o, [out];
ld.param.u32 %n, [n];
mov.u32 %s, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %s, %c, 128, %s;
setp.ge.u32 %p, %s, %n; @%p ret;
mul.wide.u32 %at, %s, 64; add.u64 %i, %i, %at;
mul.wide.u32 %at, %s, 16; add.u64 %o, %o, %at;
mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;
mov.b16 %h0, 0; mov.b16 %h1, 0; mov.b16 %h2, 0; mov.b16 %h3, 0;
mov.b64 %l0, 0; mov.b64 %l1, 0;
)";
  for (unsigned i = 0; i < 16; ++i)
    text += "ld.global.b32 %x" + std::to_string(i) + ", [%i+" +
            std::to_string(4 * i) + "]; mov.b32 %f" + std::to_string(i) +
            ", %x" + std::to_string(i) + ";\n";
  text += body;
  for (unsigned i = 0; i < 4; ++i)
    text += "st.global.b32 [%o+" + std::to_string(4 * i) + "], %d" +
            std::to_string(i) + ";\n";
  return text + "ret; }\n";
}

/// Reads the words of a text. Those that are missing are 0.
template <size_t Count>
std::array<uint32_t, Count> readWords(llvm::StringRef hex) {
  std::string bytes = llvm::fromHex(hex);
  std::array<uint32_t, Count> words{};
  std::memcpy(words.data(), bytes.data(),
              std::min(bytes.size(), sizeof(words)));
  return words;
}

/// What the record says came out.
inline RecordedResult readResult(const llvm::json::Object &record) {
  RecordedResult result;
  result.error = record.getString("error").value_or("").str();
  for (const llvm::json::Value &row : *record.getArray("rows"))
    result.rows.push_back(readWords<4>(row.getAsString()->split('>').second));
  result.after = llvm::fromHex(record.getString("after").value_or(""));
  return result;
}

/// Reads a file of records, and gives each one its image.
inline llvm::Expected<std::vector<llvm::json::Object>>
readRecords(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::errorCodeToError(file.getError());
  std::vector<llvm::json::Object> records;
  for (llvm::line_iterator line(**file, /*SkipBlanks=*/true, '#');
       !line.is_at_eof(); ++line) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(*line);
    if (!value)
      return value.takeError();
    llvm::json::Object record = *value->getAsObject();
    if (!record.get("image"))
      record["image"] = *records.back().get("image");
    records.push_back(std::move(record));
  }
  return records;
}

/// Runs records on the reference interpreter.
class RecordRunner {
public:
  RecordRunner() { loadParserDialects(context); }

  RecordedResult run(const llvm::json::Object &record) {
    RecordedResult result;
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &d) { result.error += d.str(); });
    std::string text = writeKernel(record.getString("head").value_or(""),
                                   *record.getString("body"));
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "k.ptx"),
                               llvm::SMLoc());
    auto module = parsePtx(sources, &context);
    if (failed(module)) {
      result.error += " (does not parse)";
      return result;
    }
    const llvm::json::Object *sampler = record.getObject("sampler");
    RecordedImage image(*record.getObject("image"),
                        sampler ? *sampler : llvm::json::Object());
    bindVariables(record, image);
    const llvm::json::Array &rows = *record.getArray("rows");
    std::vector<std::array<uint32_t, 16>> in;
    for (const llvm::json::Value &row : rows)
      in.push_back(readWords<16>(row.getAsString()->split('>').first));
    result.rows.resize(rows.size());
    struct {
      uint64_t handle, in, out;
      uint32_t count;
    } params{handleOf(record, image), reinterpret_cast<uint64_t>(in.data()),
             reinterpret_cast<uint64_t>(result.rows.data()),
             uint32_t(rows.size())};
    PtxjitReferenceLaunch launch{};
    launch.grid[0] = uint32_t(rows.size() + 127) / 128;
    launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = 128;
    launch.block[1] = launch.block[2] = 1;
    launch.cluster[0] = launch.cluster[1] = launch.cluster[2] = 1;
    launch.params = reinterpret_cast<const uint8_t *>(&params);
    launch.user = this;
    launch.resolve = [](void *user, const char *symbol) {
      auto *self = static_cast<RecordRunner *>(user);
      llvm::StringRef name(symbol);
      if (name.starts_with("smp"))
        return reinterpret_cast<uint64_t>(&self->samplerref);
      return reinterpret_cast<uint64_t>(
          name.starts_with("tex") ? &self->texref : &self->surfref);
    };
    (void)interpret(**module, "k", launch);
    result.after = image.levels.front();
    return result;
  }

private:
  /// `bound` says which variable refers to the image.
  void bindVariables(const llvm::json::Object &record, RecordedImage &image) {
    texref = {PTXJIT_OPAQUE_TEXREF, 0, {}, 0};
    surfref = {PTXJIT_OPAQUE_SURFREF, 0, {}, 0};
    samplerref = {PTXJIT_OPAQUE_SAMPLERREF, 0, {}, 0};
    samplerref.sampler.isLinear = 1;
    samplerref.sampler.forcesUnnormalized = 1;
    samplerref.sampler.addressModes[0] = PTXJIT_ADDRESS_MIRROR;
    llvm::StringRef bound = record.getString("bound").value_or("");
    auto address = reinterpret_cast<uint64_t>(&image.texture);
    if (bound == "texref")
      texref.bound = address;
    if (bound == "surfref" || record.getString("handle") == "surface")
      image.texture.kind = PTXJIT_OPAQUE_SURFACE;
    if (bound == "surfref")
      surfref.bound = address;
    // Surfaces hold integers, unless the program says otherwise.
    if (image.texture.kind == PTXJIT_OPAQUE_SURFACE)
      image.texture.isFraction = 0;
  }

  /// `handle`: "surface", or a number; without it, the texture.
  static uint64_t handleOf(const llvm::json::Object &record,
                           const RecordedImage &image) {
    if (std::optional<int64_t> number = record.getInteger("handle"))
      return uint64_t(*number);
    return reinterpret_cast<uint64_t>(&image.texture);
  }

  mlir::MLIRContext context;
  PtxjitOpaque texref{}, surfref{}, samplerref{};
};

} // namespace ptxjit

#endif
