//===- PtxMultimem.td - multimem accesses to several devices --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime knows which memory a multicast address stands for
// (Runtime/Multicast.h). Any other address is that of one memory.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXMULTIMEM_TD
#define PTXJIT_DIALECT_PTXMULTIMEM_TD
include "ptxjit/Dialect/PtxBase.td"

defvar AsyncFrom86Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">,
    Since<"8.6", "sm_120a">,
    Since<"8.6", "sm_121a">];
defvar Sm90Multimem = [Since<"8.1", "sm_90+">];
defvar Sm90MultimemAcc = [Since<"8.2", "sm_90+">];

/// Formats that are no scalar types.
def Ptx_MultimemFormatEnum : Ptx_Enum<"MultimemFormat", [
  Case<0, "e4m3", "E4M3">, Case<1, "e5m2", "E5M2">,
  Case<2, "e4m3x4", "E4M3x4">, Case<3, "e5m2x4", "E5M2x4">]>;
def Ptx_MultimemFormat
    : Ptx_Modifier<Ptx_MultimemFormatEnum, "multimem_format">;
/// The type of a sum, if it has more digits than the elements.
def Ptx_MultimemSumEnum : Ptx_Enum<"MultimemSum", [
  Case<0, "acc::f16", "F16">, Case<1, "acc::f32", "F32">]>;
def Ptx_MultimemSum : Ptx_Modifier<Ptx_MultimemSumEnum, "multimem_sum">;

class Ptx_Multimem<string mnemonic, list<Form> forms, dag values,
                   dag more = (ins), list<Trait> traits = []>
    : Ptx_Instr<mnemonic,
                "data-movement-and-conversion-instructions-multimem", forms,
                !listconcat([MemoryEffects<[MemRead, MemWrite]>,
                             MaskedOpInterface, CommunicatingOpInterface,
                             SpaceOpInterface, OtherBytes],
                            traits)> {
  let arguments = !con((ins AnyType:$a), values,
      (ins DefaultValuedAttr<I64Attr, "0">:$offset,
           OptionalAttr<Ptx_ScalarType>:$ty,
           OptionalAttr<Ptx_MultimemFormat>:$format,
           OptionalAttr<Ptx_Vector>:$vec,
           OptionalAttr<Ptx_Space>:$space, OptionalAttr<Ptx_Order>:$order,
           OptionalAttr<Ptx_Scope>:$scope), more);
}

defvar Halves = "{f16|f16x2|bf16|bf16x2}";
defvar Quarters1 = "{e4m3|e5m2}";
defvar Quarters2 = "{e4m3x2|e5m2x2}";
defvar Quarters4 = "{e4m3x4|e5m2x4}";

//===----------------------------------------------------------------------===//
// multimem.ld_reduce
//===----------------------------------------------------------------------===//

class MultimemLdForms<string body, list<Since> since = Sm90Multimem> {
  list<Form> L = [
    Form<!strconcat("multimem.ld_reduce{.weak}{.global}", body, ", [a]"), since>,
    Form<!strconcat("multimem.ld_reduce.{relaxed|acquire}.{cta|cluster|gpu|sys}"
                    "{.global}", body, ", [a]"), since>];
}
class MultimemLdQuarters<string op> {
  defvar since = AsyncFrom86Sm100f;
  list<Form> L = !listconcat(
    MultimemLdForms<!strconcat(op, ".{v4|v8}.", Quarters1, " d*:b8"), since>.L,
    MultimemLdForms<!strconcat(op, ".{v2|v4|v8}.", Quarters2, " d*:b16"), since>.L,
    MultimemLdForms<!strconcat(op, "{.v2|v4}.", Quarters4, " d*:b32"), since>.L);
}
def Ptx_MultimemLdOp : Ptx_Multimem<"multimem.ld", !listconcat(
    MultimemLdForms<".{add|min|max}.{u32|u64|s32} d">.L,
    MultimemLdForms<".{min|max}.s64 d">.L,
    MultimemLdForms<".{and|or|xor}.{b32|b64} d">.L,
    MultimemLdForms<".add.{f32|f64} d">.L,
    MultimemLdForms<".add.{v2|v4}.f32 d*">.L,
    MultimemLdForms<".{add|min|max}.{f16x2|bf16x2} d">.L,
    MultimemLdForms<!strconcat(".{add|min|max}.{v2|v4}.", Halves, " d*")>.L,
    MultimemLdForms<".{add|min|max}.v8.{f16|bf16} d*">.L,
    MultimemLdForms<".add.acc::f32.{f16x2|bf16x2} d", Sm90MultimemAcc>.L,
    MultimemLdForms<!strconcat(".add.acc::f32.{v2|v4}.", Halves, " d*"),
                    Sm90MultimemAcc>.L,
    MultimemLdForms<".add.acc::f32.v8.{f16|bf16} d*", Sm90MultimemAcc>.L,
    MultimemLdQuarters<".{add|min|max}">.L,
    MultimemLdQuarters<".add.acc::f16">.L),
    (ins Optional<I1>:$mask),
    (ins Ptx_Atomic:$op, OptionalAttr<Ptx_MultimemSum>:$sum), [VariesByLane]> {
  let summary = "load of the values of all devices, combined";
  let extraClassDeclaration = !strconcat(Polled, ReleasesNothing);
  let Ignored = ["ld_reduce"];
  let results = (outs Variadic<AnyType>:$d);
}

//===----------------------------------------------------------------------===//
// multimem.st, multimem.red
//===----------------------------------------------------------------------===//

class MultimemStForms<string body, list<Since> since = Sm90Multimem> {
  list<Form> L = [
    Form<!strconcat("multimem.st{.weak}{.global}", body), since>,
    Form<!strconcat("multimem.st.{relaxed|release}.{cta|cluster|gpu|sys}"
                    "{.global}", body), since>];
}
def Ptx_MultimemStOp : Ptx_Multimem<"multimem.st", !listconcat(
    MultimemStForms<".{u32|u64|s32|s64|b32|b64|f32|f64|f16x2|bf16x2} [a], b">.L,
    MultimemStForms<".{v2|v4}.{f32|f16|f16x2|bf16|bf16x2} [a], b*">.L,
    MultimemStForms<".v8.{f16|bf16} [a], b*">.L,
    MultimemStForms<!strconcat(".{v4|v8}.", Quarters1, " [a], b*:b8"),
                    AsyncFrom86Sm100f>.L,
    MultimemStForms<!strconcat(".{v2|v4|v8}.", Quarters2, " [a], b*:b16"),
                    AsyncFrom86Sm100f>.L,
    MultimemStForms<!strconcat("{.v2|v4}.", Quarters4, " [a], b*:b32"),
                    AsyncFrom86Sm100f>.L),
    (ins Variadic<AnyType>:$b, Optional<I1>:$mask), (ins),
    [AttrSizedOperandSegments]> {
  let summary = "store to all devices";
  let Ignored = ["st"];
}
class MultimemRedForms<string body> {
  list<Form> L = [
    Form<!strconcat("multimem.red{.global}", body), Sm90Multimem>,
    Form<!strconcat("multimem.red.{relaxed|release}.{cta|cluster|gpu|sys}"
                    "{.global}", body), Sm90Multimem>];
}
def Ptx_MultimemRedOp : Ptx_Multimem<"multimem.red", !listconcat(
    MultimemRedForms<".{add|min|max}.{u32|u64|s32} [a], b">.L,
    MultimemRedForms<".{min|max}.s64 [a], b">.L,
    MultimemRedForms<".{and|or|xor}.{b32|b64} [a], b">.L,
    MultimemRedForms<".add.{f32|f64|f16x2|bf16x2} [a], b">.L,
    MultimemRedForms<".add.{v2|v4}.f32 [a], b*">.L,
    MultimemRedForms<!strconcat(".{add|min|max}.{v2|v4}.", Halves, " [a], b*")>.L,
    MultimemRedForms<".{add|min|max}.v8.{f16|bf16} [a], b*">.L),
    (ins Variadic<AnyType>:$b, Optional<I1>:$mask), (ins Ptx_Atomic:$op),
    [AttrSizedOperandSegments]> {
  let summary = "atomic updates on all devices";
  let Ignored = ["red"];
}
#endif
