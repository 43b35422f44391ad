//===- PtxMemory.td - loads, stores, atomics, fences ----------------------===//

#ifndef PTXJIT_DIALECT_PTXMEMORY_TD
#define PTXJIT_DIALECT_PTXMEMORY_TD
include "ptxjit/Dialect/PtxBase.td"

defvar LdSpace = "{.global|shared|shared::cta|local|const|param|param::entry"
                 "|param::func}";
defvar StSpace = "{.global|shared|shared::cta|local|param|param::func}";
defvar MemType = "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64";

/// `granule`: the address is one of local memory that nobody sees but through
/// accesses marked so, and all of them lie on multiples of so many bytes
/// (InterleaveLocals.cpp).
def Ptx_LdOp : Ptx_Instr<"ld", "data-movement-and-conversion-instructions-ld",
    [Form<!strconcat("ld{.weak}", LdSpace, "{.ca|cg|cs|lu|cv}{.v2|v4}.{", MemType, "} d*, [a]")>,
     Form<!strconcat("ld.volatile{.global|shared|shared::cta|local}{.v2|v4}.{", MemType, "} d*, [a]")>,
     Form<!strconcat("ld.{relaxed|acquire}.{cta|cluster|gpu|sys}"
          "{.global|shared|shared::cta}{.v2|v4}.{", MemType, "} d*, [a]"),
          [Since<"6.0", "sm_70+">]>,
     Form<!strconcat("ld.global{.ca|cg|cs}.nc{.v2|v4}.{", MemType, "} d*, [a]"),
          [Since<"3.1", "sm_32+">]>],
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, MaskedOpInterface]> {
  let WideOperands = 1;
  let arguments = (ins AnyType:$a, Optional<I1>:$mask,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       Ptx_ScalarType:$ty, OptionalAttr<Ptx_Space>:$space,
                       OptionalAttr<Ptx_Order>:$order,
                       OptionalAttr<Ptx_Scope>:$scope,
                       OptionalAttr<Ptx_Cache>:$cache,
                       OptionalAttr<Ptx_Vector>:$vec, Flag_Nc:$nc,
                       OptionalAttr<I64Attr>:$granule);
  let results = (outs Variadic<AnyType>:$d);
}
def Ptx_StOp : Ptx_Instr<"st", "data-movement-and-conversion-instructions-st",
    [Form<!strconcat("st{.weak}", StSpace, "{.wb|cg|cs|wt}{.v2|v4}.{", MemType, "} [a], b*")>,
     Form<!strconcat("st.volatile{.global|shared|shared::cta|local}{.v2|v4}.{", MemType, "} [a], b*")>,
     Form<!strconcat("st.{relaxed|release}.{cta|cluster|gpu|sys}"
          "{.global|shared|shared::cta}{.v2|v4}.{", MemType, "} [a], b*"),
          [Since<"6.0", "sm_70+">]>],
    [MemoryEffects<[MemWrite]>, MaskedOpInterface, AttrSizedOperandSegments]> {
  let WideOperands = 1;
  let arguments = (ins AnyType:$a, Variadic<AnyType>:$b, Optional<I1>:$mask,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       Ptx_ScalarType:$ty, OptionalAttr<Ptx_Space>:$space,
                       OptionalAttr<Ptx_Order>:$order,
                       OptionalAttr<Ptx_Scope>:$scope,
                       OptionalAttr<Ptx_Cache>:$cache,
                       OptionalAttr<Ptx_Vector>:$vec,
                       OptionalAttr<I64Attr>:$granule);
}

defvar AtomMods = "{.relaxed|acquire|release|acq_rel}{.cta|cluster|gpu|sys}"
                  "{.global|shared|shared::cta}";
class AtomForms<string opcode, string dst> {
  list<Form> L = [
    Form<!strconcat(opcode, AtomMods, ".add.{u32|s32|u64|f32} ", dst, "[a], b"),
         [Since<"1.1", "sm_11+">]>,
    Form<!strconcat(opcode, AtomMods, ".add.f64 ", dst, "[a], b"),
         [Since<"5.0", "sm_60+">]>,
    Form<!strconcat(opcode, AtomMods, ".{min|max}.{u32|s32|u64|s64} ", dst, "[a], b"),
         [Since<"1.1", "sm_11+">]>,
    Form<!strconcat(opcode, AtomMods, ".{inc|dec}.u32 ", dst, "[a], b"),
         [Since<"1.1", "sm_11+">]>,
    Form<!strconcat(opcode, AtomMods, ".{and|or|xor}.{b32|b64} ", dst, "[a], b"),
         [Since<"1.1", "sm_11+">]>];
}
def Ptx_AtomOp : Ptx_Instr<"atom",
    "parallel-synchronization-and-communication-instructions-atom",
    !listconcat(AtomForms<"atom", "d, ">.L,
      [Form<!strconcat("atom", AtomMods, ".exch.{b32|b64} d, [a], b"),
            [Since<"1.1", "sm_11+">]>,
       Form<!strconcat("atom", AtomMods, ".cas.{b32|b64} d, [a], b, c"),
            [Since<"1.1", "sm_11+">]>]),
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface,
     AttrSizedOperandSegments]> {
  let summary = "atomic update; d is the old value";
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<AnyType>:$c,
                       Optional<I1>:$mask,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       Ptx_ScalarType:$ty, OptionalAttr<Ptx_Space>:$space,
                       OptionalAttr<Ptx_Order>:$order,
                       OptionalAttr<Ptx_Scope>:$scope, Ptx_Atomic:$op);
  let results = (outs AnyType:$d);
}
def Ptx_RedOp : Ptx_Instr<"red",
    "parallel-synchronization-and-communication-instructions-red",
    AtomForms<"red", "">.L,
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface]> {
  let summary = "atomic update without a result";
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<I1>:$mask,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       Ptx_ScalarType:$ty, OptionalAttr<Ptx_Space>:$space,
                       OptionalAttr<Ptx_Order>:$order,
                       OptionalAttr<Ptx_Scope>:$scope, Ptx_Atomic:$op);
}
def Ptx_MembarOp : Ptx_Instr<"membar",
    "parallel-synchronization-and-communication-instructions-membar-fence",
    [Form<"membar.{cta|gl|sys}">], [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins Ptx_Scope:$scope);
}
def Ptx_FenceOp : Ptx_Instr<"fence",
    "parallel-synchronization-and-communication-instructions-membar-fence",
    [Form<"fence{.sc|acq_rel}.{cta|cluster|gpu|sys}",
          [Since<"6.0", "sm_70+">]>],
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins OptionalAttr<Ptx_Order>:$order, Ptx_Scope:$scope);
}
//===----------------------------------------------------------------------===//
// The stack
//===----------------------------------------------------------------------===//

def Ptx_AllocaOp : Ptx_Instr<"alloca", "stack-manipulation-instructions-alloca",
    [Form<"alloca.{u32|u64} d, a{, b:u32}", [Since<"7.3", "sm_52+">]>],
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "`a` bytes of local memory until the function returns";
  let description = "`b` is the alignment, a constant; 8 without.";
  let arguments = (ins AnyType:$a, Optional<AnyType>:$b,
                       Ptx_ScalarType:$ty);
  let results = (outs AnyType:$d);
}
def Ptx_StackSaveOp : Ptx_Instr<"stacksave",
    "stack-manipulation-instructions-stacksave",
    [Form<"stacksave.{u32|u64} d", [Since<"7.3", "sm_52+">]>],
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "where the stack ends now";
  let arguments = (ins Ptx_ScalarType:$ty);
  let results = (outs AnyType:$d);
}
def Ptx_StackRestoreOp : Ptx_Instr<"stackrestore",
    "stack-manipulation-instructions-stackrestore",
    [Form<"stackrestore.{u32|u64} a", [Since<"7.3", "sm_52+">]>],
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "frees what `alloca` gave since the `stacksave`";
  let arguments = (ins AnyType:$a, Ptx_ScalarType:$ty);
}
#endif
