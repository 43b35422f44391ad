//===- Records.cpp - modules and kernels as bytes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Cache/Records.h"
#include "Archive.h"

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static void describe(Archive &a, PtxjitVariable &v) {
  a.text(v.name);
  a.number(v.bytes);
  a.number(v.align);
  a.blob(v.init, v.initBytes);
  a.list(v.relocs, v.numRelocs, [&](PtxjitReloc &r) {
    a.number(r.offset);
    a.number(r.bytes);
    a.number(r.shift);
    a.text(r.symbol);
    a.number(r.addend);
  });
  a.number(v.isConstant);
  a.number(v.isManaged);
}

static void describe(Archive &a, PtxjitKernelInfo &k) {
  a.text(k.name);
  a.list(k.params, k.numParams, [&](PtxjitParam &p) {
    a.text(p.name);
    a.text(p.type);
    a.number(p.elementBytes);
    a.number(p.align);
    a.number(p.offset);
    a.number(p.count);
  });
  a.number(k.paramBytes);
  for (unsigned d = 0; d < 3; ++d) {
    a.number(k.maxntid[d]);
    a.number(k.reqntid[d]);
    a.number(k.cluster[d]);
  }
  a.number(k.maxClusterRank);
  a.number(k.explicitCluster);
  a.number(k.blocksAreClusters);
  a.number(k.sharedBytes);
  a.number(k.localBytes);
}

void ptxjit::describe(Archive &a, PtxjitModuleInfo &m) {
  a.text(m.version);
  a.text(m.target);
  a.list(m.kernels, m.numKernels,
         [&](PtxjitKernelInfo &kernel) { describe(a, kernel); });
  a.list(m.variables, m.numVariables,
         [&](PtxjitVariable &variable) { describe(a, variable); });
  a.list(m.functions, m.numFunctions, [&](const char *&name) { a.text(name); });
  a.number(m.addressBits);
}

void ptxjit::describe(Archive &a, PtxjitImage &i) {
  a.text(i.kernel);
  a.text(i.symbol);
  a.blob(i.object, i.objectBytes);
  a.list(i.lines, i.numLines, [&](PtxjitLine &line) {
    a.number(line.offset);
    a.number(line.line);
    a.number(line.column);
  });
  a.number(i.sharedEnd);
  a.number(i.localBytes);
  a.number(i.stackBytes);
  a.number(i.frameBytes);
  a.number(i.chunk);
  a.number(i.mode);
  a.number(i.instructions);
  a.number(i.operations);
  a.number(i.isFirstTier);
  a.number(i.strandThreads);
  a.number(i.hasLoops);
  a.number(i.waits);
  a.number(i.readsMultiprocessor);
  a.number(i.sweeps);
  a.list(i.arrays, i.numArrays, [&](PtxjitParamArray &array) {
    a.number(array.param);
    a.number(array.bytesPerThread);
  });
  a.text(i.reason);
  a.list(i.globals, i.numGlobals,
         [&](PtxjitVariable &variable) { describe(a, variable); });
}

//===----------------------------------------------------------------------===//
// Whole records
//===----------------------------------------------------------------------===//

template <typename T> static std::string encodeRecord(const T &value) {
  Archive archive;
  T copy = value;
  describe(archive, copy);
  return archive.take();
}

template <typename T>
static bool decodeRecord(std::string bytes, T &value, RecordStorage &storage) {
  Archive archive(std::move(bytes), storage);
  describe(archive, value);
  return archive.isWhole();
}

std::string ptxjit::encode(const PtxjitModuleInfo &module) {
  return encodeRecord(module);
}

std::string ptxjit::encode(const PtxjitImage &image) {
  return encodeRecord(image);
}

bool ptxjit::decode(std::string bytes, PtxjitModuleInfo &module,
                    RecordStorage &storage) {
  return decodeRecord(std::move(bytes), module, storage);
}

bool ptxjit::decode(std::string bytes, PtxjitImage &image,
                    RecordStorage &storage) {
  return decodeRecord(std::move(bytes), image, storage);
}
