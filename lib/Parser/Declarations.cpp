//===- Declarations.cpp - variables, registers, functions -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The limit of the size of a variable, far from overflow.
static constexpr int64_t kMaxBytes = int64_t(1) << 40;

Symbol *ParserImpl::lookup(StringRef name) {
  for (auto it = scopes.rbegin(); it != scopes.rend() - 1; ++it)
    if (Symbol *symbol = it->lookup(name))
      return symbol;
  Symbol *symbol = scopes.front().lookup(name);
  if (symbol && visibleTo && symbol->loc.getPointer() > visibleTo)
    return nullptr;
  if (symbol && symbol->kind == Symbol::Function && scopes.size() > 1)
    called.push_back(symbol->irName);
  return symbol;
}

Symbol *ParserImpl::declare(StringRef name, Symbol symbol, SMLoc loc) {
  symbol.loc = loc;
  if (Symbol *fresh = scopes.back().declare(name, std::move(symbol)))
    return fresh;
  InFlightDiagnostic diag = error(loc);
  diag << "'" << name << "' is declared twice in this scope";
  if (Symbol *old = scopes.back().lookup(name); old && old->loc.isValid())
    diag.attachNote(toLocation(old->loc)) << "first declared here";
  return nullptr;
}

std::optional<Space> ParserImpl::declSpace(const Token &tok) {
  if (!tok.is(TokenKind::DotWord))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Space>>(tok.spelling)
      .Case("reg", Space::Reg)
      .Case("global", Space::Global)
      .Case("tex", Space::Global) // PTX 1.x: `.tex .u32 t` declares a .texref
      .Case("const", Space::Const)
      .Case("shared", Space::Shared)
      .Case("local", Space::Local)
      .Case("param", Space::Param)
      .Default(std::nullopt);
}

/// {.extern|.visible|.weak|.common}, followed by a function or variables.
LogicalResult ParserImpl::parseLinked() {
  std::string linkage;
  for (StringRef word : {"extern", "visible", "weak", "common"})
    if (linkage.empty() && tok.isWord(word)) {
      linkage = word.str();
      advance();
    }
  if (tok.isWord("entry") || tok.isWord("func")) {
    bool entry = tok.spelling == "entry";
    advance();
    return parseFunction(entry, linkage);
  }
  if (declSpace(tok))
    return parseVariables(linkage);
  if (tok.isWord("surf") || tok.isWord("sampler"))
    return errorHere() << describeToken()
                       << " is not supported yet; see section "
                          "\"texture-sampler-and-surface-types\"";
  return errorHere() << "expected a function, a variable or a directive, found "
                     << describeToken();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LogicalResult ParserImpl::skipConstantBank() {
  if (!tok.isPunct("["))
    return success();
  SMLoc loc = tok.getLoc();
  if (!availability.satisfies(SinceSpec{"1.0-2.1", "sm_10+"}))
    return error(loc) << "constant banks ended with PTX 2.1; see section "
                         "\"constant-state-space\"";
  advance();
  FailureOr<int64_t> bank = parseConstInt("the number of a constant bank");
  if (failed(bank))
    return failure();
  if (*bank < 0 || *bank > 10)
    return error(loc) << "constant banks are 0 to 10, not " << *bank;
  return expectPunct("]", "after the number of a constant bank");
}

LogicalResult ParserImpl::parseAttributeSuffix() {
  if (!consumeWord("attribute"))
    return success();
  if (failed(expectPunct("(", "after '.attribute'")))
    return failure();
  do {
    if (tok.isWord("unified"))
      return errorHere() << "attribute '.unified' is not supported yet; see "
                            "section \"variable-and-function-attribute-"
                            "directive-attribute\"";
    if (!consumeWord("managed"))
      return errorHere() << "expected '.managed', found " << describeToken();
  } while (consumePunct(","));
  return expectPunct(")", "after '.attribute'");
}

/// {.attribute(..)} {.align N} {.v2|.v4} .type, in any order with the type
/// last.
LogicalResult ParserImpl::parseTypeSpec(VariableSpec &spec) {
  while (true) {
    if (tok.isWord("attribute")) {
      if (failed(parseAttributeSuffix()))
        return failure();
      spec.isManaged = true; // there is no other attribute
      continue;
    }
    if (consumeWord("align")) {
      SMLoc loc = tok.getLoc();
      FailureOr<int64_t> align = parseConstInt("an alignment");
      if (failed(align))
        return failure();
      if (*align <= 0 || *align > 65536 || !llvm::isPowerOf2_64(*align))
        return error(loc) << "alignment " << *align
                          << " is not a power of two up to 65536";
      spec.align = *align;
      continue;
    }
    if (tok.isWord("v2") || tok.isWord("v4")) {
      spec.vectorSize = tok.spelling == "v2" ? 2 : 4;
      advance();
      continue;
    }
    break;
  }
  spec.opaque = tok.is(TokenKind::DotWord) ? symbolizeOpaqueType(tok.spelling)
                                           : std::nullopt;
  if (spec.opaque) { // parameters are handles
    if (spec.space != Space::Global && spec.space != Space::Param)
      return errorHere() << "a ." << tok.spelling
                         << " variable must be in .global or .param space";
    spec.type = ScalarType::B64;
    advance();
    return success();
  }
  auto type = tok.is(TokenKind::DotWord) ? symbolizeScalarType(tok.spelling)
                                         : std::nullopt;
  if (!type)
    return errorHere() << "expected a type such as .b32, found "
                       << describeToken();
  if (*type >= ScalarType::BF16) // only instructions have these types
    return errorHere() << "type '." << tok.spelling
                       << "' may only be used as an instruction type";
  spec.type = *type;
  SMLoc loc = tok.getLoc();
  advance();
  if (spec.type == ScalarType::Pred && spec.space != Space::Reg)
    return error(loc) << "a predicate must be in register space";
  if (spec.type == ScalarType::Pred && spec.vectorSize > 1)
    return error(loc) << "a vector may not have predicates as elements";
  if (spec.space == Space::Param && spec.vectorSize > 1)
    return error(loc) << "a parameter may not have a vector type";
  if (getBitWidth(spec.type) * spec.vectorSize > 128)
    return error(loc) << "vector type is too large, 128 bits are the limit";
  return success();
}

LogicalResult ParserImpl::parseVariables(std::string linkage) {
  VariableSpec spec;
  SMLoc spaceLoc = tok.getLoc();
  spec.space = *declSpace(tok);
  spec.linkage = std::move(linkage);
  bool isTexture = tok.isWord("tex");
  advance();
  bool moduleScope = scopes.size() == 1;
  if (spec.space == Space::Const && failed(skipConstantBank()))
    return failure();
  if (failed(parseTypeSpec(spec)))
    return failure();
  if (isTexture) // whatever type stands there. ISA: "texture state space"
    spec.opaque = ptx::OpaqueType::Texref;
  if (moduleScope && (spec.space == Space::Reg || spec.space == Space::Local ||
                      spec.space == Space::Param))
    return error(spaceLoc) << "'." << stringifySpace(spec.space)
                           << "' variables are not supported at module scope";
  if (spec.linkage == "common" && spec.space != Space::Global)
    return error(spaceLoc) << "'.common' variables must be in .global space";
  do {
    if (failed(spec.space == Space::Reg ? parseRegisters(spec)
                                        : parseVariable(spec)))
      return failure();
  } while (consumePunct(","));
  return expectPunct(";", "after a declaration");
}

/// The `<N>` of a parameterised name.
FailureOr<int64_t> ParserImpl::parseNameCount(StringRef what, int64_t most) {
  advance();
  SMLoc loc = tok.getLoc();
  // N may not be an expression, which would take the closing `>` for an
  // operator.
  FailureOr<ConstValue> count = parseConstPrimary();
  if (failed(count) ||
      failed(expectPunct(">", ("after the number of " + what).str())))
    return failure();
  if (count->kind != ConstValue::Int || int64_t(count->bits) <= 0 ||
      count->bits > uint64_t(most))
    return error(loc) << "the number of " << what
                      << " must be an integer from 1 to " << most;
  return int64_t(count->bits);
}

/// name or name<N>
LogicalResult ParserImpl::parseRegisters(const VariableSpec &spec) {
  SMLoc loc = tok.getLoc();
  FailureOr<StringRef> name = expectIdentifier("the name of a register");
  if (failed(name))
    return failure();
  if (tok.isPunct("="))
    return errorHere() << "a register may not have an initial value";
  if (tok.isPunct("["))
    return errorHere() << "arrays of registers are not allowed";
  if (!tok.isPunct("<")) {
    Symbol symbol{Symbol::Register, loc, spec.type};
    symbol.vectorSize = spec.vectorSize;
    return success(declare(*name, symbol, loc));
  }
  FailureOr<int64_t> count = parseNameCount("registers", 1 << 24);
  if (failed(count))
    return failure();
  Scope::Range range{unsigned(*count), spec.type, spec.vectorSize, loc};
  if (!scopes.back().declareRange(*name, range))
    return error(loc) << "'" << *name
                      << "<...>' is declared twice in this scope";
  return success();
}

/// {[N]}. Only the first extent may be omitted; it is -1 then.
LogicalResult
ParserImpl::parseDimensions(llvm::SmallVectorImpl<int64_t> &dims) {
  int64_t total = 1;
  while (consumePunct("[")) {
    SMLoc loc = tok.getLoc();
    if (consumePunct("]")) {
      if (!dims.empty())
        return error(loc)
               << "only the first extent of an array may be left out";
      dims.push_back(-1);
      continue;
    }
    FailureOr<int64_t> extent = parseConstInt("an array extent");
    if (failed(extent) || failed(expectPunct("]", "after an array extent")))
      return failure();
    if (*extent < 0 || *extent > kMaxBytes ||
        (*extent && total > kMaxBytes / *extent))
      return error(loc) << "array extent " << *extent << " is out of range";
    total *= std::max<int64_t>(*extent, 1);
    dims.push_back(*extent);
  }
  return success();
}

LogicalResult ParserImpl::parseVariable(const VariableSpec &spec) {
  SMLoc loc = tok.getLoc();
  FailureOr<StringRef> name = expectIdentifier("the name of a variable");
  if (failed(name))
    return failure();
  if (tok.isPunct("<"))
    return parseVariableCopies(*name, loc, spec);
  SmallVector<int64_t> dims;
  if (failed(parseDimensions(dims)))
    return failure();
  std::optional<InitData> init;
  if (tok.isPunct("=")) {
    if (spec.space != Space::Global && spec.space != Space::Const)
      return errorHere() << "no initial value is allowed in ."
                         << stringifySpace(spec.space) << " space";
    if (spec.type == ScalarType::F16 || spec.type == ScalarType::F16x2 ||
        spec.type == ScalarType::B128)
      return errorHere() << "no initial value is allowed for type ."
                         << stringifyScalarType(spec.type);
    advance();
    if (failed(parseInitializer(spec, dims, init.emplace())))
      return failure();
  }
  return declareVariable(*name, loc, spec, dims, init);
}

/// name<N> declares N separate variables, without extents or initial values.
LogicalResult ParserImpl::parseVariableCopies(StringRef name, SMLoc loc,
                                              const VariableSpec &spec) {
  FailureOr<int64_t> count = parseNameCount("variables", 1 << 16);
  if (failed(count))
    return failure();
  if (tok.isPunct("[") || tok.isPunct("="))
    return errorHere() << "'" << name << "<...>' may have neither extents nor "
                       << "an initial value";
  for (int64_t i = 0; i < *count; ++i)
    if (failed(declareVariable((name + Twine(i)).str(), loc, spec, {}, {})))
      return failure();
  return success();
}

LogicalResult ParserImpl::declareVariable(StringRef name, SMLoc loc,
                                          const VariableSpec &spec,
                                          ArrayRef<int64_t> dims,
                                          const std::optional<InitData> &init) {
  int64_t elementBytes = spec.getElementBytes();
  int64_t count = 1;
  for (int64_t d : dims)
    count *= d;
  bool unsized = !dims.empty() && dims.front() < 0;
  if (unsized && spec.linkage != "extern")
    return error(loc) << "variable '" << name
                      << "' has no size and is not '.extern'";
  if (!unsized && count == 0)
    return error(loc) << "variable '" << name << "' has size 0";
  if (!unsized && count > kMaxBytes / elementBytes)
    return error(loc) << "variable '" << name << "' is too large";

  Symbol symbol{Symbol::Variable, loc, spec.type};
  symbol.space = spec.space;
  symbol.elementBytes = elementBytes;
  bool local = scopes.size() > 1;
  // Several scopes of a function may use the same name, so locals get a number.
  symbol.irName =
      local ? (func.getSymName() + "::" + name + "$" + Twine(numLocals++)).str()
            : name.str();
  if (Symbol *old = scopes.back().lookup(name); old && !local &&
                                                spec.linkage == "extern" &&
                                                old->kind == Symbol::Variable)
    return success(); // a repeated declaration
  Symbol *fresh = declare(name, symbol, loc);
  if (!fresh)
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module->getBody());
  auto var = VarOp::create(
      builder, toLocation(loc), fresh->irName, spec.space, spec.type,
      unsized ? 0 : count * elementBytes,
      spec.align ? spec.align : spec.getNaturalAlign(),
      spec.linkage.empty() ? nullptr : builder.getStringAttr(spec.linkage),
      local ? FlatSymbolRefAttr::get(func) : nullptr,
      init ? builder.getDenseI8ArrayAttr(init->bytes) : nullptr,
      init && !init->relocs.empty() ? builder.getArrayAttr(init->relocs)
                                    : nullptr,
      spec.opaque ? OpaqueTypeAttr::get(context, *spec.opaque) : nullptr);
  fresh->op = var;
  if (init && !init->members.empty())
    var->setAttr("ptx.members", builder.getArrayAttr(init->members));
  if (spec.isManaged)
    var->setAttr("ptx.managed", builder.getUnitAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult ParserImpl::parseFormals(SmallVectorImpl<Attribute> &formals,
                                       bool entry, Scope &scope,
                                       bool isResult) {
  int64_t offset = 0;
  if (consumePunct(")"))
    return success();
  do {
    VariableSpec spec;
    SMLoc loc = tok.getLoc();
    if (tok.isWord("reg") && !entry)
      spec.space = Space::Reg;
    else if (tok.isWord("param"))
      spec.space = Space::Param;
    else
      return errorHere() << "expected '.param'" << (entry ? "" : " or '.reg'")
                         << " at a formal parameter, found " << describeToken();
    advance();
    if (failed(parseTypeSpec(spec)))
      return failure();
    // .ptr {.space} {.align N} describes a pointer; it is not used yet.
    if (consumeWord("ptr")) {
      if (declSpace(tok))
        advance();
      if (consumeWord("align") && failed(parseConstInt("an alignment")))
        return failure();
    }
    loc = tok.getLoc();
    FailureOr<StringRef> name = expectIdentifier("the name of a parameter");
    SmallVector<int64_t> dims;
    if (failed(name) || failed(parseDimensions(dims)))
      return failure();
    int64_t count = spec.vectorSize;
    for (int64_t d : dims)
      count *= std::max<int64_t>(d, 0);
    int64_t bytes = std::max(1u, getBitWidth(spec.type) / 8);
    if (count > (1 << 20))
      return error(loc) << "parameter '" << *name << "' is too large";
    int64_t align = spec.align ? spec.align : bytes * spec.vectorSize;
    offset = llvm::alignTo(offset, align);
    Symbol symbol{spec.space == Space::Reg ? Symbol::Register : Symbol::Param,
                  loc, spec.type};
    symbol.space = Space::Param;
    symbol.elementBytes = bytes;
    symbol.vectorSize = spec.vectorSize;
    symbol.index = formals.size();
    symbol.isResult = isResult;
    symbol.isHandle = spec.opaque.has_value();
    if (*name != "_" && !scope.declare(*name, symbol))
      return error(loc) << "parameter '" << *name << "' is declared twice";
    formals.push_back(ParamAttr::get(context, builder.getStringAttr(*name),
                                     spec.type, count, align, offset,
                                     spec.space));
    offset += count * bytes;
    if (entry && offset > 32764)
      return error(loc) << "parameters take " << offset
                        << " bytes, 32764 are the limit";
  } while (consumePunct(","));
  return expectPunct(")", "after the parameters");
}

/// The directives between the signature and the body. `noBody` is set if a `;`
/// stands in place of the body.
LogicalResult ParserImpl::parsePerformance(NamedAttrList &directives,
                                           bool &noBody) {
  static const llvm::StringMap<unsigned> numbers = {
      {"maxnreg", 1},          {"maxntid", 3},
      {"reqntid", 3},          {"minnctapersm", 1},
      {"maxnctapersm", 1},     {"abi_preserve", 1},
      {"maxclusterrank", 1},   {"abi_preserve_control", 1},
      {"reqnctapercluster", 3}};
  noBody = false;
  while (!tok.isPunct("{")) {
    if (consumePunct(";")) {
      noBody = true;
      return success();
    }
    if (tok.isWord("pragma")) {
      if (failed(parsePragma()))
        return failure();
      continue;
    }
    if (tok.isWord("noreturn") || tok.isWord("blocksareclusters") ||
        tok.isWord("explicitcluster")) {
      directives.set(tok.spelling, builder.getUnitAttr());
      advance();
      continue;
    }
    auto it =
        tok.is(TokenKind::DotWord) ? numbers.find(tok.spelling) : numbers.end();
    if (it == numbers.end())
      return errorHere()
             << "expected '{', ';' or a performance directive, found "
             << describeToken();
    StringRef name = tok.spelling;
    advance();
    SmallVector<int64_t, 3> values;
    do {
      SMLoc loc = tok.getLoc();
      FailureOr<int64_t> value = parseConstInt("the value of a directive");
      if (failed(value))
        return failure();
      if (values.size() == it->second)
        return error(loc) << "'." << name << "' takes at most " << it->second
                          << " value" << (it->second > 1 ? "s" : "");
      values.push_back(*value);
    } while (consumePunct(","));
    directives.set(name, builder.getDenseI64ArrayAttr(values));
  }
  return success();
}

/// {(results)} name {(params)}. `what` describes the name in errors; `loc` is
/// set to its location.
FailureOr<StringRef> ParserImpl::parseSignature(bool entry, Scope &formals,
                                                Signature &signature,
                                                StringRef what, SMLoc &loc) {
  if (!entry && consumePunct("(") &&
      failed(parseFormals(signature.results, false, formals,
                          /*isResult=*/true)))
    return failure();
  loc = tok.getLoc();
  FailureOr<StringRef> name = expectIdentifier(what);
  if (failed(name) || (consumePunct("(") &&
                       failed(parseFormals(signature.params, entry, formals,
                                           /*isResult=*/false))))
    return failure();
  return name;
}

/// Are there as many formals in `a` as in `b`, with the same sizes?
static bool haveSameSizes(ArrayAttr a, ArrayAttr b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return cast<ParamAttr>(std::get<0>(pair)).getBytes() ==
                  cast<ParamAttr>(std::get<1>(pair)).getBytes();
         });
}

/// The op of a function that the text declares or defines here: a new one, or
/// that of an earlier declaration. Null after an error.
FuncOp ParserImpl::declareFunction(StringRef name, SMLoc loc, bool entry,
                                   bool hasBody, const std::string &linkage,
                                   const Signature &signature) {
  ArrayAttr params = builder.getArrayAttr(signature.params);
  ArrayAttr results = builder.getArrayAttr(signature.results);
  Symbol *old = scopes.front().lookup(name);
  if (!old) {
    Symbol symbol{Symbol::Function, loc, ScalarType::B64};
    symbol.irName = name.str();
    Symbol *fresh = declare(name, symbol, loc);
    if (!fresh)
      return nullptr;
    auto op = FuncOp::create(builder, toLocation(loc), name, entry,
                             linkage.empty() ? nullptr
                                             : builder.getStringAttr(linkage),
                             params, results, nullptr);
    fresh->op = op;
    return op;
  }
  FuncOp op = old->kind == Symbol::Function ? cast<FuncOp>(old->op) : FuncOp();
  bool hadBody = op && (!op.isBodiless() || op->hasAttr("ptx.outlined"));
  if (!op || (hasBody && hadBody)) {
    InFlightDiagnostic diag = error(loc);
    diag << "'" << name << "' is declared twice in this scope";
    diag.attachNote(toLocation(old->loc)) << "first declared here";
    return nullptr;
  }
  if (op.getEntry() != entry || !haveSameSizes(op.getParams(), params) ||
      !haveSameSizes(op.getResults(), results)) {
    InFlightDiagnostic diag = error(loc);
    diag << "'" << name << "' differs from its declaration";
    diag.attachNote(toLocation(old->loc)) << "declared here";
    return nullptr;
  }
  if (hasBody) {
    if (!linkage.empty())
      op.setLinkage(linkage); // replaces the linkage of the declaration
    op.setParamsAttr(params);
    op.setResultsAttr(results);
  }
  return op;
}

LogicalResult ParserImpl::parseFunction(bool entry,
                                        const std::string &linkage) {
  Scope formals;
  Signature signature;
  if (failed(parseAttributeSuffix()))
    return failure();
  SMLoc loc;
  FailureOr<StringRef> name =
      parseSignature(entry, formals, signature, "the name of a function", loc);
  if (failed(name))
    return failure();
  NamedAttrList directives;
  bool noBody;
  if (failed(parsePerformance(directives, noBody)))
    return failure();
  FuncOp op = declareFunction(*name, loc, entry, !noBody, linkage, signature);
  if (!op)
    return failure();
  if (noBody)
    return success();
  if (!directives.empty())
    op.setDirectivesAttr(directives.getDictionary(context));
  return readBody(op, std::move(formals));
}

/// Parses the body of `op` if the options ask for it, else skips it.
LogicalResult ParserImpl::readBody(FuncOp op, Scope formals) {
  bool isEntry = op.getEntry(), isAll = options.onlyKernel.empty();
  if (options.bodies &&
      (isAll || (isEntry ? options.onlyKernel == op.getSymName()
                         : options.allFunctions)))
    return parseBody(op, std::move(formals));
  if (options.bodies && !isEntry)
    skipped[op.getSymName()] = {op, tok.begin, lines.getLine(tok.begin),
                                std::move(formals), availability};
  return skipBody(op);
}

/// Skips the body of `op`. Malformed tokens in it are errors all the same.
LogicalResult ParserImpl::skipBody(FuncOp op) {
  op->setAttr("ptx.outlined", builder.getUnitAttr());
  const char *text = sources.getMemoryBuffer(buffer)->getBufferStart();
  std::pair<unsigned, uint64_t> place(buffer, tok.begin - text);
  BodyEnd known =
      options.knownEnds ? options.knownEnds->lookup(place) : BodyEnd();
  if (known.offset) {
    lexer.rewind(text + known.offset);
    lines.know(text + known.offset, known.line);
    advance();
    return success();
  }
  // The current token is the opening brace, and the lexer is right behind it.
  Token last = lexer.skipBraces();
  if (last.is(TokenKind::Eof))
    return errorHere() << "the body of '" << op.getSymName() << "' has no end";
  if (last.is(TokenKind::Error)) {
    tok = last;
    errorHere() << "expected an instruction, found " << describeToken();
  } else if (options.newEnds) {
    options.newEnds->try_emplace(place, BodyEnd{uint64_t(last.begin + 1 - text),
                                                lines.getLine(last.begin + 1)});
  }
  advance();
  return success();
}

/// Parses the skipped functions that the kernel may call.
void ParserImpl::parseCalled() {
  while (!tooManyErrors()) {
    if (callsAny ? skipped.empty() : called.empty())
      return;
    auto it = skipped.begin();
    if (!callsAny) {
      it = skipped.find(called.back());
      called.pop_back();
    }
    if (it != skipped.end())
      parseSkipped(std::move(skipped.extract(it).mapped()));
  }
}

void ParserImpl::parseSkipped(SkippedFunction function) {
  visibleTo = function.begin;
  availability = function.availability;
  lexer.rewind(function.begin);
  lines.know(function.begin, function.line);
  advance();
  function.op->removeAttr("ptx.outlined");
  (void)parseBody(function.op, std::move(function.formals));
}
