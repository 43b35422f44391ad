//===- PtxMemory.td - loads, stores, atomics, fences, stack ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXMEMORY_TD
#define PTXJIT_DIALECT_PTXMEMORY_TD
include "ptxjit/Dialect/PtxBase.td"

defvar LdSpace = "{.global|shared|shared::cta|shared::cluster|local|const|param"
                 "|param::entry|param::func}";
defvar StSpace = "{.global|shared|shared::cta|shared::cluster|local|param"
                 "|param::func}";
defvar CtaSpace = "{.global|shared|shared::cta|shared::cluster|local}";
defvar OrderedSpace = "{.global|shared|shared::cta|shared::cluster}";

// Cache hints, which change no result. Only global and generic accesses may
// have them.
defvar EvictL1 = "{.L1::evict_normal|L1::evict_unchanged|L1::evict_first"
                 "|L1::evict_last|L1::no_allocate}";
defvar EvictL2 = "{.L2::evict_last|L2::evict_normal|L2::evict_first}";
defvar Prefetch = "{.L2::64B|L2::128B|L2::256B}";
defvar CacheTokens = [
    "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
    "L1::evict_last", "L1::no_allocate", "L2::evict_last", "L2::evict_normal",
    "L2::evict_first", "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B"];

/// Scalars and vectors of up to 128 bits.
class DataForms<string head, string operands,
                list<Since> since = [Since<"1.0", "sm_10+">]> {
  list<Form> L = [
    Form<!strconcat(head, "{.v2|v4}.{b32|u32|s32|f32} ", operands), since>,
    Form<!strconcat(head, "{.v2}.{b64|u64|s64|f64} ", operands), since>,
    Form<!strconcat(head, "{.v2|v4|v8}.{b16|u16|s16|b8|u8|s8} ", operands), since>];
}
/// Vectors of 256 bits.
class WideForms<string head, string operands> {
  list<Form> L = [
    Form<!strconcat(head, ".v8.{b32|u32|s32|f32} ", operands), [Since<"8.8", "sm_100+">]>,
    Form<!strconcat(head, ".v4.{b64|u64|s64|f64} ", operands), [Since<"8.8", "sm_100+">]>];
}
/// With cache hints: for L1 (`l1`), the size to prefetch (`sizes`), L2 and a
/// cache policy.
class CachedForms<string head, string operands, string l1, string sizes,
                  list<Since> since = [Since<"1.0", "sm_10+">]> {
  defvar policy = !strconcat(operands, ", ?policy:b64");
  defvar hint = ".L2::cache_hint";
  list<Form> L = !listconcat(
    DataForms<!strconcat(head, l1, sizes), operands, since>.L,
    DataForms<!strconcat(head, l1, hint, sizes), policy, since>.L,
    WideForms<!strconcat(head, l1, EvictL2, sizes), operands>.L,
    WideForms<!strconcat(head, l1, EvictL2, hint, sizes), policy>.L);
}

def Ptx_LdOp : Ptx_Instr<"ld", "data-movement-and-conversion-instructions-ld",
    !listconcat(
      DataForms<!strconcat("ld{.weak}", LdSpace, "{.ca|cg|cs|lu|cv}"), "d*, [a]">.L,
      CachedForms<"ld{.weak}{.global}", "d*, [a]", EvictL1, Prefetch>.L,
      DataForms<!strconcat("ld.volatile", CtaSpace), "d*, [a]">.L,
      DataForms<"ld.volatile.local", "d*, [a]", [Since<"9.1", "sm_10+">]>.L,
      DataForms<!strconcat("ld.volatile{.global}", Prefetch), "d*, [a]">.L,
      WideForms<!strconcat("ld.volatile{.global}", EvictL2, Prefetch), "d*, [a]">.L,
      DataForms<!strconcat("ld.{relaxed|acquire}.{cta|cluster|gpu|sys}", OrderedSpace),
                "d*, [a]", [Since<"6.0", "sm_70+">]>.L,
      CachedForms<"ld.{relaxed|acquire}.{cta|cluster|gpu|sys}{.global}", "d*, [a]",
                  EvictL1, Prefetch, [Since<"6.0", "sm_70+">]>.L,
      [Form<"ld.mmio.relaxed.sys{.global}.{b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64} d*, [a]",
            [Since<"8.2", "sm_70+">]>],
      DataForms<"ld.global{.ca|cg|cs}.nc", "d*, [a]", [Since<"3.1", "sm_32+">]>.L,
      CachedForms<"ld.global.nc", "d*, [a]", EvictL1, Prefetch, [Since<"3.1", "sm_32+">]>.L,
      [Form<"ldu{.global}{.v2|v4}.{b8|u8|s8|b16|u16|s16|b32|u32|s32|f32} d*, [a]", [Since<"2.0", "sm_20+">]>,
       Form<"ldu{.global}{.v2}.{b64|u64|s64|f64} d*, [a]", [Since<"2.0", "sm_20+">]>,
       // A load of b128 has two results, its halves.
       Form<!strconcat("ld{.weak|volatile}", LdSpace, ".b128 d, [a]"), [Since<"8.3", "sm_70+">]>,
       Form<!strconcat("ld.{relaxed|acquire}.{cta|cluster|gpu|sys}", OrderedSpace, ".b128 d, [a]"), [Since<"8.3", "sm_70+">]>,
       Form<"ld.mmio.relaxed.sys{.global}.b128 d, [a]", [Since<"8.4", "sm_70+">]>,
       Form<"ld.global.nc.b128 d, [a]", [Since<"8.3", "sm_70+">]>,
       Form<"ldu{.global}.b128 d, [a]", [Since<"8.3", "sm_70+">]>]),
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, MaskedOpInterface,
     Polls, SpaceOpInterface, DeclareOpInterfaceMethods<AccessOpInterface>]> {
  let summary = "loads a value or a vector from address `a`";
  let description = [{
    The address is `a` plus `offset` bytes, generic without `space`; d are the
    elements, of b128 the halves, the low one first. Without `order` the load is
    weak; with `nc` no thread writes the memory while the kernel runs. `granule`
    marks the accesses to a local variable that is stored by element
    (`ptx-interleave-locals`): all accesses to the variable are marked, and
    their addresses are multiples of `granule` bytes.
  }];
  let WideOperands = 1;
  let extraClassDeclaration = ReleasesNothing;
  let Ignored = !listconcat(CacheTokens, ["mmio"]);
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
    !listconcat(
      DataForms<!strconcat("st{.weak}", StSpace, "{.wb|cg|cs|wt}"), "[a], b*">.L,
      CachedForms<"st{.weak}{.global}", "[a], b*", EvictL1, "">.L,
      DataForms<!strconcat("st.volatile", CtaSpace), "[a], b*">.L,
      DataForms<"st.volatile.local", "[a], b*", [Since<"9.1", "sm_10+">]>.L,
      WideForms<!strconcat("st.volatile{.global}", EvictL2), "[a], b*">.L,
      DataForms<!strconcat("st.{relaxed|release}.{cta|cluster|gpu|sys}", OrderedSpace),
                "[a], b*", [Since<"6.0", "sm_70+">]>.L,
      CachedForms<"st.{relaxed|release}.{cta|cluster|gpu|sys}{.global}", "[a], b*",
                  EvictL1, "", [Since<"6.0", "sm_70+">]>.L,
      [Form<"st.mmio.relaxed.sys{.global}.{b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64} [a], b*",
            [Since<"8.2", "sm_70+">]>,
       Form<!strconcat("st{.weak|volatile}", StSpace, ".b128 [a], b"), [Since<"8.3", "sm_70+">]>,
       Form<!strconcat("st.{relaxed|release}.{cta|cluster|gpu|sys}", OrderedSpace, ".b128 [a], b"), [Since<"8.3", "sm_70+">]>,
       Form<"st.mmio.relaxed.sys{.global}.b128 [a], b", [Since<"8.4", "sm_70+">]>]),
    [MemoryEffects<[MemWrite]>, MaskedOpInterface, CommunicatingOpInterface,
     SpaceOpInterface, DeclareOpInterfaceMethods<AccessOpInterface>,
     AttrSizedOperandSegments]> {
  let summary = "stores a value or a vector to address `a`";
  let description = [{
    `b` are the elements; all else is as in `ld`.
  }];
  let WideOperands = 1;
  let Ignored = !listconcat(CacheTokens, ["mmio"]);
  let arguments = (ins AnyType:$a, Variadic<AnyType>:$b, Optional<I1>:$mask,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       Ptx_ScalarType:$ty, OptionalAttr<Ptx_Space>:$space,
                       OptionalAttr<Ptx_Order>:$order,
                       OptionalAttr<Ptx_Scope>:$scope,
                       OptionalAttr<Ptx_Cache>:$cache,
                       OptionalAttr<Ptx_Vector>:$vec,
                       OptionalAttr<I64Attr>:$granule);
}

defvar AtomOrders = "{.relaxed|acquire|release|acq_rel}{.cta|cluster|gpu|sys}";
defvar RedOrders = "{.relaxed|release}{.cta|cluster|gpu|sys}";
defvar AtomMods = !strconcat(AtomOrders, OrderedSpace);
defvar AtomGlobal = !strconcat(AtomOrders, "{.global}");
class AtomForms<string opcode, string orders, string dst> {
  defvar mods = !strconcat(orders, OrderedSpace);
  defvar global = !strconcat(orders, "{.global}");
  list<Form> L = [
    Form<!strconcat(opcode, mods, ".add.{u32|s32|u64|f32} ", dst, "[a], b"),
         [Since<"1.1", "sm_11+">]>,
    Form<!strconcat(opcode, mods, ".add.f64 ", dst, "[a], b"),
         [Since<"5.0", "sm_60+">]>,
    Form<!strconcat(opcode, mods, ".{min|max}.{u32|s32|u64|s64} ", dst, "[a], b"),
         [Since<"1.1", "sm_11+">]>,
    Form<!strconcat(opcode, mods, ".{inc|dec}.u32 ", dst, "[a], b"),
         [Since<"1.1", "sm_11+">]>,
    Form<!strconcat(opcode, mods, ".{and|or|xor}.{b32|b64} ", dst, "[a], b"),
         [Since<"1.1", "sm_11+">]>,
    Form<!strconcat(opcode, mods, ".add.noftz.f16x2 ", dst, "[a], b"),
         [Since<"6.2", "sm_60+">]>,
    Form<!strconcat(opcode, mods, ".add.noftz.f16 ", dst, "[a], b"),
         [Since<"6.3", "sm_70+">]>,
    Form<!strconcat(opcode, mods, ".add.noftz.{bf16|bf16x2} ", dst, "[a], b"),
         [Since<"7.8", "sm_90+">]>,
    Form<!strconcat(opcode, mods, ".add.noftz.f32 ", dst, "[a], b"),
         [Since<"9.4", "sm_90+">]>,
    // With a cache policy.
    Form<!strconcat(opcode, global, ".add.L2::cache_hint.{u32|s32|u64|f32|f64} ", dst, "[a], b, ?policy:b64"),
         [Since<"7.4", "sm_80+">]>,
    Form<!strconcat(opcode, global, ".{min|max}.L2::cache_hint.{u32|s32|u64|s64} ", dst, "[a], b, ?policy:b64"),
         [Since<"7.4", "sm_80+">]>,
    Form<!strconcat(opcode, global, ".{inc|dec}.L2::cache_hint.u32 ", dst, "[a], b, ?policy:b64"),
         [Since<"7.4", "sm_80+">]>,
    Form<!strconcat(opcode, global, ".{and|or|xor}.L2::cache_hint.{b32|b64} ", dst, "[a], b, ?policy:b64"),
         [Since<"7.4", "sm_80+">]>,
    Form<!strconcat(opcode, global, ".add.noftz.L2::cache_hint.{f16|f16x2} ", dst, "[a], b, ?policy:b64"),
         [Since<"7.4", "sm_80+">]>,
    Form<!strconcat(opcode, global, ".add.noftz.L2::cache_hint.{bf16|bf16x2} ", dst, "[a], b, ?policy:b64"),
         [Since<"7.8", "sm_90+">]>];
}
/// Vectors. Each element is an atomic update of its own.
class AtomVectorForms<string opcode, string orders, string dst> {
  defvar mods = !strconcat(orders, "{.global}");
  list<Form> L = [
    Form<!strconcat(opcode, mods, ".add.{v2|v4}.f32 ", dst, "[a], b*"), [Since<"8.1", "sm_90+">]>,
    Form<!strconcat(opcode, mods, ".add.L2::cache_hint.{v2|v4}.f32 ", dst, "[a], b*, ?policy:b64"), [Since<"8.1", "sm_90+">]>,
    Form<!strconcat(opcode, mods, ".{add|min|max}.noftz.{v2|v4}.{f16|f16x2|bf16|bf16x2} ", dst, "[a], b*"), [Since<"8.1", "sm_90+">]>,
    Form<!strconcat(opcode, mods, ".{add|min|max}.noftz.L2::cache_hint.{v2|v4}.{f16|f16x2|bf16|bf16x2} ", dst, "[a], b*, ?policy:b64"), [Since<"8.1", "sm_90+">]>,
    Form<!strconcat(opcode, mods, ".{add|min|max}.noftz.v8.{f16|bf16} ", dst, "[a], b*"), [Since<"8.1", "sm_90+">]>,
    Form<!strconcat(opcode, mods, ".{add|min|max}.noftz.L2::cache_hint.v8.{f16|bf16} ", dst, "[a], b*, ?policy:b64"), [Since<"8.1", "sm_90+">]>];
}
def Ptx_AtomOp : Ptx_Instr<"atom",
    "parallel-synchronization-and-communication-instructions-atom",
    !listconcat(AtomForms<"atom", AtomOrders, "d, ">.L,
      [Form<!strconcat("atom", AtomMods, ".exch.{b32|b64} d, [a], b"),
            [Since<"1.1", "sm_11+">]>,
       Form<!strconcat("atom", AtomMods, ".cas.{b32|b64} d, [a], b, c"),
            [Since<"1.1", "sm_11+">]>,
       Form<!strconcat("atom", AtomMods, ".cas.b16 d, [a], b, c"),
            [Since<"6.3", "sm_70+">]>,
       Form<!strconcat("atom", AtomGlobal, ".exch.L2::cache_hint.{b32|b64} d, [a], b, ?policy:b64"),
            [Since<"7.4", "sm_80+">]>]),
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface, Polls,
     SpaceOpInterface, DeclareOpInterfaceMethods<AccessOpInterface>, VariesByLane,
     AttrSizedOperandSegments]> {
  let summary = "atomic update; d is the old value";
  let Ignored = ["noftz", "L2::cache_hint"]; // f16 is never flushed
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
    AtomForms<"red", RedOrders, "">.L,
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface,
     CommunicatingOpInterface, SpaceOpInterface,
     DeclareOpInterfaceMethods<AccessOpInterface>]> {
  let summary = "atomic update without a result";
  let Ignored = ["noftz", "L2::cache_hint"];
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<I1>:$mask,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       Ptx_ScalarType:$ty, OptionalAttr<Ptx_Space>:$space,
                       OptionalAttr<Ptx_Order>:$order,
                       OptionalAttr<Ptx_Scope>:$scope, Ptx_Atomic:$op);
}
class Ptx_AtomVector<string mnemonic, string opcode, string orders, string dst,
                     list<Trait> traits = []>
    : Ptx_Instr<mnemonic,
        !strconcat("parallel-synchronization-and-communication-instructions-",
                   opcode),
        AtomVectorForms<opcode, orders, dst>.L,
        !listconcat([MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface,
                     CommunicatingOpInterface, SpaceOpInterface,
                     DeclareOpInterfaceMethods<AccessOpInterface>,
                     AttrSizedOperandSegments], traits)> {
  let Ignored = ["noftz", "L2::cache_hint"];
  let arguments = (ins AnyType:$a, Variadic<AnyType>:$b, Optional<I1>:$mask,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       Ptx_ScalarType:$ty, Ptx_Vector:$vec,
                       OptionalAttr<Ptx_Space>:$space,
                       OptionalAttr<Ptx_Order>:$order,
                       OptionalAttr<Ptx_Scope>:$scope, Ptx_Atomic:$op);
}
def Ptx_AtomVectorOp : Ptx_AtomVector<"atom.vector", "atom", AtomOrders, "d*, ",
                                      [VariesByLane]> {
  let summary = "atomic updates of adjacent elements; d are the old values";
  let extraClassDeclaration = Polled;
  let results = (outs Variadic<AnyType>:$d);
}
def Ptx_RedVectorOp : Ptx_AtomVector<"red.vector", "red", RedOrders, ""> {
  let summary = "atomic updates of adjacent elements, without a result";
}
def Ptx_AtomWideOp : Ptx_Instr<"atom.wide",
    "parallel-synchronization-and-communication-instructions-atom",
    [Form<!strconcat("atom", AtomMods, ".exch.b128 d, [a], b"), [Since<"8.3", "sm_90+">]>,
     Form<!strconcat("atom", AtomMods, ".cas.b128 d, [a], b, c"), [Since<"8.3", "sm_90+">]>,
     Form<"atom{.global}.exch.L2::cache_hint.b128 d, [a], b, ?policy:b64", [Since<"8.3", "sm_90+">]>],
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface,
     CommunicatingOpInterface, SpaceOpInterface,
     DeclareOpInterfaceMethods<AccessOpInterface>, VariesByLane,
     AttrSizedOperandSegments]> {
  let summary = "atomic update of 128 bits";
  let extraClassDeclaration = Polled;
  let Ignored = ["L2::cache_hint"];
  // b, c and d are given as their halves, the low one first.
  let arguments = (ins AnyType:$a, Variadic<I64>:$b, Variadic<I64>:$c,
                       Optional<I1>:$mask,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       Ptx_ScalarType:$ty, OptionalAttr<Ptx_Space>:$space,
                       OptionalAttr<Ptx_Order>:$order,
                       OptionalAttr<Ptx_Scope>:$scope, Ptx_Atomic:$op);
  let results = (outs Variadic<I64>:$d);
}
def Ptx_MembarOp : Ptx_Instr<"membar",
    "parallel-synchronization-and-communication-instructions-membar-fence",
    [Form<"membar.{cta|gl|sys}">],
    [MemoryEffects<[MemRead, MemWrite]>, OrdersMemory, NeedsNoMask]> {
  let summary = "orders memory accesses like `fence.sc`; scope `gl` is `gpu`";
  let arguments = (ins Ptx_Scope:$scope);
}
def Ptx_FenceOp : Ptx_Instr<"fence",
    "parallel-synchronization-and-communication-instructions-membar-fence",
    [Form<"fence{.sc|acq_rel|acquire|release}.{cta|cluster|gpu|sys}",
          [Since<"6.0", "sm_70+">]>],
    [MemoryEffects<[MemRead, MemWrite]>, OrdersMemory, NeedsNoMask]> {
  let summary = "orders the accesses around it for the threads in `scope`";
  let description = [{
    Without `order` it is `acq_rel`.
  }];
  let arguments = (ins OptionalAttr<Ptx_Order>:$order, Ptx_Scope:$scope);
}
//===----------------------------------------------------------------------===//
// The stack
//===----------------------------------------------------------------------===//

// A kernel that uses the stack runs thread by thread.
defvar StackTraits = [MemoryEffects<[MemRead, MemWrite]>, UsesStack,
                      UnseenByOthers, NeedsNoMask];
def Ptx_AllocaOp : Ptx_Instr<"alloca", "stack-manipulation-instructions-alloca",
    [Form<"alloca.{u32|u64} d, a{, b:u32}", [Since<"7.3", "sm_52+">]>],
    !listconcat(StackTraits, [VariesByLane])> {
  let summary = "allocates `a` bytes until the function returns";
  let description = "`b` is the alignment, a constant; 8 without.";
  let arguments = (ins AnyType:$a, Optional<AnyType>:$b,
                       Ptx_ScalarType:$ty);
  let results = (outs AnyType:$d);
}
def Ptx_StackSaveOp : Ptx_Instr<"stacksave",
    "stack-manipulation-instructions-stacksave",
    [Form<"stacksave.{u32|u64} d", [Since<"7.3", "sm_52+">]>],
    !listconcat(StackTraits, [VariesByLane])> {
  let summary = "the current end of the stack";
  let arguments = (ins Ptx_ScalarType:$ty);
  let results = (outs AnyType:$d);
}
def Ptx_StackRestoreOp : Ptx_Instr<"stackrestore",
    "stack-manipulation-instructions-stackrestore",
    [Form<"stackrestore.{u32|u64} a", [Since<"7.3", "sm_52+">]>],
    StackTraits> {
  let summary = "frees what `alloca` allocated since the `stacksave`";
  let arguments = (ins AnyType:$a, Ptx_ScalarType:$ty);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

defvar CopyAnchor =
    "data-movement-and-conversion-instructions-non-bulk-asynchronous-copy";
class CopyForms<string level, string sizes> {
  defvar head = !strconcat("cp.async.", level, ".{shared|shared::cta}.global");
  defvar since = [Since<"7.0", "sm_80+">];
  defvar address = !strconcat("[dst], [src], #bytes=", sizes);
  defvar hint = ".L2::cache_hint";
  list<Form> L = [
    Form<!strconcat(head, Prefetch, " ", address), since>,
    Form<!strconcat(head, Prefetch, " ", address, ", size:u32"), since>,
    Form<!strconcat(head, Prefetch, " ", address, ", !ignore:pred"), since>,
    Form<!strconcat(head, hint, Prefetch, " ", address, ", ?policy:b64"), since>,
    Form<!strconcat(head, hint, Prefetch, " ", address, ", size:u32, ?policy:b64"), since>,
    Form<!strconcat(head, hint, Prefetch, " ", address, ", !ignore:pred, ?policy:b64"), since>];
}
def Ptx_CpAsyncOp : Ptx_Instr<"cp.async", CopyAnchor,
    !listconcat(CopyForms<"ca", "4|8|16">.L, CopyForms<"cg", "16">.L),
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface,
     CommunicatingOpInterface, SpaceOpInterface,
     DeclareOpInterfaceMethods<AccessOpInterface>, AttrSizedOperandSegments]> {
  let summary = "copies `bytes` bytes from global to shared memory";
  let description = [{
    Only the first `size` bytes come from memory, the others are 0; all are 0 if
    `ignore` holds. The copy completes when it is issued, which the ISA allows.
  }];
  let Ignored = !listconcat(CacheTokens, ["ca", "cg", "global", "async"]);
  let arguments = (ins I64:$dst, I64:$src, Optional<I32>:$size,
                       Optional<I1>:$ignore, Optional<I1>:$mask,
                       I64Attr:$bytes, Ptx_Space:$space);
  let extraClassDeclaration = ReleasesNothing;
}
#endif
