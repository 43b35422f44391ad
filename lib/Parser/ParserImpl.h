//===- ParserImpl.h - the recursive-descent parser --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser is one class. Each part of it has a file of its own: Module.cpp
// (module level), Declarations.cpp (variables, functions), Initializer.cpp,
// ConstExpr.cpp, Statement.cpp (bodies), Operands.cpp (operand syntax),
// OperandValues.cpp (operands to values), FormMatcher.cpp (mnemonic and
// operands to an op, by the form table), RowInstruction.cpp and Call.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_PARSER_PARSERIMPL_H
#define PTXJIT_LIB_PARSER_PARSERIMPL_H

#include "Lexer.h"
#include "LineCounter.h"
#include "Scope.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include <deque>
#include <map>

namespace ptxjit {

/// The value of a constant expression. Integers have 64 bits.
struct ConstValue {
  enum Kind { Int, Float, Bits32, Bits64 } kind = Int;
  bool isUnsigned = false;
  uint64_t bits = 0; ///< Int, Bits32, Bits64
  double number = 0; ///< Float
};

/// An operand as the text spells it, before its type is known.
struct RawOperand {
  enum Kind {
    Register,
    SpecialReg,
    Constant,
    SymbolAddress, ///< `var`, `var+8`, `func`
    Address,       ///< `[...]`, or `var[index]`
    Vector,        ///< `{...}`, or a vector register
    Sink           ///< `_`
  } kind = Sink;
  llvm::SMLoc loc;
  llvm::StringRef name;
  bool negated = false;
  bool isSecond = false; ///< `q` of `p|q`
  Symbol *symbol = nullptr;
  unsigned component = 0;
  ptx::SpecialRegister sreg{};
  ConstValue constant;
  int64_t offset = 0;
  bool hasOffset = false; ///< `%r+n`: `offset` is added to the register
  /// The register of `arr[%r]`, which counts elements.
  Symbol *indexReg = nullptr;
  std::vector<RawOperand> elements;
  /// The further parts of an address: b and {c, d} of `[a, b, {c, d}]`.
  std::vector<RawOperand> parts;
  bool minus = false;       ///< `-%r`
  llvm::StringRef selector; ///< `b0` of `%r.b0`
};

/// A parsed selector: parts of `width` bits, in the order of the text.
struct Selector {
  unsigned width = 32; ///< 32: no part is named
  llvm::SmallVector<unsigned, 4> parts;
};
/// Parses a selector such as "h10"; nothing if `text` is none.
std::optional<Selector> readSelector(llvm::StringRef text);

class ParserImpl {
public:
  ParserImpl(llvm::SourceMgr &sources, mlir::MLIRContext *context,
             const ParseOptions &options);
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> parse();

private:
  using LogicalResult = llvm::LogicalResult;
  template <typename T> using FailureOr = mlir::FailureOr<T>;
  using StringRef = llvm::StringRef;
  using SMLoc = llvm::SMLoc;

  // -- Tokens and diagnostics (Module.cpp)
  void advance() { tok = lexer.next(); }
  bool consumePunct(StringRef text);
  bool consumeWord(StringRef text);
  LogicalResult expectPunct(StringRef text, StringRef where);
  FailureOr<StringRef> expectIdentifier(StringRef what);
  mlir::Location toLocation(SMLoc loc);
  /// The same for a declaration, which is far from where it is used.
  mlir::Location toDeclaration(SMLoc loc);
  using KnownLocation = std::pair<SMLoc, std::optional<mlir::Location>>;
  mlir::Location locate(SMLoc loc, KnownLocation &known);
  mlir::InFlightDiagnostic error(SMLoc loc);
  mlir::InFlightDiagnostic errorHere() { return error(tok.getLoc()); }
  /// Describes the current token for messages.
  std::string describeToken();
  /// Skips to behind the next `;`, or to a `}` or the end, over nested braces.
  void recover();
  bool tooManyErrors() const { return numErrors >= options.maxErrors; }

  // -- Module level (Module.cpp)
  LogicalResult parseHeader();
  LogicalResult parseVersion();
  LogicalResult parseTarget();
  LogicalResult parseTargetName();
  LogicalResult parseModuleItem();
  LogicalResult parseFile();
  LogicalResult parseSection();
  LogicalResult parseAlias();
  LogicalResult parsePragma();

  // -- Declarations (Declarations.cpp)
  struct VariableSpec {
    ptx::Space space;
    int64_t align = 0;
    ptx::ScalarType type = ptx::ScalarType::B32;
    unsigned vectorSize = 1;
    std::optional<ptx::OpaqueType> opaque;
    std::string linkage;
    bool isManaged = false; ///< `.attribute(.managed)`

    /// Bytes from one element of an array to the next one in memory.
    int64_t getElementBytes() const {
      return opaque ? ptx::kOpaqueBytes
                    : getBitWidth(type) / 8 * int64_t(vectorSize);
    }
    /// The alignment of a variable that does not state one.
    int64_t getNaturalAlign() const {
      return opaque ? ptx::kOpaqueAlign
                    : std::max<int64_t>(getElementBytes(), 1);
    }
  };
  static std::optional<ptx::Space> declSpace(const Token &tok);
  LogicalResult parseLinked();
  LogicalResult parseVariables(std::string linkage);
  LogicalResult parseTypeSpec(VariableSpec &spec);
  LogicalResult parseAttributeSuffix();
  FailureOr<int64_t> parseNameCount(StringRef what, int64_t most);
  LogicalResult parseVariable(const VariableSpec &spec);
  LogicalResult parseRegisters(const VariableSpec &spec);
  LogicalResult parseDimensions(llvm::SmallVectorImpl<int64_t> &dims);
  LogicalResult parseFunction(bool entry, const std::string &linkage);
  ptx::FuncOp declareFunction(StringRef name, SMLoc loc, bool entry,
                              bool hasBody, const std::string &linkage,
                              const Signature &signature);
  LogicalResult readBody(ptx::FuncOp op, Scope formals);
  LogicalResult skipBody(ptx::FuncOp op);
  /// A function that is parsed if a parsed body may call it.
  struct SkippedFunction {
    ptx::FuncOp op;
    const char *begin = nullptr; ///< the opening brace
    unsigned line = 0;           ///< of it
    Scope formals;
    ptx::Availability availability; ///< by the `.target` in front of it
  };
  void parseCalled();
  void parseSkipped(SkippedFunction function);
  LogicalResult parsePrototype(llvm::StringRef name, llvm::SMLoc loc);
  FailureOr<StringRef> parseSignature(bool entry, Scope &formals,
                                      Signature &signature, StringRef what,
                                      SMLoc &loc);
  LogicalResult parseFormals(llvm::SmallVectorImpl<mlir::Attribute> &formals,
                             bool entry, Scope &scope, bool isResult);
  LogicalResult parsePerformance(mlir::NamedAttrList &directives, bool &noBody);
  LogicalResult parseBody(ptx::FuncOp func, Scope formals);
  Symbol *lookup(StringRef name);
  Symbol *declare(StringRef name, Symbol symbol, SMLoc loc);

  // -- Initialisers (Initializer.cpp)
  struct InitData {
    std::vector<int8_t> bytes;
    llvm::SmallVector<mlir::Attribute> relocs;
    /// For opaque types: a dictionary of members for each element.
    llvm::SmallVector<mlir::Attribute> members;
  };
  LogicalResult parseVariableCopies(StringRef name, SMLoc loc,
                                    const VariableSpec &spec);
  LogicalResult declareVariable(StringRef name, SMLoc loc,
                                const VariableSpec &spec,
                                llvm::ArrayRef<int64_t> dims,
                                const std::optional<InitData> &init);
  LogicalResult parseInitializer(const VariableSpec &spec,
                                 llvm::SmallVectorImpl<int64_t> &dims,
                                 InitData &data);
  LogicalResult parseInitLevel(const VariableSpec &spec,
                               llvm::ArrayRef<int64_t> dims, int64_t at,
                               InitData &data, int64_t &count);
  LogicalResult parseOpaque(const VariableSpec &spec, int64_t at,
                            InitData &data);
  FailureOr<mlir::NamedAttribute> parseOpaqueMember(ptx::OpaqueType type);
  LogicalResult parseInitScalar(ptx::ScalarType type, int64_t at,
                                InitData &data);
  void storeInitBytes(int64_t at, int64_t bytes, uint64_t bits, InitData &data);
  LogicalResult parseInitMasked(ptx::ScalarType type, int64_t at, uint64_t mask,
                                SMLoc loc, InitData &data);
  LogicalResult parseInitAddress(ptx::ScalarType type, int64_t at, int64_t mask,
                                 InitData &data);

  // -- Constant expressions (ConstExpr.cpp)
  FailureOr<ConstValue> parseConstExpr(int minPrecedence = 0);
  FailureOr<ConstValue> parseConstUnary();
  FailureOr<ConstValue> parseConstPrimary();
  FailureOr<ConstValue> applyBinary(StringRef op, ConstValue a, ConstValue b,
                                    SMLoc loc);
  FailureOr<int64_t> parseConstInt(StringRef what);
  bool startsConstant() const;

  // -- Bodies (Statement.cpp)
  LogicalResult parseStatements();
  LogicalResult parseStatement();
  LogicalResult parseScope();
  LogicalResult closeScope();
  LogicalResult parseDirectiveInBody();
  LogicalResult parseLoc();
  LogicalResult parseLabel(StringRef name, SMLoc loc);
  LogicalResult parseInstruction();
  LogicalResult
  parseTargetNames(bool branch, std::vector<std::pair<StringRef, SMLoc>> &list);
  LogicalResult parseControlDirective(StringRef name, SMLoc loc);
  mlir::Block *getLabelBlock(StringRef name, SMLoc loc);
  void startBlock(mlir::Block *block);
  void ensureOpenBlock();
  bool blockIsOpen();
  struct Guard {
    bool present = false, negated = false;
    StringRef name;
    SMLoc loc;
  };

  // -- Operands (Operands.cpp)
  LogicalResult parseOperandList(std::vector<RawOperand> &operands);
  LogicalResult parseOperand(std::vector<RawOperand> &operands);
  LogicalResult parsePrimary(RawOperand &operand);
  LogicalResult parseNamed(RawOperand &operand);
  LogicalResult parseAddress(RawOperand &operand);
  LogicalResult parseIndexed(RawOperand &operand);
  mlir::Value getSlot(Symbol &symbol, unsigned component, StringRef name);
  void makeSpecialVector(StringRef name, RawOperand &operand);
  mlir::Value readRegister(Symbol &symbol, unsigned component, StringRef name);
  mlir::Value adaptSource(mlir::Value value, ptx::ScalarType want,
                          ptx::ScalarType have, bool wide);
  FailureOr<mlir::Value> getSource(const RawOperand &operand,
                                   ptx::ScalarType type,
                                   const ptx::OperandSpec &spec, bool wide);
  FailureOr<mlir::Value> getConstant(const RawOperand &operand,
                                     ptx::ScalarType type);
  FailureOr<mlir::Value> getPacked(const RawOperand &operand,
                                   ptx::ScalarType type);
  FailureOr<mlir::Value> getSymbolAddress(const RawOperand &operand,
                                          unsigned bits);
  FailureOr<mlir::Value> getAddress(const RawOperand &operand);
  /// Writes `value`, of PTX type `type`, to the register of `operand`.
  /// \param half  the half to write of a 128-bit register.
  LogicalResult writeResult(const RawOperand &operand, mlir::Value value,
                            ptx::ScalarType type, bool wide, unsigned half = 0);
  /// Skips the `[n]` after `.const` in PTX before 2.2; we have only one
  /// constant space.
  LogicalResult skipConstantBank();
  mlir::Value createConstant(ptx::ScalarType type, uint64_t bits);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);

  // -- Instructions (FormMatcher.cpp)
  struct Instruction {
    StringRef opcode;
    llvm::SmallVector<StringRef, 8> modifiers;
    llvm::SmallVector<SMLoc, 8> modifierLocs;
    std::vector<RawOperand> operands;
    SMLoc loc, operandLoc;
    Guard guard;
    /// "ld.global.f32": the opcode with its first `count` modifiers.
    std::string getMnemonic(size_t count = ~size_t(0)) const;
  };
  LogicalResult addImpliedModifier(Instruction &inst);
  /// Operands of a form, each with the matching operand of the text.
  using OperandPairs =
      llvm::SmallVector<std::pair<const ptx::OperandSpec *, const RawOperand *>,
                        8>;
  /// The destination and type of a result.
  struct Result {
    const RawOperand *operand;
    ptx::ScalarType type;
    unsigned half = 0; ///< the half of a 128-bit register
  };
  using ResultList = llvm::SmallVector<Result, 4>;
  LogicalResult buildInstruction(const Instruction &inst);
  const ptx::FormSpec *selectForm(const Instruction &inst,
                                  ptx::FormMatch &match);
  /// Pairs operands by their syntax, not their types; nothing if they do not
  /// fit the form.
  std::optional<OperandPairs> pairOperands(const Instruction &inst,
                                           const ptx::FormSpec &form);
  static bool sizesFit(const OperandPairs &pairs, const ptx::FormSpec &form,
                       const ptx::FormMatch &match);
  void reportNoForm(const Instruction &inst);
  mlir::LogicalResult
  findTargets(const RawOperand &operand,
              llvm::SmallVectorImpl<mlir::Block *> &targets);
  mlir::LogicalResult checkModifiers(const Instruction &inst);
  LogicalResult buildPlain(const Instruction &inst, const ptx::FormSpec &form,
                           const ptx::FormMatch &match);
  LogicalResult buildGuarded(const Instruction &inst,
                             llvm::function_ref<LogicalResult()> build);
  LogicalResult buildControl(const Instruction &inst, const ptx::FormSpec &form,
                             const ptx::FormMatch &match);
  FailureOr<llvm::ArrayRef<RawOperand>>
  getElements(const RawOperand &raw, const ptx::OperandSpec &spec,
              const ptx::FormMatch &match);
  LogicalResult addValues(llvm::ArrayRef<RawOperand> elements,
                          const ptx::OperandSpec &spec,
                          const ptx::FormMatch &match, bool wide,
                          llvm::SmallVectorImpl<mlir::Value> &values,
                          ResultList &results);
  LogicalResult addOperand(const ptx::OperandSpec &spec, const RawOperand &raw,
                           const ptx::FormSpec &form,
                           const ptx::FormMatch &match,
                           mlir::OperationState &state,
                           llvm::SmallVectorImpl<mlir::Value> &values,
                           ResultList &results);
  LogicalResult createInstruction(mlir::OperationState &state,
                                  const ResultList &results, bool wide);
  LogicalResult describeAddress(const RawOperand &raw, mlir::Value address,
                                mlir::OperationState &state);
  /// The value of an address with its offset added, 64 bits wide.
  FailureOr<mlir::Value> getPlainAddress(const RawOperand &raw);
  mlir::Value loadHandle(const RawOperand &raw);
  FailureOr<mlir::Value> readGuard(const Guard &guard);

  // -- Instructions with one operand list (RowInstruction.cpp)
  LogicalResult buildRow(const Instruction &inst, const ptx::FormSpec &form,
                         const ptx::FormMatch &match);
  LogicalResult collectOperand(const RawOperand &raw,
                               const ptx::OperandSpec &spec,
                               const ptx::FormMatch &match,
                               llvm::SmallVectorImpl<mlir::Value> &values,
                               ResultList &results);

  // -- Calls (Call.cpp)
  /// The function that a call calls.
  struct CallTarget {
    StringRef name;
    SMLoc loc;
    Symbol *symbol = nullptr; ///< a function, or a register with an address
    Signature signature;
    /// The functions that an indirect call may call, if the text lists them.
    mlir::ArrayAttr candidates;
  };
  /// A call as the text spells it.
  struct CallSyntax {
    std::vector<RawOperand> results, args;
    StringRef name;
    SMLoc loc;
    Token list; ///< names a prototype or list of targets, if `hasList`
    bool hasList = false;
  };
  LogicalResult parseCall(const Instruction &inst);
  LogicalResult parseCallSyntax(CallSyntax &call);
  LogicalResult resolveTarget(const CallSyntax &call, CallTarget &target);
  LogicalResult parseCallList(std::vector<RawOperand> &list);
  LogicalResult findCallees(const Token &list, CallTarget &target);
  LogicalResult buildCall(mlir::Location loc, const ptx::FormSpec &form,
                          const ptx::FormMatch &match, const CallTarget &target,
                          const std::vector<RawOperand> &args,
                          const std::vector<RawOperand> &results);
  LogicalResult checkCounts(const CallTarget &target, size_t args,
                            size_t results);
  mlir::Value declareCallVariable(ptx::ParamAttr formal, SMLoc loc);
  FailureOr<mlir::Value> passArgument(const RawOperand &arg,
                                      ptx::ParamAttr formal);
  FailureOr<mlir::Value> placeOf(const RawOperand &arg, ptx::ParamAttr formal);
  LogicalResult fetchResult(const RawOperand &result, ptx::ParamAttr formal,
                            mlir::Value place);
  FailureOr<llvm::ArrayRef<RawOperand>> getElements(const RawOperand &raw,
                                                    ptx::ParamAttr formal);
  void storeElements(mlir::Location loc, mlir::Value place,
                     ptx::ScalarType type, mlir::ValueRange values);
  mlir::Value loadElement(mlir::Location loc, mlir::Value place,
                          ptx::ScalarType type, unsigned index);
  void storeRegisterFormals(Scope &formals);
  bool takesNarrowAddress();

  llvm::SourceMgr &sources;
  mlir::MLIRContext *context;
  ParseOptions options;
  unsigned buffer; ///< the buffer of `sources` that is parsed
  mlir::StringAttr bufferName;
  Lexer lexer;
  LineCounter lines;
  /// What was asked for last: the ops of an instruction have one location, and
  /// so have the registers of a declaration.
  KnownLocation lastLocated, lastDeclared;
  Token tok;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ptx::Availability availability;
  unsigned newestTarget = 0; ///< the largest sm_NN of all `.target`s
  /// The module's address size; 0 as long as the text has not told it.
  unsigned addressSize = 0;
  /// The width of variables' addresses in IR.
  unsigned addressBits = 64;
  bool headerDone = false;
  unsigned numErrors = 0;
  std::deque<Scope> scopes;
  std::map<StringRef, SkippedFunction> skipped;
  std::vector<std::string> called; ///< functions that parsed bodies refer to
  bool callsAny = false;           ///< a body calls an address
  /// If not null, names that the module declares behind it are not visible.
  const char *visibleTo = nullptr;
  /// Files named by `.file`.
  llvm::DenseSet<unsigned> files;

  // State of the function being parsed.
  ptx::FuncOp func;
  mlir::Block *entryBlock = nullptr;
  mlir::Operation *lastSlot = nullptr;
  unsigned numLocals = 0;
  /// The carry flag, which `.cc` writes and `addc` reads, as a register that
  /// the text cannot name.
  Symbol carry{Symbol::Register};
  RawOperand carryFlag;
};

} // namespace ptxjit

#endif
