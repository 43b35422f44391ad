//===- PtxCompare.td - comparison, selection, logic and shifts ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXCOMPARE_TD
#define PTXJIT_DIALECT_PTXCOMPARE_TD
include "ptxjit/Dialect/PtxBase.td"

defvar CmpBits = "eq|ne";
defvar CmpSigned = "eq|ne|lt|le|gt|ge";
defvar CmpUnsigned = !strconcat(CmpSigned, "|lo|ls|hi|hs");
defvar CmpFloat = !strconcat(CmpSigned, "|equ|neu|ltu|leu|gtu|geu|num|nan");
defvar AnyBool = "and|or|xor";

class SetpForms<string kind> {
  list<Form> L = [Form<!strconcat("setp.", kind, " p:pred{|q}, a, b")>,
                  Form<!strconcat("setp.{", AnyBool, "}.", kind, " p:pred{|q}, a, b, !c:pred")>];
}
class HalfSetpForms<string type, string second, Since since> {
  list<Form> L = [
    Form<!strconcat("setp.{", CmpFloat, "}", type, " p:pred", second, ", a, b"), [since]>,
    Form<!strconcat("setp.{", CmpFloat, "}.{", AnyBool, "}", type,
                    " p:pred", second, ", a, b, !c:pred"), [since]>];
}
def Ptx_SetpOp : Ptx_Instr<"setp",
    "comparison-and-selection-instructions-setp",
    !listconcat(SetpForms<!strconcat("{", CmpBits, "}.{b16|b32|b64}")>.L,
                SetpForms<!strconcat("{", CmpUnsigned, "}.{u16|u32|u64}")>.L,
                SetpForms<!strconcat("{", CmpSigned, "}.{s16|s32|s64}")>.L,
                SetpForms<!strconcat("{", CmpFloat, "}{.ftz}.f32")>.L,
                SetpForms<!strconcat("{", CmpFloat, "}.f64")>.L,
                HalfSetpForms<"{.ftz}.f16", "", Since<"4.2", "sm_53+">>.L,
                HalfSetpForms<"{.ftz}.f16x2", "{|q}", Since<"4.2", "sm_53+">>.L,
                HalfSetpForms<".bf16", "", Since<"7.8", "sm_90+">>.L,
                HalfSetpForms<".bf16x2", "{|q}", Since<"7.8", "sm_90+">>.L),
    [Pure, LaneWise]> {
  let summary = "p = (a cmp b) BoolOp c; q = !(a cmp b) BoolOp c";
  let description = [{
    For packed types, p compares the low halves and q the high ones.
  }];
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<AnyType>:$c,
                       Ptx_ScalarType:$ty, Ptx_Compare:$cmp,
                       OptionalAttr<Ptx_BoolOp>:$boolop, Flag_Ftz:$ftz);
  let results = (outs Variadic<I1>:$p);
}

class SetForms<string kind, Since since = Since<"1.0", "sm_10+">> {
  list<Form> L = [Form<!strconcat("set.", kind, " d, a:2, b:2"), [since]>,
                  Form<!strconcat("set.{", AnyBool, "}.", kind, " d, a:2, b:2, !c:pred"), [since]>];
}
defvar HalfSet = Since<"4.2", "sm_53+">;
defvar HalfSetInt = Since<"6.5", "sm_53+">;
defvar BrainSet = Since<"7.8", "sm_90+">;
def Ptx_SetOp : Ptx_Instr<"set", "comparison-and-selection-instructions-set",
    !listconcat(
        SetForms<!strconcat("{", CmpBits, "}.{u32|s32|f32}.{b16|b32|b64}")>.L,
        SetForms<!strconcat("{", CmpUnsigned, "}.{u32|s32|f32}.{u16|u32|u64}")>.L,
        SetForms<!strconcat("{", CmpSigned, "}.{u32|s32|f32}.{s16|s32|s64}")>.L,
        SetForms<!strconcat("{", CmpFloat, "}{.ftz}.{u32|s32|f32}.f32")>.L,
        SetForms<!strconcat("{", CmpFloat, "}.{u32|s32|f32}.f64")>.L,
        SetForms<!strconcat("{", CmpBits, "}.f16.{b16|b32|b64}"), HalfSet>.L,
        SetForms<!strconcat("{", CmpUnsigned, "}.f16.{u16|u32|u64}"), HalfSet>.L,
        SetForms<!strconcat("{", CmpSigned, "}.f16.{s16|s32|s64}"), HalfSet>.L,
        SetForms<!strconcat("{", CmpFloat, "}{.ftz}.f16.{f16|f32}"), HalfSet>.L,
        SetForms<!strconcat("{", CmpFloat, "}.f16.f64"), HalfSet>.L,
        SetForms<!strconcat("{", CmpFloat, "}{.ftz}.{u16|s16|u32|s32}.f16"), HalfSetInt>.L,
        SetForms<!strconcat("{", CmpFloat, "}{.ftz}.f16x2.f16x2"), HalfSet>.L,
        SetForms<!strconcat("{", CmpFloat, "}{.ftz}.{u32|s32}.f16x2"), HalfSetInt>.L,
        SetForms<!strconcat("{", CmpBits, "}.bf16.{b16|b32|b64}"), BrainSet>.L,
        SetForms<!strconcat("{", CmpUnsigned, "}.bf16.{u16|u32|u64}"), BrainSet>.L,
        SetForms<!strconcat("{", CmpSigned, "}.bf16.{s16|s32|s64}"), BrainSet>.L,
        SetForms<!strconcat("{", CmpFloat, "}.bf16.{f16|bf16|f32|f64}"), BrainSet>.L,
        SetForms<!strconcat("{", CmpFloat, "}.{u16|s16|u32|s32}.bf16"), BrainSet>.L,
        SetForms<!strconcat("{", CmpFloat, "}.{bf16x2|u32|s32}.bf16x2"), BrainSet>.L),
    [Pure, LaneWise]> {
  let summary = "setp to a number: true is ~0 or 1.0, in each half if packed";
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<AnyType>:$c,
                       Ptx_ScalarType:$ty, Ptx_ScalarType:$ty2,
                       Ptx_Compare:$cmp, OptionalAttr<Ptx_BoolOp>:$boolop,
                       Flag_Ftz:$ftz);
  let results = (outs AnyType:$d);
}
/// SelectLikeOpInterface of ops that select a or b by c.
defvar SelectsByC = [{
  ::mlir::Value getCondition() { return getC(); }
  ::mlir::Value getTrueValue() { return getA(); }
  ::mlir::Value getFalseValue() { return getB(); }
}];
def Ptx_SelpOp : Ptx_Ternary<"selp",
    "comparison-and-selection-instructions-selp",
    [Form<"selp.{b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64} "
          "d, a, b, !c:pred">],
    (ins), [AddressArithmetic, SelectLikeOpInterface]> {
  let summary = "selects a if the predicate c is true, else b";
  let extraClassDeclaration = SelectsByC;
}
def Ptx_SlctOp : Ptx_Ternary<"slct",
    "comparison-and-selection-instructions-slct",
    [Form<"slct.{b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}.s32 "
          "d, a, b, c:2">,
     Form<"slct{.ftz}.{b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}.f32 "
          "d, a, b, c:2">],
    (ins Ptx_ScalarType:$ty2, Flag_Ftz:$ftz), [SelectLikeOpInterface]> {
  let summary = "c >= 0 ? a : b";
  let extraClassDeclaration = SelectsByC;
}

//===----------------------------------------------------------------------===//
// Logic and shifts
//===----------------------------------------------------------------------===//

class Ptx_Logic<string opcode, list<Trait> traits = []>
    : Ptx_Binary<opcode, !strconcat("logic-and-shift-instructions-", opcode),
        [Form<!strconcat(opcode, ".{b16|b32|b64} d, a, b")>,
         Form<!strconcat(opcode, ".pred d, !a, !b")>],
        (ins), traits>;
def Ptx_AndOp : Ptx_Logic<"and", [AddressArithmetic]> {
  let summary = "bitwise and; also of predicates";
}
def Ptx_OrOp : Ptx_Logic<"or", [AddressArithmetic]> {
  let summary = "bitwise or; also of predicates";
}
def Ptx_XorOp : Ptx_Logic<"xor"> {
  let summary = "bitwise exclusive or; also of predicates";
}
def Ptx_NotOp : Ptx_Unary<"not", "logic-and-shift-instructions-not",
    [Form<"not.{b16|b32|b64} d, a">, Form<"not.pred d, !a">]> {
  let summary = "bitwise complement; also of predicates";
}
def Ptx_CnotOp : Ptx_Unary<"cnot", "logic-and-shift-instructions-cnot",
    [Form<"cnot.{b16|b32|b64} d, a">]> {
  let summary = "logical negation: a == 0";
}
def Ptx_Lop3Op : Ptx_Instr<"lop3", "logic-and-shift-instructions-lop3",
    [Form<"lop3.b32 d, a, b, c, immLut", [Since<"4.3", "sm_50+">]>],
    [Pure, LaneWise]> {
  let summary = "any bitwise function of three operands, by its truth table";
  let arguments = (ins AnyType:$a, AnyType:$b, AnyType:$c, AnyType:$immLut,
                       Ptx_ScalarType:$ty);
  let results = (outs AnyType:$d);
}
def Ptx_Lop3PredOp : Ptx_Instr<"lop3.pred",
    "logic-and-shift-instructions-lop3",
    [Form<"lop3.{and|or}.b32 d{|p:pred}, a, b, c, immLut, !q:pred",
          [Since<"8.2", "sm_70+">]>], [Pure, LaneWise]> {
  let summary = "lop3; p = (d != 0) BoolOp q";
  let arguments = (ins AnyType:$a, AnyType:$b, AnyType:$c, AnyType:$immLut,
                       I1:$q, Ptx_ScalarType:$ty, Ptx_BoolOp:$boolop);
  let results = (outs Variadic<AnyType>:$d);
}
def Ptx_ShfOp : Ptx_Ternary<"shf", "logic-and-shift-instructions-shf",
    [Form<"shf.{l|r}.{clamp|wrap}.b32 d, a, b, c:u32",
          [Since<"3.1", "sm_32+">]>],
    (ins Ptx_Direction:$dir, Ptx_Clamp:$mode)> {
  let summary = "funnel shift of {b, a}";
}
def Ptx_ShlOp : Ptx_Binary<"shl", "logic-and-shift-instructions-shl",
    [Form<"shl.{b16|b32|b64} d, a, b:u32">], (ins), [AddressArithmetic]> {
  let summary = "left shift; amounts above the width count as the width";
}
def Ptx_ShrOp : Ptx_Binary<"shr", "logic-and-shift-instructions-shr",
    [Form<"shr.{b16|b32|b64|u16|u32|u64|s16|s32|s64} d, a, b:u32">]> {
  let summary = "right shift, arithmetic for signed types; amounts clamp";
}
#endif
