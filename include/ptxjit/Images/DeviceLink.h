//===- DeviceLink.h - links device code for a device ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvlink and libnvJitLink have in common. The result is a text that keeps
// its modules as they came (Runtime/LinkedText.h). The compiler links them when
// it reads the text, so it is asked whether that will work.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_IMAGES_DEVICELINK_H
#define PTXJIT_IMAGES_DEVICELINK_H

#include "ptxjit/Images/ImageTexts.h"

#include <string>
#include <string_view>
#include <vector>

namespace ptxjit {

/// Why modules cannot be linked.
struct LinkProblem {
  enum class Kind {
    Undefined, ///< `symbol` is used in `module`, and defined nowhere
    Multiple,  ///< `symbol` is defined in `module` and in `first`
    Other      ///< `text` says it all
  };
  Kind kind = Kind::Other;
  std::string symbol = {}, module = {}, first = {};
  std::string text = {}; ///< as the compiler says it, maybe of several lines
};

class DeviceLink {
public:
  /// \param arch  the name of the device: "sm_90a".
  DeviceLink(Profile device, std::string arch)
      : device(device), arch(std::move(arch)) {}

  /// Adds what a file has, whatever it is. Of object files of the host only
  /// code counts that was compiled separately. Programs, shared libraries and
  /// files of other kinds have nothing to link, and are skipped. So is code for
  /// other devices, with a warning in `diagnostics`.
  /// \param file  has a zero behind its end.
  /// \returns false, with errors in `diagnostics`, if it is damaged, or has
  ///   code for the device that is no PTX.
  bool add(std::string_view file, const std::string &name,
           std::string &diagnostics);

  /// Names for `--register-link-binaries`.
  const std::vector<std::string> &getModules() const { return modules; }

  /// The names of what is linked, in order.
  std::vector<std::string> getNames() const;

  /// Links what was added. \returns the text; empty if there are problems. If
  /// nothing was added, it is a module without functions.
  /// \param mayBeOpen  the result is linked again: names may be undefined.
  std::string link(std::vector<LinkProblem> &problems,
                   bool mayBeOpen = false) const;

private:
  bool addContainers(const std::vector<std::string_view> &containers,
                     const std::string &name, std::string &diagnostics);
  bool addArchive(std::string_view file, const std::string &name,
                  std::string &diagnostics);
  bool hasCode(const std::vector<std::string_view> &containers) const;

  Profile device;
  std::string arch;
  std::vector<NamedText> texts;
  std::vector<std::string> modules;
};

} // namespace ptxjit

#endif
