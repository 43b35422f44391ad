//===- PtxStructure.td - functions, variables, registers, masks ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that no instruction spells.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXSTRUCTURE_TD
#define PTXJIT_DIALECT_PTXSTRUCTURE_TD
include "ptxjit/Dialect/PtxBase.td"
include "mlir/Interfaces/CallInterfaces.td"

//===----------------------------------------------------------------------===//
// Functions and variables
//===----------------------------------------------------------------------===//

def Ptx_ParamAttr : AttrDef<Ptx_Dialect, "Param"> {
  let mnemonic = "formal";
  let summary = "a formal parameter";
  let description = [{
    `count` elements of `type`, at byte `offset` of the parameter block; the
    `space` is `param` or (on functions that are not kernels) `reg`.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "ScalarType":$type,
                        "int64_t":$count, "int64_t":$align, "int64_t":$offset,
                        "Space":$space);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// Size in bytes.
    int64_t getBytes() const;
  }];
}

def Ptx_FuncOp : Op<Ptx_Dialect, "func",
    [IsolatedFromAbove, Symbol, NoTerminator]> {
  let summary = "a kernel (`entry`) or device function; without body a declaration";
  let arguments = (ins SymbolNameAttr:$sym_name, UnitAttr:$entry,
                       OptionalAttr<StrAttr>:$linkage,
                       TypedArrayAttrBase<Ptx_ParamAttr, "formals">:$params,
                       TypedArrayAttrBase<Ptx_ParamAttr, "results">:$results,
                       OptionalAttr<DictionaryAttr>:$directives);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// Declared only, or of an outline. (Not `isDeclaration`, which would make
    /// the symbol table ask for private visibility.)
    bool isBodiless() { return getBody().empty(); }
    /// Bytes of the parameter block, or 0.
    int64_t getParamBytes();
  }];
}

def Ptx_VarOp : Op<Ptx_Dialect, "var", [Symbol]> {
  let summary = "a variable in memory";
  let description = [{
    `bytes` is the size (0: given at launch, `.extern .shared x[]`). `owner` is
    the function that declares it, absent at module scope. `init` holds the
    leading bytes of the value, `relocs` the addresses in it, four integers
    or symbols each: [offset, width in bytes, symbol, addend, shift, generic].
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Ptx_Space:$space,
                       Ptx_ScalarType:$ty, I64Attr:$bytes, I64Attr:$align,
                       OptionalAttr<StrAttr>:$linkage,
                       OptionalAttr<FlatSymbolRefAttr>:$owner,
                       OptionalAttr<DenseI8ArrayAttr>:$init,
                       OptionalAttr<ArrayAttr>:$relocs);
  let assemblyFormat = "$sym_name attr-dict";
}

def Ptx_AddressOfOp : Op<Ptx_Dialect, "addressof", [Pure]> {
  let summary = "address of a variable in its own space, or of a function";
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs AnySignlessInteger:$d);
  let assemblyFormat = "$symbol attr-dict `:` type($d)";
}

def Ptx_ParamAddressOp : Op<Ptx_Dialect, "param_address", [Pure]> {
  let summary = "address in `.param` space of the function's formal number `index`";
  let arguments = (ins I64Attr:$index, UnitAttr:$isResult);
  let results = (outs AnySignlessInteger:$d);
  let assemblyFormat = "$index attr-dict `:` type($d)";
}

//===----------------------------------------------------------------------===//
// Registers, before SSA
//===----------------------------------------------------------------------===//

def Ptx_RegOp : Op<Ptx_Dialect, "reg",
    [DeclareOpInterfaceMethods<PromotableAllocationOpInterface>,
     UnseenByOthers, NeedsNoMask, VariesByLane]> {
  let summary = "a virtual register; reads before the first write give 0";
  let arguments = (ins StrAttr:$name);
  let results = (outs Ptx_SlotType:$slot);
  let assemblyFormat = "$name attr-dict `:` type($slot)";
}
def Ptx_ReadOp : Op<Ptx_Dialect, "read",
    [UnseenByOthers, NeedsNoMask, VariesByLane,
     DeclareOpInterfaceMethods<PromotableMemOpInterface>,
     TypesMatchWith<"value type is the slot's element", "slot", "value",
                    "::llvm::cast<SlotType>($_self).getElement()">]> {
  let arguments = (ins Arg<Ptx_SlotType, "", [MemRead]>:$slot);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}
def Ptx_WriteOp : Op<Ptx_Dialect, "write",
    [UnseenByOthers, NeedsNoMask,
     DeclareOpInterfaceMethods<PromotableMemOpInterface>,
     TypesMatchWith<"value type is the slot's element", "slot", "value",
                    "::llvm::cast<SlotType>($_self).getElement()">]> {
  let arguments = (ins AnyType:$value, Arg<Ptx_SlotType, "", [MemWrite]>:$slot);
  let assemblyFormat = "$value `,` $slot attr-dict `:` type($slot)";
}

def Ptx_GuardOp : Op<Ptx_Dialect, "guard",
    [NoRegionArguments, NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "`@p`: the instruction inside runs in threads whose predicate holds";
  let arguments = (ins I1:$predicate);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$predicate attr-dict-with-keyword $body";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A special register: symbol, name, PTX type it is read as, availability.
class SReg<int id, string name, string symbol, string type = "u32",
           Since since = Since<"1.0", "sm_10+">>
    : I32EnumAttrCase<symbol, id, name> {
  string RegType = type;
  Since Availability = since;
}
// Performance counters and driver-set registers: there is nothing to count and
// nobody to set them, so they read 0, which the ISA allows.
defvar PerformanceCounters = !foreach(i, !range(8),
  SReg<!add(48, i), "pm" # i, "Pm" # i, "u32", Since<"1.3", "sm_10+">>);
defvar WideCounters = !foreach(i, !range(8),
  SReg<!add(56, i), "pm" # i # "_64", "Pm" # i # "Wide", "u64",
       Since<"4.0", "sm_50+">>);
defvar EnvironmentRegisters = !foreach(i, !range(32),
  SReg<!add(64, i), "envreg" # i, "EnvReg" # i, "b32",
       Since<"2.1", "sm_10+">>);
defvar ReservedSharedMemory = [
  SReg<96, "reserved_smem_offset_begin", "ReservedSmemOffsetBegin", "b32",
       Since<"7.6", "sm_80+">>,
  SReg<97, "reserved_smem_offset_end", "ReservedSmemOffsetEnd", "b32",
       Since<"7.6", "sm_80+">>,
  SReg<98, "reserved_smem_offset_cap", "ReservedSmemOffsetCap", "b32",
       Since<"7.6", "sm_80+">>,
  SReg<99, "reserved_smem_offset_0", "ReservedSmemOffset0", "b32",
       Since<"7.6", "sm_80+">>,
  SReg<100, "reserved_smem_offset_1", "ReservedSmemOffset1", "b32",
       Since<"7.6", "sm_80+">>];
def Ptx_SpecialRegisterEnum : Ptx_Enum<"SpecialRegister", !listconcat([
  SReg<0, "tid.x", "TidX">, SReg<1, "tid.y", "TidY">, SReg<2, "tid.z", "TidZ">,
  SReg<3, "ntid.x", "NtidX">, SReg<4, "ntid.y", "NtidY">,
  SReg<5, "ntid.z", "NtidZ">,
  SReg<6, "ctaid.x", "CtaidX">, SReg<7, "ctaid.y", "CtaidY">,
  SReg<8, "ctaid.z", "CtaidZ">,
  SReg<9, "nctaid.x", "NctaidX">, SReg<10, "nctaid.y", "NctaidY">,
  SReg<11, "nctaid.z", "NctaidZ">,
  SReg<12, "laneid", "LaneId">, SReg<13, "warpid", "WarpId">,
  SReg<14, "nwarpid", "NWarpId", "u32", Since<"2.0", "sm_20+">>,
  SReg<15, "smid", "SmId">, SReg<16, "nsmid", "NSmId">,
  SReg<17, "gridid", "GridId", "u64">,
  SReg<18, "lanemask_eq", "LanemaskEq", "u32", Since<"2.0", "sm_20+">>,
  SReg<19, "lanemask_le", "LanemaskLe", "u32", Since<"2.0", "sm_20+">>,
  SReg<20, "lanemask_lt", "LanemaskLt", "u32", Since<"2.0", "sm_20+">>,
  SReg<21, "lanemask_ge", "LanemaskGe", "u32", Since<"2.0", "sm_20+">>,
  SReg<22, "lanemask_gt", "LanemaskGt", "u32", Since<"2.0", "sm_20+">>,
  SReg<23, "clock", "Clock">, SReg<24, "clock_hi", "ClockHi">,
  SReg<25, "clock64", "Clock64", "u64", Since<"2.0", "sm_20+">>,
  SReg<26, "globaltimer", "GlobalTimer", "u64", Since<"3.1", "sm_30+">>,
  SReg<27, "globaltimer_lo", "GlobalTimerLo", "u32", Since<"3.1", "sm_30+">>,
  SReg<28, "globaltimer_hi", "GlobalTimerHi", "u32", Since<"3.1", "sm_30+">>,
  SReg<29, "total_smem_size", "TotalSmemSize", "u32", Since<"4.1", "sm_20+">>,
  SReg<30, "dynamic_smem_size", "DynamicSmemSize", "u32",
       Since<"4.1", "sm_20+">>,
  SReg<31, "aggr_smem_size", "AggrSmemSize", "u32", Since<"8.1", "sm_90+">>,
  SReg<32, "clusterid.x", "ClusterIdX", "u32", Since<"7.8", "sm_90+">>,
  SReg<33, "clusterid.y", "ClusterIdY", "u32", Since<"7.8", "sm_90+">>,
  SReg<34, "clusterid.z", "ClusterIdZ", "u32", Since<"7.8", "sm_90+">>,
  SReg<35, "nclusterid.x", "NClusterIdX", "u32", Since<"7.8", "sm_90+">>,
  SReg<36, "nclusterid.y", "NClusterIdY", "u32", Since<"7.8", "sm_90+">>,
  SReg<37, "nclusterid.z", "NClusterIdZ", "u32", Since<"7.8", "sm_90+">>,
  SReg<38, "cluster_ctaid.x", "ClusterCtaidX", "u32", Since<"7.8", "sm_90+">>,
  SReg<39, "cluster_ctaid.y", "ClusterCtaidY", "u32", Since<"7.8", "sm_90+">>,
  SReg<40, "cluster_ctaid.z", "ClusterCtaidZ", "u32", Since<"7.8", "sm_90+">>,
  SReg<41, "cluster_nctaid.x", "ClusterNctaidX", "u32", Since<"7.8", "sm_90+">>,
  SReg<42, "cluster_nctaid.y", "ClusterNctaidY", "u32", Since<"7.8", "sm_90+">>,
  SReg<43, "cluster_nctaid.z", "ClusterNctaidZ", "u32", Since<"7.8", "sm_90+">>,
  SReg<44, "cluster_ctarank", "ClusterCtarank", "u32", Since<"7.8", "sm_90+">>,
  SReg<45, "cluster_nctarank", "ClusterNctarank", "u32",
       Since<"7.8", "sm_90+">>,
  SReg<46, "is_explicit_cluster", "IsExplicitCluster", "pred",
       Since<"7.8", "sm_90+">>,
  SReg<47, "current_graph_exec", "CurrentGraphExec", "u64",
       Since<"8.0", "sm_50+">>],
  PerformanceCounters, WideCounters, EnvironmentRegisters,
  ReservedSharedMemory)>;
def Ptx_SpecialRegister
    : Ptx_Modifier<Ptx_SpecialRegisterEnum, "special_register">;

def Ptx_SRegOp : Op<Ptx_Dialect, "sreg", [AlwaysSpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, WarpDependent,
    DeclareOpInterfaceMethods<ClusterOpInterface, ["dependsOnCluster"]>]> {
  let summary = "value of a special register";
  let description = [{
    Clocks and timers tick, so that two reads are not one, nor is a read in a
    loop one in front of it; the other registers are the same all the time.
  }];
  let arguments = (ins Ptx_SpecialRegister:$reg);
  let results = (outs AnySignlessInteger:$d);
  let assemblyFormat = "$reg attr-dict `:` type($d)";
}
def Ptx_PackOp : Op<Ptx_Dialect, "pack", [Pure, LaneWise]> {
  let summary = "`{a, b, ...}` as one value, first element lowest";
  let arguments = (ins Variadic<AnyType>:$elements);
  let results = (outs AnyType:$d);
  let assemblyFormat = "$elements attr-dict `:` functional-type($elements, $d)";
}
def Ptx_UnpackOp : Op<Ptx_Dialect, "unpack", [Pure, LaneWise]> {
  let summary = "one value as `{a, b, ...}`, first element lowest";
  let arguments = (ins AnyType:$a);
  let results = (outs Variadic<AnyType>:$elements);
  let assemblyFormat = "$a attr-dict `:` functional-type($a, $elements)";
}

// An instruction that keeps its text: attributes do not state what it means.
// Normalising refuses `ptx.unlowered` and drops `ptx.advice`.
class Ptx_TextOp<string mnemonic> : Op<Ptx_Dialect, mnemonic,
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask,
     VariesByLane]> {
  let description = [{
    `instruction` is opcode and modifiers as the text has them. Operands and
    results stand in the order of the text, vectors and addresses of several
    parts element by element.
  }];
  let arguments = (ins StrAttr:$instruction, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$d);
  let assemblyFormat = "$instruction `(` $operands `)` attr-dict `:` "
                       "functional-type($operands, $d)";
  let hasVerifier = 1;
}
def Ptx_UnloweredOp : Ptx_TextOp<"unlowered"> {
  let summary = "an instruction of a `Known` form: nothing executes it";
}
def Ptx_AdviceOp : Ptx_TextOp<"advice"> {
  let summary = "an instruction that changes no result";
}
def Ptx_UndefOp : Op<Ptx_Dialect, "undef", [Pure]> {
  let summary = "a value that exists on other paths only; never observed";
  let description = [{
    Made where control flow is structured. Unlike poison it does not spread: a
    select between it and a value is that value, elsewhere it is 0.
  }];
  let results = (outs AnyType:$d);
  let assemblyFormat = "attr-dict `:` type($d)";
}
def Ptx_RaiseOp : Op<Ptx_Dialect, "raise",
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface, UnseenByOthers]> {
  let summary = "the launch fails; the lanes go on to the exit";
  let arguments = (ins Optional<I1>:$mask);
  let assemblyFormat = "($mask^)? attr-dict";
}

def Ptx_LeaveOp : Op<Ptx_Dialect, "leave",
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask]> {
  let summary = "`exit` inside a function that is called: the thread ends here";
  let assemblyFormat = "attr-dict";
}

def Ptx_YieldWarpOp : Op<Ptx_Dialect, "yield_warp",
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask,
     GivesWay]> {
  let summary = "in a loop that waits on memory: other warps and CTAs may run";
  let description = [{
    `meets`: turns of the loop meet other threads at barriers or operations of a
    warp, which is no progress then.
  }];
  let arguments = (ins UnitAttr:$meets);
  let assemblyFormat = "(`meets` $meets^)? attr-dict";
}

def Ptx_OrderSharedOp : Op<Ptx_Dialect, "order_shared",
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask]> {
  let summary = "no warp goes on before the others had time to come here";
  let description = [{
    A GPU runs the warps of a CTA side by side, and there are programs whose
    warps share memory without a barrier that rely on it. This is where a warp
    would touch what others have not come to yet. It is no barrier: nobody waits
    for a warp that is elsewhere. `why` says, for people, what is in order.
  }];
  let arguments = (ins StrAttr:$why);
  let assemblyFormat = "$why attr-dict";
}

//===----------------------------------------------------------------------===//
// Masks, after linearisation
//===----------------------------------------------------------------------===//

def Ptx_EntryMaskOp : Op<Ptx_Dialect, "entry_mask", [Pure]> {
  let summary = "true in the lanes of the warp that are threads of the CTA";
  let results = (outs I1:$d);
  let assemblyFormat = "attr-dict";
}
def Ptx_AnyOp : Op<Ptx_Dialect, "any", [Pure]> {
  let summary = "warp-uniform: does the mask hold in any lane";
  let arguments = (ins I1:$mask);
  let results = (outs I1:$d);
  let assemblyFormat = "$mask attr-dict";
}
def Ptx_AllOp : Op<Ptx_Dialect, "all", [Pure]> {
  let summary = "warp-uniform: does the mask hold in every lane";
  let description = [{
    Chooses between code with and without masks, so it may be false for a mask
    that holds in every lane, where finding out would cost more.
  }];
  let arguments = (ins I1:$mask);
  let results = (outs I1:$d);
  let assemblyFormat = "$mask attr-dict";
}
#endif
