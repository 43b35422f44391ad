//===- JoinTexts.cpp - several PTX texts as one module --------------------===//
//
// A module has one header. Those of the other texts are overwritten with
// blanks, so that lines and columns stay what they are.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/JoinTexts.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <utility>

using namespace ptxjit;

namespace {

/// The directives of a header, as the texts have them.
struct Header {
  std::string version, target, addressSize;
};

/// Goes through the beginning of a text, where its header is.
class HeaderReader {
public:
  explicit HeaderReader(std::string &text) : text(text) {}

  /// Takes the header out of the text.
  Header take() {
    Header header;
    // Old compilers write lines of debug data in front; a body ends the search.
    while (skipBlanks() && text[at] != '{') {
      std::string *part = isAt(".version")        ? &header.version
                          : isAt(".target")       ? &header.target
                          : isAt(".address_size") ? &header.addressSize
                                                  : nullptr;
      if (!part)
        skipWord();
      else if (part->empty())
        *part = takeDirective();
      else
        break;
      if (part == &header.addressSize)
        break; // the last of a header
    }
    return header;
  }

private:
  /// \returns false at the end of the text.
  bool skipBlanks() {
    while (at < text.size()) {
      size_t end = std::string::npos;
      if (std::isspace(static_cast<unsigned char>(text[at])))
        end = at + 1;
      else if (text.compare(at, 2, "//") == 0)
        end = text.find('\n', at);
      else if (text.compare(at, 2, "/*") == 0)
        end = text.find("*/", at + 2);
      else
        return true;
      at = std::min(end, text.size());
      if (text.compare(at, 2, "*/") == 0)
        at += 2;
    }
    return false;
  }
  bool isAt(const char *word) const {
    size_t n = std::strlen(word);
    return text.compare(at, n, word) == 0 &&
           (at + n == text.size() || std::isspace(uint8_t(text[at + n])) ||
            text[at + n] == '/');
  }
  void skipWord() {
    if (text[at] == '"') {
      at = std::min(text.find('"', at + 1), text.size() - 1) + 1;
      return;
    }
    size_t end = text.find_first_of(" \t\r\n{\"/", at + 1);
    at = std::min(end, text.size());
  }
  /// A directive's word and its arguments: one, or several with commas.
  std::string takeDirective() {
    size_t begin = at;
    skipWord();
    std::string directive = text.substr(begin, at - begin);
    size_t end = at;
    for (bool more = true; more && skipBlanks();) {
      size_t first = at;
      at = std::min(text.find_first_of(" \t\r\n/,", at + 1), text.size());
      directive += " " + text.substr(first, at - first);
      end = at;
      more = skipBlanks() && text[at] == ',';
      if (more) {
        directive += ",";
        end = ++at;
      }
    }
    at = end;
    for (size_t i = begin; i < end; ++i)
      if (text[i] != '\n')
        text[i] = ' ';
    return directive;
  }

  std::string &text;
  size_t at = 0;
};

/// The numbers of ".version 8.7", ".target sm_100a" or ".address_size 64".
std::pair<long, long> numbersOf(const std::string &directive) {
  size_t first = directive.find_first_of("0123456789");
  if (first == std::string::npos)
    return {0, 0};
  char *end;
  long major = std::strtol(directive.c_str() + first, &end, 10);
  long minor = *end == '.' ? std::strtol(end + 1, nullptr, 10)
                           : (*end == 'a' || *end == 'f');
  return {major, minor};
}

void keepNewer(std::string &best, std::string directive) {
  if (best.empty() || numbersOf(directive) > numbersOf(best))
    best = std::move(directive);
}

} // namespace

std::string ptxjit::joinTexts(const std::vector<std::string> &texts,
                              std::vector<unsigned> *firstLines) {
  if (firstLines)
    firstLines->assign(texts.size(), 1);
  if (texts.size() == 1)
    return texts.front();
  Header header;
  std::string bodies;
  unsigned line = 2; // the header is one
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string text = texts[i];
    Header own = HeaderReader(text).take();
    keepNewer(header.version, std::move(own.version));
    keepNewer(header.target, std::move(own.target));
    keepNewer(header.addressSize, std::move(own.addressSize));
    if (firstLines)
      (*firstLines)[i] = line;
    bodies += text + "\n";
    line += unsigned(std::count(text.begin(), text.end(), '\n')) + 1;
  }
  return header.version + " " + header.target + " " + header.addressSize +
         "\n" + bodies;
}
