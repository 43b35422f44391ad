//===- LinkedText.h - the text form of linked modules -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker returns a text, so that a linked image is loaded, cached and shown
// like any module. It holds the PTX of its modules unchanged, each behind a
// line with its size and name, and is linked when it is parsed.
//
//   // ptx-jit linked image, version 1
//   // module 1234 main.ptx
//   .version 9.0 ...
//
// Runtime writes this form and the compiler reads it. They share nothing else
// for linking.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_LINKEDTEXT_H
#define PTXJIT_RUNTIME_LINKEDTEXT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace ptxjit {

/// A module and its name in messages.
struct NamedText {
  std::string name, text;
};

/// One module of a linked image.
struct LinkedPart {
  std::string name;
  std::string_view text; ///< points into the image
  uint32_t lineBefore;   ///< the image's line just before the module's first
};

inline constexpr std::string_view kLinkedImage = "// ptx-jit linked image, ";
inline constexpr std::string_view kLinkedVersion = "version 1\n";
inline constexpr std::string_view kLinkedModule = "// module ";

inline bool isLinkedText(std::string_view text) {
  return text.substr(0, kLinkedImage.size()) == kLinkedImage;
}

/// Makes an image of several modules; of one module, its text, unless
/// `evenOfOne` asks for an image. Equal or empty names are made unique.
inline std::string joinTexts(std::vector<NamedText> modules,
                             bool evenOfOne = false) {
  if (modules.size() == 1 && !evenOfOne)
    return std::move(modules.front().text);
  std::string image(kLinkedImage);
  image += kLinkedVersion;
  std::vector<std::string> names;
  for (const NamedText &module : modules) {
    std::string name = module.name;
    std::replace(name.begin(), name.end(), '\n', ' ');
    if (name.empty() ||
        std::find(names.begin(), names.end(), name) != names.end())
      name += "<module " + std::to_string(names.size() + 1) + ">";
    names.push_back(name);
    image += std::string(kLinkedModule) + std::to_string(module.text.size()) +
             " " + name + "\n" + module.text + "\n";
  }
  return image;
}

/// Finds the modules of an image. False if it is damaged or of another version.
inline bool splitText(std::string_view image, std::vector<LinkedPart> &parts) {
  size_t at = kLinkedImage.size() + kLinkedVersion.size();
  if (!isLinkedText(image) ||
      image.substr(kLinkedImage.size(), kLinkedVersion.size()) !=
          kLinkedVersion)
    return false;
  uint32_t line = 1;
  while (at < image.size()) {
    size_t end = image.find('\n', at);
    if (image.substr(at, kLinkedModule.size()) != kLinkedModule ||
        end == std::string_view::npos)
      return false;
    at += kLinkedModule.size();
    size_t space = std::min(image.find(' ', at), end);
    std::string digits(image.substr(at, space - at));
    size_t bytes = std::strtoull(digits.c_str(), nullptr, 10);
    if (space == end || digits.find_first_not_of("0123456789") != digits.npos ||
        bytes >= image.size() - end - 1 || image[end + 1 + bytes] != '\n')
      return false;
    std::string name(image.substr(space + 1, end - space - 1));
    std::string_view text = image.substr(end + 1, bytes);
    parts.push_back({std::move(name), text, ++line});
    line += uint32_t(std::count(text.begin(), text.end(), '\n')) + 1;
    at = end + 1 + bytes + 1;
  }
  return !parts.empty();
}

} // namespace ptxjit

#endif
