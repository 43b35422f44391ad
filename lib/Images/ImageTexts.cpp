//===- ImageTexts.cpp - the PTX in what programs load and link ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/ImageTexts.h"
#include "ptxjit/Runtime/MemoryMap.h"

#include <algorithm>

using namespace ptxjit;

ImageStatus ptxjit::splitImage(const char *text, const std::string &name,
                               std::vector<NamedText> &texts,
                               std::string &diagnostics) {
  if (!isLinkedText(text)) {
    texts.push_back({name, text});
    return ImageStatus::Good;
  }
  std::vector<LinkedPart> parts;
  if (!splitText(text, parts)) {
    diagnostics += "error: " + name +
                   ": the linked image is damaged, or of another version of "
                   "ptx-jit\n";
    return ImageStatus::Damaged;
  }
  for (const LinkedPart &part : parts)
    texts.push_back({part.name, std::string(part.text)});
  return ImageStatus::Good;
}

/// Is a text CUDA's own runtime for kernels that launch kernels? nvcc links it
/// into programs of separately compiled code. It reaches the GPU's firmware;
/// our runtime supplies its functions (SystemFunctions.def).
static bool isDeviceRuntime(const std::string &text) {
  return text.find(" __CNPRT_VERSION_NUMBER__ ") != std::string::npos;
}

/// Does a container have only that, for other devices than this one?
static bool holdsDeviceRuntime(std::string_view container, Profile device) {
  bool holds = false, isUsed = false;
  visitEntries(container, [&](const ImageEntry &entry) {
    std::string text;
    isUsed |= isUsable(entry, device);
    if (!isUsed && !holds && entry.kind == ImageEntry::Kind::Ptx)
      holds = unpack(entry, text) && isDeviceRuntime(text);
  });
  return holds && !isUsed;
}

/// Says where an image comes from. `name` is that of a file, or kUnnamedImage.
static std::string describeOrigin(const void *image, const std::string &name) {
  std::string file = name == kUnnamedImage ? findMapping(image).file : name;
  if (file.empty())
    return "  it is in the memory of " + getProgramPath() + "\n";
  return "  it is in " + file + " ('ptx-jit list' shows what else is there)\n";
}

/// Describes machine code without a container, as far as it can be read.
static void refuseCode(const void *image, std::string &diagnostics,
                       Profile device) {
  size_t bytes = findMapping(image).bytesBehind;
  refuseMachineCode({static_cast<const char *>(image), bytes}, diagnostics,
                    device);
}

/// Reads the modules of containers. \param image  null: of a file.
static ImageStatus readAll(std::vector<std::string_view> containers,
                           const void *image, const std::string &name,
                           std::vector<NamedText> &texts,
                           std::string &diagnostics, Profile device) {
  size_t all = containers.size();
  containers.erase(std::remove_if(containers.begin(), containers.end(),
                                  [&](std::string_view container) {
                                    return holdsDeviceRuntime(container,
                                                              device);
                                  }),
                   containers.end());
  if (all && containers.empty())
    return ImageStatus::Good; // it adds nothing to ours
  std::string problems;
  std::vector<std::string> found = readContainers(containers, problems, device);
  if (!problems.empty())
    diagnostics += problems + (image ? describeOrigin(image, name)
                                     : "  it is in " + name + "\n");
  for (const std::string &text : found) {
    if (isDeviceRuntime(text))
      continue;
    ImageStatus status = splitImage(text.c_str(), name, texts, diagnostics);
    if (status != ImageStatus::Good)
      return status;
  }
  return found.empty() ? ImageStatus::NoText : ImageStatus::Good;
}

ImageStatus ptxjit::extractTexts(const void *image, const std::string &name,
                                 std::vector<NamedText> &texts,
                                 std::string &diagnostics, Profile device) {
  switch (kindOfImage(image)) {
  case ImageKind::Text:
    return splitImage(static_cast<const char *>(image), name, texts,
                      diagnostics);
  case ImageKind::MachineCode:
    refuseCode(image, diagnostics, device);
    diagnostics += describeOrigin(image, name);
    return ImageStatus::NoText;
  case ImageKind::FatBinary:
  case ImageKind::Wrapper:
    break;
  }
  return readAll(findContainers(image), image, name, texts, diagnostics,
                 device);
}

ImageStatus ptxjit::extractFromContainers(
    std::vector<std::string_view> containers, const std::string &name,
    std::vector<NamedText> &texts, std::string &diagnostics, Profile device) {
  return readAll(std::move(containers), nullptr, name, texts, diagnostics,
                 device);
}

ImageStatus ptxjit::extractFromFile(std::string_view file,
                                    const std::string &name,
                                    std::vector<NamedText> &texts,
                                    std::string &diagnostics, Profile device) {
  std::vector<std::string_view> containers;
  visitContainers(file, [&](std::string_view found) {
    containers.push_back(found);
    return visitEntries(found, [](const ImageEntry &) {});
  });
  return extractFromContainers(std::move(containers), name, texts, diagnostics,
                               device);
}
