//===- Statement.cpp - parses function bodies -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes, labels, directives and the syntax of an instruction. A label belongs
// to the `{}` scope that defines it. At the end of a scope, references to
// labels that it does not define move to the enclosing scope.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static constexpr unsigned kMaxScopeDepth = 200;

LogicalResult ParserImpl::parseBody(FuncOp op, Scope formals) {
  OpBuilder::InsertionGuard guard(builder);
  func = op;
  numLocals = 0;
  lastSlot = nullptr;
  carry = Symbol{Symbol::Register, tok.getLoc(), ScalarType::Pred};
  carryFlag = RawOperand();
  carryFlag.kind = RawOperand::Register;
  carryFlag.loc = tok.getLoc();
  carryFlag.name = "CC";
  carryFlag.symbol = &carry;
  advance(); // {
  scopes.push_back(std::move(formals));
  entryBlock = new Block;
  op.getBody().push_back(entryBlock);
  builder.setInsertionPointToEnd(entryBlock);
  scopes.emplace_back();
  LogicalResult result = parseStatements();
  if (failed(closeScope()))
    result = failure();
  // Labels that are still undefined are now in the scope of the formals.
  for (auto &entry : scopes.back().getNames()) {
    Symbol &symbol = entry.second;
    if (symbol.kind != Symbol::Label || symbol.defined)
      continue;
    error(symbol.loc) << "label '" << entry.first()
                      << "' is not defined in this scope or one around it";
    symbol.block->dropAllUses();
    delete symbol.block;
    result = failure();
  }
  Scope names = std::move(scopes.back());
  scopes.pop_back();
  builder.setInsertionPointToEnd(&op.getBody().back());
  if (blockIsOpen())
    RetOp::create(builder, toLocation(tok.getLoc()), /*uni=*/false);
  storeRegisterFormals(names);
  if (failed(expectPunct("}", "at the end of a function")))
    return failure();
  return numErrors ? failure() : result;
}

LogicalResult ParserImpl::parseStatements() {
  bool ok = true;
  while (!tok.isPunct("}") && !tok.is(TokenKind::Eof) && !tooManyErrors()) {
    if (succeeded(parseStatement()))
      continue;
    ok = false;
    recover();
  }
  return success(ok);
}

LogicalResult ParserImpl::parseScope() {
  if (scopes.size() > kMaxScopeDepth)
    return errorHere() << "scopes are nested too deeply";
  advance();
  scopes.emplace_back();
  LogicalResult result = parseStatements();
  if (failed(closeScope()))
    result = failure();
  if (failed(expectPunct("}", "at the end of a scope")))
    return failure();
  return result;
}

/// Leaves the innermost scope. Its undefined labels become references of the
/// enclosing scope.
LogicalResult ParserImpl::closeScope() {
  Scope &inner = scopes.back();
  Scope &outer = scopes[scopes.size() - 2];
  for (auto &entry : inner.getNames()) {
    Symbol &symbol = entry.second;
    if (symbol.kind != Symbol::Label || symbol.defined)
      continue;
    if (Symbol *target = outer.lookup(entry.first());
        target && target->kind == Symbol::Label) {
      symbol.block->replaceAllUsesWith(target->block);
      delete symbol.block;
      continue;
    }
    outer.declare(entry.first(), symbol);
  }
  scopes.pop_back();
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

bool ParserImpl::blockIsOpen() {
  Block *block = builder.getInsertionBlock();
  return block->empty() || !block->back().hasTrait<OpTrait::IsTerminator>();
}

void ParserImpl::startBlock(Block *block) {
  func.getBody().push_back(block);
  builder.setInsertionPointToEnd(block);
}

/// Starts a new block after a terminator: it is for code that no label reaches.
void ParserImpl::ensureOpenBlock() {
  if (!blockIsOpen())
    startBlock(new Block);
}

Block *ParserImpl::getLabelBlock(StringRef name, SMLoc loc) {
  if (Symbol *symbol = scopes.back().lookup(name))
    return symbol->kind == Symbol::Label ? symbol->block : nullptr;
  Symbol symbol{Symbol::Label, loc};
  symbol.block = new Block;
  return scopes.back().declare(name, symbol)->block;
}

LogicalResult ParserImpl::parseLabel(StringRef name, SMLoc loc) {
  advance(); // :
  if (tok.isWord("branchtargets") || tok.isWord("calltargets") ||
      tok.isWord("callprototype"))
    return parseControlDirective(name, loc);
  Symbol *old = scopes.back().lookup(name);
  if (old && (old->kind != Symbol::Label || old->defined)) {
    InFlightDiagnostic diag = error(loc);
    diag << "'" << name << "' is declared twice in this scope";
    diag.attachNote(toLocation(old->loc)) << "first declared here";
    return diag;
  }
  Block *block = getLabelBlock(name, loc);
  Symbol *symbol = scopes.back().lookup(name);
  symbol->defined = true;
  symbol->loc = loc;
  if (blockIsOpen())
    BraOp::create(builder, toLocation(loc), /*uni=*/false, block);
  startBlock(block);
  return success();
}

/// One name of a list of targets. L<3> stands for L0, L1, L2.
LogicalResult
ParserImpl::parseTargetNames(bool branch,
                             std::vector<std::pair<StringRef, SMLoc>> &list) {
  SMLoc loc = tok.getLoc();
  FailureOr<StringRef> name =
      expectIdentifier(branch ? "a label" : "the name of a function");
  if (failed(name))
    return failure();
  SmallVector<StringRef> names = {*name};
  if (tok.isPunct("<")) {
    FailureOr<int64_t> count = parseNameCount("targets", 1 << 16);
    if (failed(count))
      return failure();
    names.clear();
    for (int64_t i = 0; i < *count; ++i) // the context owns the name
      names.push_back(builder.getStringAttr(*name + Twine(i)).getValue());
  }
  for (StringRef target : names) {
    Symbol *known = branch ? nullptr : lookup(target);
    if (!branch && (!known || known->kind != Symbol::Function))
      return error(loc) << "'" << target << "' is not a declared function";
    list.emplace_back(target, loc);
  }
  return success();
}

/// NAME: .branchtargets L, ...;  .calltargets f, ...;  .callprototype ...;
LogicalResult ParserImpl::parseControlDirective(StringRef name, SMLoc loc) {
  bool branch = tok.isWord("branchtargets");
  if (tok.isWord("callprototype"))
    return parsePrototype(name, loc);
  advance();
  Symbol symbol{branch ? Symbol::BranchTargets : Symbol::CallTargets, loc};
  do {
    if (failed(parseTargetNames(branch, symbol.targets)))
      return failure();
  } while (consumePunct(","));
  if (!declare(name, symbol, loc))
    return failure();
  return expectPunct(";", branch ? "after '.branchtargets'"
                                 : "after '.calltargets'");
}

/// NAME: .callprototype {(result)} _ {(formals)} {.noreturn};
LogicalResult ParserImpl::parsePrototype(StringRef name, SMLoc loc) {
  advance();
  Scope formals;
  Symbol symbol{Symbol::Prototype, loc};
  NamedAttrList directives;
  bool noBody;
  SMLoc at;
  if (failed(parseSignature(/*entry=*/false, formals, symbol.signature,
                            "'_' in a call prototype", at)) ||
      failed(parsePerformance(directives, noBody)))
    return failure();
  if (!declare(name, symbol, loc))
    return failure();
  return noBody ? success() : expectPunct(";", "after '.callprototype'");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

LogicalResult ParserImpl::parseStatement() {
  if (tok.isPunct("{"))
    return parseScope();
  if (tok.is(TokenKind::DotWord))
    return parseDirectiveInBody();
  if (tok.is(TokenKind::Identifier)) {
    Token first = tok;
    advance();
    if (tok.isPunct(":"))
      return parseLabel(first.spelling, first.getLoc());
    lexer.rewind(first.begin);
    advance();
    return parseInstruction();
  }
  if (tok.isPunct("@"))
    return parseInstruction();
  return errorHere() << "expected an instruction, found " << describeToken();
}

LogicalResult ParserImpl::parseDirectiveInBody() {
  if (declSpace(tok))
    return parseVariables("");
  if (tok.isWord("pragma"))
    return parsePragma();
  if (tok.isWord("loc"))
    return parseLoc();
  if (tok.isWord("file"))
    return parseFile();
  return errorHere() << "directive '." << tok.spelling
                     << "' is not known inside a function";
}

/// .loc file line column {, function_name symbol{+n}, inlined_at file line col}
LogicalResult ParserImpl::parseLoc() {
  advance();
  auto three = [&]() -> LogicalResult {
    for (StringRef what : {"a file index", "a line", "a column"})
      if (!tok.is(TokenKind::Integer))
        return errorHere() << "expected " << what << " in '.loc', found "
                           << describeToken();
      else
        advance();
    return success();
  };
  if (failed(three()))
    return failure();
  while (consumePunct(",")) {
    SMLoc loc = tok.getLoc();
    FailureOr<StringRef> word =
        expectIdentifier("'function_name' or 'inlined_at'");
    if (failed(word))
      return failure();
    if (*word == "inlined_at") {
      if (failed(three()))
        return failure();
    } else if (*word == "function_name") {
      if (!tok.is(TokenKind::Identifier) && !tok.is(TokenKind::DotWord))
        return errorHere() << "expected a label, found " << describeToken();
      advance();
      if (consumePunct("+") && failed(parseConstInt("an offset")))
        return failure();
    } else {
      return error(loc) << "expected 'function_name' or 'inlined_at', found '"
                        << *word << "'";
    }
  }
  return success();
}

/// {@{!}p} opcode.modifiers operands;
LogicalResult ParserImpl::parseInstruction() {
  Instruction inst;
  if (tok.isPunct("@")) {
    inst.guard.present = true;
    advance();
    inst.guard.negated = consumePunct("!");
    inst.guard.loc = tok.getLoc();
    FailureOr<StringRef> name = expectIdentifier("a predicate register");
    if (failed(name))
      return failure();
    inst.guard.name = *name;
  }
  inst.loc = tok.getLoc();
  FailureOr<StringRef> opcode = expectIdentifier("an instruction");
  if (failed(opcode))
    return failure();
  inst.opcode = *opcode;
  while (tok.is(TokenKind::DotWord)) {
    inst.modifiers.push_back(tok.spelling);
    inst.modifierLocs.push_back(tok.getLoc());
    advance();
    if (inst.modifiers.back() == "const" && failed(skipConstantBank()))
      return failure();
  }
  inst.operandLoc = tok.getLoc();
  if (failed(addImpliedModifier(inst)))
    return failure();
  ArrayRef<FormSpec> forms = getFormsOfOpcode(inst.opcode);
  if (forms.empty())
    return error(inst.loc) << "'" << inst.opcode
                           << "' is not the name of an instruction";
  ensureOpenBlock();
  for (const OperandSpec &operand : forms.front().getOperands())
    if (operand.kind == OperandKind::Callee)
      return parseCall(inst);
  if (failed(parseOperandList(inst.operands)) ||
      failed(expectPunct(";", "after an instruction")))
    return failure();
  // The instruction is complete; errors from here on need no recovery.
  (void)buildInstruction(inst);
  return success();
}
