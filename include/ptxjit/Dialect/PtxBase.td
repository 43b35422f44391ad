//===- PtxBase.td - the dialect, and classes for the ISA table ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect, and the classes that make up a record of the ISA table:
// availability, syntax forms, modifiers and the instruction base classes. Facts
// about an instruction are stated once, here or in the chapter files;
// docs/AddingAnInstruction.md has an example.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXBASE_TD
#define PTXJIT_DIALECT_PTXBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/MemorySlotInterfaces.td"
include "ptxjit/Dialect/PtxInterfaces.td"

def Ptx_Dialect : Dialect {
  let name = "ptx";
  let cppNamespace = "::ptxjit::ptx";
  let summary = "PTX as the programmer writes it, from the view of one thread";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::scf::SCFDialect"];
}

//===----------------------------------------------------------------------===//
// Availability and forms
//===----------------------------------------------------------------------===//

/// The PTX versions and targets that have a form or modifier. `ptxVersion` is
/// the first version ("2.0"), or the first and last one ("1.0-6.3"). `target`
/// is "sm_NN+" (that architecture and later ones), "sm_NNa" (only that one) or
/// "sm_NNf" (its family).
class Since<string ptxVersion, string target> {
  string PtxVersion = ptxVersion;
  string Target = target;
}

/// One line of an instruction's syntax.
///
///   opcode  modifiers  operands
///   add     {.sat}.s32 d, a, b
///
/// Modifiers: `.x` is required, `{.x}` optional, `.{a|b}` exactly one and
/// `{.a|b}` at most one of the list. Each token sets the argument of the op
/// that has such a case; type tokens set `ty`, then `ty2`. The order of
/// modifiers in the text is free, except for the relative order of types.
///
/// Operands, in the order of the text: `name{:type}`. Without a type, the
/// operand has the instruction's first type; `:2` is the second type, `:w` is
/// the first at twice its width, anything else a PTX type. Around the name:
///   [a]     address                      a*   vector if `.v2/.v4/.v8` is given
///   !c      predicate that may be negated  %a  special register or symbol too
///   {|q}    second destination           {, b} optional trailing operand
///   a*4     vector of 4                  a*N/4 vector of n of `.mMnNkK` / 4
///   a*D     vector of N of `.Nd`
///   a*2x    vector of 2 * N of `.xN`     [a,c*2] address of several parts
///   #n=4|8  constant (of these values)   #n=0..3 (of this range)
///   -a      may be written `-a`          ~a    may name a part: `a.b0`
///                                        ~2a, ~4a  may name 2 or 4: `a.h10`
///   _       nothing but `_`             &c    the carry flag; not in the text
///   +d      destination that is read, too (of a `Ptx_RowOp`)
///   ?p      operand that changes no result: checked, but not kept in IR
///   L:label, f:callee, x:args            control flow
class Form<string syntax, list<Since> since = [Since<"1.0", "sm_10+">]> {
  string Syntax = syntax;
  list<Since> Availability = since;
}

/// The last minor versions of PTX 1, 2, 3 and so on.
def Ptx_Versions {
  list<int> LastMinor = [5, 3, 2, 3, 1, 5, 8, 8, 4];
}

/// The target architectures that a PTX version introduced. The records below
/// are ordered from the oldest to the newest architecture. They follow ptxas,
/// not the manual: the manual does not name sm_82, and ptxas accepts sm_70 and
/// sm_88 in earlier versions than the manual says.
class Targets<string ptxVersion, list<string> names> {
  string PtxVersion = ptxVersion;
  list<string> Names = names;
}
def Ptx_Targets {
  list<Targets> All = [
    Targets<"1.0", ["sm_10", "sm_11"]>, Targets<"1.2", ["sm_12", "sm_13"]>,
    Targets<"2.0", ["sm_20", "sm_21"]>, Targets<"3.0", ["sm_30"]>,
    Targets<"4.0", ["sm_32"]>, Targets<"3.1", ["sm_35"]>,
    Targets<"4.1", ["sm_37"]>, Targets<"4.0", ["sm_50"]>,
    Targets<"4.1", ["sm_52"]>, Targets<"4.2", ["sm_53"]>,
    Targets<"5.0", ["sm_60", "sm_61", "sm_62"]>, Targets<"5.1", ["sm_70"]>,
    Targets<"6.1", ["sm_72"]>, Targets<"6.3", ["sm_75"]>,
    Targets<"7.0", ["sm_80"]>, Targets<"6.2", ["sm_82"]>,
    Targets<"7.1", ["sm_86"]>, Targets<"7.4", ["sm_87"]>,
    Targets<"7.3", ["sm_88"]>, Targets<"7.8", ["sm_89", "sm_90"]>,
    Targets<"8.0", ["sm_90a"]>, Targets<"8.6", ["sm_100", "sm_100a"]>,
    Targets<"8.8", ["sm_100f"]>, Targets<"8.6", ["sm_101", "sm_101a"]>,
    Targets<"8.8", ["sm_101f", "sm_103", "sm_103a", "sm_103f"]>,
    Targets<"9.0", ["sm_110", "sm_110a", "sm_110f"]>,
    Targets<"8.7", ["sm_120", "sm_120a"]>,
    Targets<"8.8", ["sm_120f", "sm_121", "sm_121a", "sm_121f"]>];
}

/// A modifier that is newer than the forms it stands in.
class TokenSince<string token, string ptxVersion, string target> {
  string Token = token;
  Since Availability = Since<ptxVersion, target>;
}
def : TokenSince<"cluster", "7.8", "sm_90+">;
def : TokenSince<"shared::cta", "7.8", "sm_30+">;
def : TokenSince<"shared::cluster", "7.8", "sm_90+">;
def : TokenSince<"param::entry", "8.3", "sm_30+">;
def : TokenSince<"L1::evict_normal", "7.4", "sm_70+">;
def : TokenSince<"L1::evict_unchanged", "7.4", "sm_70+">;
def : TokenSince<"L1::evict_first", "7.4", "sm_70+">;
def : TokenSince<"L1::evict_last", "7.4", "sm_70+">;
def : TokenSince<"L1::no_allocate", "7.4", "sm_70+">;
def : TokenSince<"L2::cache_hint", "7.4", "sm_80+">;
def : TokenSince<"L2::64B", "7.4", "sm_75+">;
def : TokenSince<"L2::128B", "7.4", "sm_75+">;
def : TokenSince<"L2::256B", "7.4", "sm_80+">;
def : TokenSince<"param::func", "8.3", "sm_30+">;

def : TokenSince<"m8n32k16", "6.1", "sm_70+">;
def : TokenSince<"m32n8k16", "6.1", "sm_70+">;

/// A modifier that an instruction must have from a PTX version on. Older text
/// implies the modifier and must not spell it.
class TokenImplied<string opcode, string token, string ptxVersion> {
  string Opcode = opcode;
  string Token = token;
  string PtxVersion = ptxVersion;
}
def : TokenImplied<"wmma", "aligned", "6.3">;

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

class Ptx_Enum<string cppName, list<I32EnumAttrCase> cases>
    : I32EnumAttr<cppName, "", cases> {
  let cppNamespace = "::ptxjit::ptx";
  let genSpecializedAttr = 0;
}

/// A modifier with several tokens, of which one may be present.
class Ptx_Modifier<Ptx_Enum cases, string mnemonic>
    : EnumAttr<Ptx_Dialect, cases, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

/// A modifier that is present or absent.
class Ptx_Flag<string token>
    : Attr<CPred<"::llvm::isa<::mlir::UnitAttr>($_self)">, "unit attribute"> {
  let storageType = [{ ::mlir::UnitAttr }];
  let constBuilderCall =
      "(($0) ? $_builder.getUnitAttr() : ::mlir::UnitAttr())";
  let convertFromStorage = "$_self != nullptr";
  let returnType = "bool";
  let defaultValue = "false";
  let valueType = NoneType;
  let isOptional = 1;
  string Token = token;
}

class Case<int value, string token, string symbol = token>
    : I32EnumAttrCase<symbol, value, token>;

def Ptx_ScalarTypeEnum : Ptx_Enum<"ScalarType", [
  Case<0, "pred", "Pred">,
  Case<1, "b8", "B8">, Case<2, "b16", "B16">, Case<3, "b32", "B32">,
  Case<4, "b64", "B64">, Case<5, "b128", "B128">,
  Case<6, "u8", "U8">, Case<7, "u16", "U16">, Case<8, "u32", "U32">,
  Case<9, "u64", "U64">,
  Case<10, "s8", "S8">, Case<11, "s16", "S16">, Case<12, "s32", "S32">,
  Case<13, "s64", "S64">,
  Case<14, "f16", "F16">, Case<15, "f32", "F32">, Case<16, "f64", "F64">,
  // bf16 and all later types are types of instructions, but not of registers.
  Case<17, "f16x2", "F16x2">, Case<18, "bf16", "BF16">,
  Case<19, "bf16x2", "BF16x2">, Case<20, "tf32", "TF32">,
  Case<21, "u16x2", "U16x2">, Case<22, "s16x2", "S16x2">,
  Case<23, "f32x2", "F32x2">,
  Case<24, "e4m3x2", "E4M3x2">, Case<25, "e5m2x2", "E5M2x2">,
  Case<26, "e2m1x2", "E2M1x2">, Case<27, "e2m3x2", "E2M3x2">,
  Case<28, "e3m2x2", "E3M2x2">, Case<29, "ue8m0x2", "UE8M0x2">,
  Case<30, "u2", "U2">, Case<31, "s2", "S2">, Case<32, "u4", "U4">,
  Case<33, "s4", "S4">,
  Case<34, "u8x4", "U8x4">, Case<35, "s8x4", "S8x4">]>;
def Ptx_ScalarType : Ptx_Modifier<Ptx_ScalarTypeEnum, "scalar">;

def Ptx_RoundingEnum : Ptx_Enum<"Rounding", [
  Case<0, "rn", "RN">, Case<1, "rz", "RZ">, Case<2, "rm", "RM">,
  Case<3, "rp", "RP">, Case<4, "rni", "RNI">, Case<5, "rzi", "RZI">,
  Case<6, "rmi", "RMI">, Case<7, "rpi", "RPI">, Case<8, "rna", "RNA">,
  Case<9, "rs", "RS">]>;
def Ptx_Rounding : Ptx_Modifier<Ptx_RoundingEnum, "rounding">;

/// The formats of four numbers packed in one register.
def Ptx_QuadFormatEnum : Ptx_Enum<"QuadFormat", [
  Case<0, "e4m3x4", "E4M3x4">, Case<1, "e5m2x4", "E5M2x4">,
  Case<2, "e2m3x4", "E2M3x4">, Case<3, "e3m2x4", "E3M2x4">,
  Case<4, "e2m1x4", "E2M1x4">]>;
def Ptx_QuadFormat : Ptx_Modifier<Ptx_QuadFormatEnum, "quad_format">;

def Ptx_CompareEnum : Ptx_Enum<"Compare", [
  Case<0, "eq", "EQ">, Case<1, "ne", "NE">, Case<2, "lt", "LT">,
  Case<3, "le", "LE">, Case<4, "gt", "GT">, Case<5, "ge", "GE">,
  Case<6, "lo", "LO">, Case<7, "ls", "LS">, Case<8, "hi", "HI">,
  Case<9, "hs", "HS">, Case<10, "equ", "EQU">, Case<11, "neu", "NEU">,
  Case<12, "ltu", "LTU">, Case<13, "leu", "LEU">, Case<14, "gtu", "GTU">,
  Case<15, "geu", "GEU">, Case<16, "num", "NUM">, Case<17, "nan", "NAN_">]>;
def Ptx_Compare : Ptx_Modifier<Ptx_CompareEnum, "compare">;

def Ptx_BoolOpEnum : Ptx_Enum<"BoolOp", [
  Case<0, "and", "And">, Case<1, "or", "Or">, Case<2, "xor", "Xor">]>;
def Ptx_BoolOp : Ptx_Modifier<Ptx_BoolOpEnum, "bool_op">;

/// The part of a product that is the result: `.lo`, `.hi` or `.wide`.
def Ptx_PartEnum : Ptx_Enum<"Part", [
  Case<0, "lo", "Lo">, Case<1, "hi", "Hi">, Case<2, "wide", "Wide">]>;
def Ptx_Part : Ptx_Modifier<Ptx_PartEnum, "part">;

def Ptx_SpaceEnum : Ptx_Enum<"Space", [
  Case<0, "generic", "Generic">, Case<1, "global", "Global">,
  Case<2, "shared", "Shared">, Case<3, "shared::cta", "SharedCta">,
  Case<4, "local", "Local">, Case<5, "const", "Const">,
  Case<6, "param", "Param">, Case<7, "param::entry", "ParamEntry">,
  Case<8, "param::func", "ParamFunc">, Case<9, "reg", "Reg">,
  Case<10, "shared::cluster", "SharedCluster">]>;
def Ptx_Space : Ptx_Modifier<Ptx_SpaceEnum, "space">;

def Ptx_VectorEnum : Ptx_Enum<"VectorSize", [
  Case<2, "v2", "V2">, Case<4, "v4", "V4">, Case<8, "v8", "V8">]>;
def Ptx_Vector : Ptx_Modifier<Ptx_VectorEnum, "vector_size">;

def Ptx_OrderEnum : Ptx_Enum<"Order", [
  Case<0, "weak", "Weak">, Case<1, "volatile", "Volatile">,
  Case<2, "relaxed", "Relaxed">, Case<3, "acquire", "Acquire">,
  Case<4, "release", "Release">, Case<5, "acq_rel", "AcqRel">,
  Case<6, "sc", "Sc">]>;
def Ptx_Order : Ptx_Modifier<Ptx_OrderEnum, "order">;

def Ptx_ScopeEnum : Ptx_Enum<"Scope", [
  Case<0, "cta", "Cta">, Case<1, "cluster", "Cluster">, Case<2, "gpu", "Gpu">,
  Case<3, "sys", "Sys">, Case<4, "gl", "Gl">]>;
def Ptx_Scope : Ptx_Modifier<Ptx_ScopeEnum, "scope">;

def Ptx_CacheEnum : Ptx_Enum<"CacheOp", [
  Case<0, "ca", "CA">, Case<1, "cg", "CG">, Case<2, "cs", "CS">,
  Case<3, "lu", "LU">, Case<4, "cv", "CV">, Case<5, "wb", "WB">,
  Case<6, "wt", "WT">]>;
def Ptx_Cache : Ptx_Modifier<Ptx_CacheEnum, "cache">;

def Ptx_AtomicEnum : Ptx_Enum<"AtomicOp", [
  Case<0, "add", "Add">, Case<1, "min", "Min">, Case<2, "max", "Max">,
  Case<3, "inc", "Inc">, Case<4, "dec", "Dec">, Case<5, "and", "And">,
  Case<6, "or", "Or">, Case<7, "xor", "Xor">, Case<8, "exch", "Exch">,
  Case<9, "cas", "Cas">]>;
def Ptx_Atomic : Ptx_Modifier<Ptx_AtomicEnum, "atomic">;

def Ptx_ShuffleEnum : Ptx_Enum<"ShuffleMode", [
  Case<0, "up", "Up">, Case<1, "down", "Down">, Case<2, "bfly", "Bfly">,
  Case<3, "idx", "Idx">]>;
def Ptx_Shuffle : Ptx_Modifier<Ptx_ShuffleEnum, "shuffle">;

def Ptx_VoteEnum : Ptx_Enum<"VoteMode", [
  Case<0, "all", "All">, Case<1, "any", "Any">, Case<2, "uni", "Uni">,
  Case<3, "ballot", "Ballot">]>;
def Ptx_Vote : Ptx_Modifier<Ptx_VoteEnum, "vote_mode">;

def Ptx_MatchEnum : Ptx_Enum<"MatchMode", [
  Case<0, "any", "Any">, Case<1, "all", "All">]>;
def Ptx_Match : Ptx_Modifier<Ptx_MatchEnum, "match_mode">;

def Ptx_BarrierModeEnum : Ptx_Enum<"BarrierMode", [
  Case<0, "sync", "Sync">, Case<1, "arrive", "Arrive">, Case<2, "red", "Red">]>;
def Ptx_BarrierMode : Ptx_Modifier<Ptx_BarrierModeEnum, "barrier_mode">;

def Ptx_BarrierReduceEnum : Ptx_Enum<"BarrierReduce", [
  Case<0, "popc", "Popc">, Case<1, "and", "And">, Case<2, "or", "Or">]>;
def Ptx_BarrierReduce : Ptx_Modifier<Ptx_BarrierReduceEnum, "barrier_reduce">;

def Ptx_DirectionEnum : Ptx_Enum<"Direction", [
  Case<0, "l", "Left">, Case<1, "r", "Right">]>;
def Ptx_Direction : Ptx_Modifier<Ptx_DirectionEnum, "direction">;

def Ptx_ClampEnum : Ptx_Enum<"ShiftMode", [
  Case<0, "clamp", "Clamp">, Case<1, "wrap", "Wrap">]>;
def Ptx_Clamp : Ptx_Modifier<Ptx_ClampEnum, "shift_mode">;

def Ptx_PermuteEnum : Ptx_Enum<"PermuteMode", [
  Case<0, "f4e", "F4E">, Case<1, "b4e", "B4E">, Case<2, "rc8", "RC8">,
  Case<3, "ecl", "ECL">, Case<4, "ecr", "ECR">, Case<5, "rc16", "RC16">]>;
def Ptx_Permute : Ptx_Modifier<Ptx_PermuteEnum, "permute">;

def Ptx_TestEnum : Ptx_Enum<"FloatTest", [
  Case<0, "finite", "Finite">, Case<1, "infinite", "Infinite">,
  Case<2, "number", "Number">, Case<3, "notanumber", "NotANumber">,
  Case<4, "normal", "Normal">, Case<5, "subnormal", "Subnormal">]>;
def Ptx_Test : Ptx_Modifier<Ptx_TestEnum, "float_test">;

/// The types of variables that kernels know textures by.
def Ptx_OpaqueTypeEnum : Ptx_Enum<"OpaqueType", [
  Case<0, "texref", "Texref">, Case<1, "samplerref", "Samplerref">,
  Case<2, "surfref", "Surfref">]>;
def Ptx_OpaqueType : Ptx_Modifier<Ptx_OpaqueTypeEnum, "opaque_type">;

def Flag_Ftz : Ptx_Flag<"ftz">;
def Flag_Sat : Ptx_Flag<"sat">;
def Flag_Approx : Ptx_Flag<"approx">;
def Flag_Full : Ptx_Flag<"full">;
def Flag_NaN : Ptx_Flag<"NaN">;
def Flag_Relu : Ptx_Flag<"relu">;
def Flag_Satfinite : Ptx_Flag<"satfinite">;
def Flag_Oob : Ptx_Flag<"oob">;
def Flag_Abs : Ptx_Flag<"abs">;
def Flag_Xorsign : Ptx_Flag<"xorsign">;
def Flag_Cc : Ptx_Flag<"cc">;
def Flag_Pack : Ptx_Flag<"pack">;
def Flag_Idx : Ptx_Flag<"idx">;
def Flag_Uni : Ptx_Flag<"uni">;
def Flag_Sync : Ptx_Flag<"sync">;
def Flag_Aligned : Ptx_Flag<"aligned">;
def Flag_Nc : Ptx_Flag<"nc">;
def Flag_To : Ptx_Flag<"to">;
def Flag_Shiftamt : Ptx_Flag<"shiftamt">;
def Flag_Warp : Ptx_Flag<"warp">;
def Flag_Cta : Ptx_Flag<"cta">;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Ptx_Type<string name, string typeMnemonic> : TypeDef<Ptx_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Ptx_SlotType : Ptx_Type<"Slot", "slot"> {
  let summary = "a virtual register that can be read and written, before SSA";
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// One instruction: its op, its forms, and the anchor of its section in the ISA
/// document (anchors are stable, section numbers are not). Parser, printer and
/// verifier work from the forms.
class Ptx_Instr<string mnemonic, string isa, list<Form> forms,
                list<Trait> traits = []>
    : Op<Ptx_Dialect, mnemonic, traits> {
  string IsaAnchor = isa;
  list<Form> Forms = forms;
  /// Registers may be wider than the instruction type: sources are truncated,
  /// destinations extended. ISA: "operand size exceeding instruction-type
  /// size".
  bit WideOperands = 0;
  /// Modifiers that change no result: accepted, but not kept in IR.
  list<string> Ignored = [];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return parseInstruction(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      printInstruction(printer, *this);
    }
    ::llvm::LogicalResult $cppClass::verify() {
      return verifyInstruction(*this);
    }
  }];
}

/// Interfaces whose methods are written in C++.
defvar AddressArithmetic = DeclareOpInterfaceMethods<AddressOpInterface>;
defvar Widens = DeclareOpInterfaceMethods<WideningOpInterface>;
defvar Polls =
    DeclareOpInterfaceMethods<CommunicatingOpInterface, ["getPolling"]>;
/// Overrides the meeting space of CommunicatingOpInterface: threads wait for an
/// mbarrier, which is in shared memory.
defvar MeetsInShared = [{
  std::optional<Space> getMeetingSpace() { return Space::Shared; }
}];
defvar MeetsInGlobal = [{
  std::optional<Space> getMeetingSpace() { return Space::Global; }
}];
/// A loop may repeat the op until another thread does something.
defvar Polled = [{ Polling getPolling() { return Polling::Same; } }];
/// No polling thread can be waiting for the op: it only reads memory, or others
/// may read what it writes only after a later op that releases it.
defvar ReleasesNothing = [{ bool mayRelease() { return false; } }];
defvar WarpDependent = DeclareOpInterfaceMethods<WarpDependentOpInterface>;

/// d = f(a), f(a, b) or f(a, b, c), without side effects.
class Ptx_Unary<string mnemonic, string isa, list<Form> forms,
                dag modifiers = (ins), list<Trait> traits = []>
    : Ptx_Instr<mnemonic, isa, forms, !listconcat([Pure, LaneWise], traits)> {
  let arguments = !con((ins AnyType:$a, Ptx_ScalarType:$ty), modifiers);
  let results = (outs AnyType:$d);
}
class Ptx_Binary<string mnemonic, string isa, list<Form> forms,
                 dag modifiers = (ins), list<Trait> traits = []>
    : Ptx_Instr<mnemonic, isa, forms, !listconcat([Pure, LaneWise], traits)> {
  let arguments = !con((ins AnyType:$a, AnyType:$b, Ptx_ScalarType:$ty),
                       modifiers);
  let results = (outs AnyType:$d);
}
class Ptx_Ternary<string mnemonic, string isa, list<Form> forms,
                  dag modifiers = (ins), list<Trait> traits = []>
    : Ptx_Instr<mnemonic, isa, forms, !listconcat([Pure, LaneWise], traits)> {
  let arguments = !con((ins AnyType:$a, AnyType:$b, AnyType:$c,
                        Ptx_ScalarType:$ty), modifiers);
  let results = (outs AnyType:$d);
}

/// An instruction whose number of operands depends on the form. Attributes hold
/// its modifiers, as in any `Ptx_Instr`. All operands are in one list, in the
/// order of the text: vectors element by element, addresses with their offset
/// added. `RowForms` records hold the forms. An op that stands for several
/// opcodes has an attribute `opcode`.
class Ptx_RowOp<string mnemonic, list<Trait> traits>
    : Op<Ptx_Dialect, mnemonic, traits> {
  /// Modifiers that change no result: accepted, but not kept in IR.
  list<string> Ignored = [];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return parseRowInstruction(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      printRowInstruction(printer, *this);
    }
    ::llvm::LogicalResult $cppClass::verify() {
      return verifyRowInstruction(*this);
    }
  }];
}

/// Forms that are parsed, checked and printed, but not executed yet: a kernel
/// that contains one is refused when it is compiled. They all become
/// `ptx.unlowered`. Operands whose names begin with `d` are destinations.
class Known<string opcode, string isa, list<Form> forms> {
  string Opcode = opcode;
  string IsaAnchor = isa;
  list<Form> Forms = forms;
  string OpName = "unlowered";
}
/// The forms of a `Ptx_RowOp`, which is executed, unlike a `Known` form.
class RowForms<string opcode, Op op, string isa, list<Form> forms>
    : Known<opcode, isa, forms> {
  Op IrOp = op;
  let OpName = op.opName;
}
/// Forms that change no result, such as prefetches, cache policies and numbers
/// of registers. They become `ptx.advice`, which normalization removes; their
/// destinations get 0.
class Advice<string opcode, string isa, list<Form> forms>
    : Known<opcode, isa, forms> {
  let OpName = "advice";
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// One CTA, or a pair of CTAs of a cluster, whose ranks differ in bit 0. With
/// `.cta_group::2` the mbarrier of a copy may be in the other one.
def Ptx_CtaGroupEnum : Ptx_Enum<"CtaGroup", [
  Case<1, "cta_group::1", "One">, Case<2, "cta_group::2", "Two">]>;
def Ptx_CtaGroup : Ptx_Modifier<Ptx_CtaGroupEnum, "cta_group">;

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

/// An mbarrier counts the bytes of the copy.
defvar CompleteTx = "mbarrier::complete_tx::bytes";
/// Modifiers of bulk copies that their ops do not keep.
defvar BulkTokens = [
  "async", "bulk", "reduce", "global", "shared::cta", "shared::cluster",
  "bulk_group", "mbarrier::complete_tx::bytes", "multicast::cluster", "cp_mask",
  "L2::cache_hint", "noftz", "weak", "cluster", "relaxed", "mmio"];
#endif // PTXJIT_DIALECT_PTXBASE_TD
