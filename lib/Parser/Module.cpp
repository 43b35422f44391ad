//===- Module.cpp - tokens, diagnostics and module level ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Dialect/Targets.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

void ptxjit::loadParserDialects(MLIRContext &context) {
  context.loadDialect<PtxDialect, arith::ArithDialect, cf::ControlFlowDialect,
                      scf::SCFDialect>();
}

FailureOr<OwningOpRef<ModuleOp>> ptxjit::parsePtx(llvm::SourceMgr &sources,
                                                  MLIRContext *context,
                                                  const ParseOptions &options) {
  loadParserDialects(*context);
  return ParserImpl(sources, context, options).parse();
}

ParserImpl::ParserImpl(llvm::SourceMgr &sources, MLIRContext *context,
                       const ParseOptions &options)
    : sources(sources), context(context), options(options),
      buffer(options.buffer ? options.buffer : sources.getMainFileID()),
      bufferName(mlir::StringAttr::get(
          context, sources.getMemoryBuffer(buffer)->getBufferIdentifier())),
      lexer(sources.getMemoryBuffer(buffer)->getBuffer()),
      lines(sources.getMemoryBuffer(buffer)->getBuffer()), builder(context) {
  advance();
}

//===----------------------------------------------------------------------===//
// Tokens and diagnostics
//===----------------------------------------------------------------------===//

Location ParserImpl::toLocation(SMLoc loc) { return locate(loc, lastLocated); }

Location ParserImpl::toDeclaration(SMLoc loc) {
  return locate(loc, lastDeclared);
}

Location ParserImpl::locate(SMLoc loc, KnownLocation &known) {
  if (loc != known.first) {
    const char *place = loc.getPointer();
    known = {loc, FileLineColLoc::get(bufferName, lines.getLine(place),
                                      lines.getColumn(place))};
  }
  return *known.second;
}

InFlightDiagnostic ParserImpl::error(SMLoc loc) {
  ++numErrors;
  return emitError(toLocation(loc));
}

std::string ParserImpl::describeToken() {
  switch (tok.kind) {
  case TokenKind::Eof:
    return "the end of the file";
  case TokenKind::DotWord:
    return ("'." + tok.spelling + "'").str();
  case TokenKind::String:
    return "a string";
  case TokenKind::Error:
    if (tok.spelling.empty())
      return "a comment that is never closed";
    if (tok.spelling.front() == '"')
      return "a string that its line does not close";
    if (llvm::isDigit(tok.spelling.front()))
      return ("the malformed number '" + tok.spelling + "'").str();
    return ("'" + tok.spelling + "'").str();
  default:
    return ("'" + tok.spelling + "'").str();
  }
}

bool ParserImpl::consumePunct(StringRef text) {
  if (!tok.isPunct(text))
    return false;
  advance();
  return true;
}
bool ParserImpl::consumeWord(StringRef text) {
  if (!tok.isWord(text))
    return false;
  advance();
  return true;
}

LogicalResult ParserImpl::expectPunct(StringRef text, StringRef where) {
  if (consumePunct(text))
    return success();
  return errorHere() << "expected '" << text << "' " << where << ", found "
                     << describeToken();
}

FailureOr<StringRef> ParserImpl::expectIdentifier(StringRef what) {
  if (!tok.is(TokenKind::Identifier))
    return errorHere() << "expected " << what << ", found " << describeToken();
  StringRef name = tok.spelling;
  advance();
  return name;
}

void ParserImpl::recover() {
  while (!tok.is(TokenKind::Eof) && !tok.isPunct("}")) {
    if (consumePunct(";"))
      return;
    if (tok.isPunct("{")) {
      lexer.skipBraces();
      advance();
      continue;
    }
    advance();
  }
}

//===----------------------------------------------------------------------===//
// Module level
//===----------------------------------------------------------------------===//

FailureOr<OwningOpRef<ModuleOp>> ParserImpl::parse() {
  module = ModuleOp::create(toLocation(tok.getLoc()));
  builder.setInsertionPointToEnd(module->getBody());
  scopes.emplace_back();
  if (failed(parseHeader()))
    return failure();
  while (!tok.is(TokenKind::Eof) && !tooManyErrors()) {
    if (succeeded(parseModuleItem()))
      continue;
    recover();
    // Always make progress: skip an unmatched brace, and a `;` behind it.
    if (consumePunct("}"))
      consumePunct(";");
  }
  parseCalled();
  if (tooManyErrors())
    errorHere() << "too many errors, giving up";
  if (numErrors)
    return failure();
  module.get()->setAttr(kAddressSizeAttr, builder.getI64IntegerAttr(
                                              addressSize ? addressSize : 64));
  return std::move(module);
}

/// `.version` must come first, then `.target`; `.address_size` is optional.
LogicalResult ParserImpl::parseHeader() {
  if (!consumeWord("version"))
    return errorHere() << "a PTX module must begin with '.version', found "
                       << describeToken();
  if (failed(parseVersion()))
    return failure();
  if (!tok.isWord("target"))
    return errorHere() << "expected '.target' after '.version', found "
                       << describeToken();
  if (failed(parseTarget()))
    return failure();
  if (!consumeWord("address_size")) {
    addressSize = options.bodies ? options.addressSize : 64;
    return success();
  }
  SMLoc loc = tok.getLoc();
  FailureOr<int64_t> size = parseConstInt("'.address_size'");
  if (failed(size))
    return failure();
  if (*size != 32 && *size != 64)
    return error(loc) << "an address size is 32 or 64, not " << *size;
  addressSize = unsigned(*size);
  return success();
}

LogicalResult ParserImpl::parseVersion() {
  SMLoc loc = tok.getLoc();
  StringRef version = tok.spelling;
  if (!tok.is(TokenKind::Float))
    return errorHere() << "expected a version such as 8.0, found "
                       << describeToken();
  advance();
  auto parsed = parseAvailability(version, "sm_10");
  std::optional<unsigned> lastMinor =
      parsed ? getLastMinor(parsed->major) : std::nullopt;
  // These are NVIDIA's words: compilers ask ptxas so for its version.
  if (!lastMinor)
    return error(loc) << "Unsupported .version " << version
                      << "; current version is '" << getNewestVersion() << "'";
  if (parsed->minor > *lastMinor)
    return error(loc) << "there is no PTX ISA version " << version
                      << "; the last one of PTX " << parsed->major << " is "
                      << parsed->major << "." << *lastMinor;
  module.get()->setAttr(kVersionAttr, builder.getStringAttr(version));
  return success();
}

/// .target name {, option or name}. A later `.target` applies to the text after
/// it; the module's target is the newest of all.
LogicalResult ParserImpl::parseTarget() {
  advance();
  if (failed(parseTargetName()))
    return failure();
  while (consumePunct(",")) {
    static constexpr llvm::StringLiteral known[] = {
        "texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"};
    SMLoc loc = tok.getLoc();
    if (tok.spelling.starts_with("sm_") ||
        tok.spelling.starts_with("compute_")) {
      if (failed(parseTargetName()))
        return failure();
      continue;
    }
    FailureOr<StringRef> option = expectIdentifier("a target option");
    if (failed(option))
      return failure();
    if (!llvm::is_contained(known, *option))
      return error(loc) << "unknown target option '" << *option
                        << "', expected texmode_unified, texmode_independent, "
                           "debug or map_f64_to_f32";
    if (*option == "map_f64_to_f32") {
      if (availability.sm >= 13)
        return error(loc) << "target option 'map_f64_to_f32' is for targets "
                             "below sm_13, which have no .f64";
      module.get()->setAttr(kMapF64Attr, builder.getUnitAttr());
    }
  }
  return success();
}

LogicalResult ParserImpl::parseTargetName() {
  SMLoc loc = tok.getLoc();
  FailureOr<StringRef> name = expectIdentifier("a target such as sm_80");
  if (failed(name))
    return failure();
  Operation *op = *module;
  auto version = op->getAttrOfType<StringAttr>(kVersionAttr);
  const SinceSpec *target = findTarget(*name);
  if (!target) {
    InFlightDiagnostic diag = error(loc);
    diag << "unknown target '" << *name
         << "', expected sm_NN, sm_NNa or sm_NNf";
    Diagnostic &note = diag.attachNote();
    note << "PTX " << getNewestVersion() << " has ";
    llvm::interleaveComma(getTargets(), note, [&](const SinceSpec &known) {
      note << known.target;
    });
    return diag;
  }
  auto parsed = parseAvailability(version.getValue(), *name);
  if (!parsed->satisfies(SinceSpec{target->ptxVersion, "sm_10+"}))
    return error(loc) << "target '" << *name << "' came with PTX "
                      << target->ptxVersion << ", the module is PTX "
                      << version.getValue();
  availability = *parsed;
  // If the text names several targets, the module's target is the newest.
  if (parsed->sm > newestTarget) {
    newestTarget = parsed->sm;
    op->setAttr(kTargetAttr, builder.getStringAttr(*name));
  }
  return success();
}

/// May an address have 32 bits? If the text does not give the address size, the
/// first 32-bit address makes it 32.
bool ParserImpl::takesNarrowAddress() {
  if (!addressSize)
    addressSize = 32;
  return addressSize == 32;
}

LogicalResult ParserImpl::parseModuleItem() {
  if (tok.isWord("target"))
    return parseTarget();
  if (tok.isWord("file"))
    return parseFile();
  if (tok.isWord("section"))
    return parseSection();
  if (tok.isWord("pragma"))
    return parsePragma();
  if (tok.isWord("alias"))
    return parseAlias();
  if (tok.isPunct("@")) {
    // The `@@DWARF` lines of PTX 1.x are debug data, one statement a line.
    SMLoc loc = tok.getLoc();
    advance();
    if (!consumePunct("@") || tok.spelling != "DWARF")
      return error(loc) << "expected '@@DWARF' or a declaration";
    lexer.rewind(tok.begin);
    lexer.skipLine();
    advance();
    return success();
  }
  if (tok.is(TokenKind::Integer) && tok.spelling == "0") // stray NUL padding
    return errorHere() << "expected a declaration, found " << describeToken();
  return parseLinked();
}

/// .file N "name" {, timestamp, size}
LogicalResult ParserImpl::parseFile() {
  advance();
  FailureOr<int64_t> index = parseConstInt("the index of '.file'");
  if (failed(index))
    return failure();
  if (!tok.is(TokenKind::String))
    return errorHere() << "expected a file name in quotes, found "
                       << describeToken();
  files.insert(unsigned(*index));
  advance();
  while (consumePunct(","))
    if (failed(parseConstInt("the time or size of '.file'")))
      return failure();
  return success();
}

/// .section .name { data } holds DWARF. Its syntax is checked; the data are not
/// used yet.
LogicalResult ParserImpl::parseSection() {
  advance();
  if (!tok.is(TokenKind::DotWord) && !tok.is(TokenKind::Identifier))
    return errorHere() << "expected the name of a section, found "
                       << describeToken();
  advance();
  if (tok.isPunct(",")) // .section .debug_x, "", @progbits
    while (!tok.isPunct("{") && !tok.is(TokenKind::Eof))
      advance();
  if (failed(expectPunct("{", "at the start of a section")))
    return failure();
  while (!tok.isPunct("}")) {
    bool data = tok.is(TokenKind::DotWord) || tok.is(TokenKind::Identifier) ||
                tok.is(TokenKind::Integer) || tok.isPunct(",") ||
                tok.isPunct(":") || tok.isPunct("-") || tok.isPunct("+");
    if (!data)
      return errorHere() << "expected data in a section, found "
                         << describeToken();
    advance();
  }
  advance();
  return success();
}

/// .alias name, aliasee;
LogicalResult ParserImpl::parseAlias() {
  SMLoc loc = tok.getLoc();
  advance();
  FailureOr<StringRef> alias = expectIdentifier("the name of an alias");
  if (failed(alias) || failed(expectPunct(",", "in '.alias'")))
    return failure();
  FailureOr<StringRef> aliasee = expectIdentifier("the aliased function");
  if (failed(aliasee) || failed(expectPunct(";", "after '.alias'")))
    return failure();
  for (StringRef name : {*alias, *aliasee}) {
    Symbol *symbol = lookup(name);
    if (!symbol || symbol->kind != Symbol::Function)
      return error(loc) << "'" << name << "' is not a declared function";
  }
  const Symbol &target = *lookup(*aliasee);
  if (auto func = module->lookupSymbol<FuncOp>(*alias))
    func->setAttr(kAliasAttr, FlatSymbolRefAttr::get(context, target.irName));
  lookup(*alias)->irName = target.irName;
  lookup(*alias)->op = target.op;
  return success();
}

/// All pragmas are ignored, as the ISA requires for unknown ones. ISA:
/// "pragma-directives".
LogicalResult ParserImpl::parsePragma() {
  advance();
  do {
    if (!tok.is(TokenKind::String))
      return errorHere() << "expected a string after '.pragma', found "
                         << describeToken();
    advance();
  } while (consumePunct(","));
  return expectPunct(";", "after '.pragma'");
}
