//===- PtxStructure.td - functions, variables, registers, masks -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that do not stand for an instruction: the structure of a module, and
// the ops that passes introduce.
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
    The parameter has `count` elements of `type` and begins at byte `offset` of
    the parameter block. `space` is `param` or, for functions that are not
    kernels, `reg`.
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
  let summary = "a kernel (`entry`), a device function, or a declaration";
  let arguments = (ins SymbolNameAttr:$sym_name, UnitAttr:$entry,
                       OptionalAttr<StrAttr>:$linkage,
                       TypedArrayAttrBase<Ptx_ParamAttr, "formals">:$params,
                       TypedArrayAttrBase<Ptx_ParamAttr, "results">:$results,
                       OptionalAttr<DictionaryAttr>:$directives);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// Is the function only declared, or its body skipped in an outline? (A
    /// method `isDeclaration` would make the symbol table require private
    /// visibility.)
    bool isBodiless() { return getBody().empty(); }
    /// Has it a body whose control flow is regions, as structuring leaves it?
    bool isStructured() { return !isBodiless() && getBody().hasOneBlock(); }
    /// The size of the parameter block in bytes; 0 without parameters.
    int64_t getParamBytes();
  }];
}

def Ptx_VarOp : Op<Ptx_Dialect, "var", [Symbol]> {
  let summary = "a variable in memory";
  let description = [{
    `bytes` is the size; it is 0 for `.extern .shared x[]`, whose size the
    launch gives. `owner` is the function that declares the variable, absent at
    module scope. `init` holds the leading bytes of the initial value; the
    others are 0. `relocs` lists the addresses in the value, each as an array
    [offset, width in bytes, symbol, addend, shift, generic]. The elements of a
    variable of an opaque type have kOpaqueBytes each; `ptx.members` are the
    members that have an initial value.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Ptx_Space:$space,
                       Ptx_ScalarType:$ty, I64Attr:$bytes, I64Attr:$align,
                       OptionalAttr<StrAttr>:$linkage,
                       OptionalAttr<FlatSymbolRefAttr>:$owner,
                       OptionalAttr<DenseI8ArrayAttr>:$init,
                       OptionalAttr<ArrayAttr>:$relocs,
                       OptionalAttr<Ptx_OpaqueType>:$opaque);
  let assemblyFormat = "$sym_name attr-dict";
}

def Ptx_AddressOfOp : Op<Ptx_Dialect, "addressof", [Pure]> {
  let summary = "the address of a variable in its own space, or of a function";
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs AnySignlessInteger:$d);
  let assemblyFormat = "$symbol attr-dict `:` type($d)";
}

def Ptx_ParamAddressOp : Op<Ptx_Dialect, "param_address", [Pure]> {
  let summary = "the `.param` address of formal parameter or result `index`";
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
  let summary = "a virtual register; it reads as 0 before the first write";
  let arguments = (ins StrAttr:$name);
  let results = (outs Ptx_SlotType:$slot);
  let assemblyFormat = "$name attr-dict `:` type($slot)";
}
def Ptx_ReadOp : Op<Ptx_Dialect, "read",
    [UnseenByOthers, NeedsNoMask, VariesByLane,
     DeclareOpInterfaceMethods<PromotableMemOpInterface>,
     TypesMatchWith<"value type is the slot's element", "slot", "value",
                    "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "the value of a virtual register";
  let description = [{
    Registers are variables until `ptx-promote-registers` makes SSA values of
    them: instructions get operands from `read` and give results to `write`.
  }];
  let arguments = (ins Arg<Ptx_SlotType, "", [MemRead]>:$slot);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}
def Ptx_WriteOp : Op<Ptx_Dialect, "write",
    [UnseenByOthers, NeedsNoMask,
     DeclareOpInterfaceMethods<PromotableMemOpInterface>,
     TypesMatchWith<"value type is the slot's element", "slot", "value",
                    "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "sets the value of a virtual register";
  let arguments = (ins AnyType:$value, Arg<Ptx_SlotType, "", [MemWrite]>:$slot);
  let assemblyFormat = "$value `,` $slot attr-dict `:` type($slot)";
}

def Ptx_GuardOp : Op<Ptx_Dialect, "guard",
    [NoRegionArguments, NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "`@p`: executes the instruction inside if the predicate holds";
  let arguments = (ins I1:$predicate);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$predicate attr-dict-with-keyword $body";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A special register: its name, C++ symbol, PTX type and availability.
class SReg<int id, string name, string symbol, string type = "u32",
           Since since = Since<"1.0", "sm_10+">>
    : I32EnumAttrCase<symbol, id, name> {
  string RegType = type;
  Since Availability = since;
}
// Performance counters, and registers that a driver may set. We neither count
// nor set anything, so they read as 0, which the ISA allows.
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
  let summary = "the value of a special register";
  let description = [{
    Clocks and timers advance, so two reads must not be merged, and a read in a
    loop must not be moved out of it. The other registers never change.
  }];
  let arguments = (ins Ptx_SpecialRegister:$reg);
  let results = (outs AnySignlessInteger:$d);
  let assemblyFormat = "$reg attr-dict `:` type($d)";
}
def Ptx_PackOp : Op<Ptx_Dialect, "pack", [Pure, LaneWise]> {
  let summary = "packs `{a, b, ...}` into one value, the first element lowest";
  let arguments = (ins Variadic<AnyType>:$elements);
  let results = (outs AnyType:$d);
  let assemblyFormat = "$elements attr-dict `:` functional-type($elements, $d)";
}
def Ptx_UnpackOp : Op<Ptx_Dialect, "unpack", [Pure, LaneWise]> {
  let summary = "unpacks one value to `{a, b, ...}`, the first element lowest";
  let arguments = (ins AnyType:$a);
  let results = (outs Variadic<AnyType>:$elements);
  let assemblyFormat = "$a attr-dict `:` functional-type($a, $elements)";
}

// An instruction that keeps its text instead of having attributes for its
// modifiers. Normalization refuses `ptx.unlowered` and removes `ptx.advice`.
class Ptx_TextOp<string mnemonic> : Op<Ptx_Dialect, mnemonic,
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask,
     VariesByLane]> {
  let description = [{
    `instruction` is the opcode with its modifiers, as in the text. Operands and
    results are in the order of the text; vectors and addresses of several parts
    are listed element by element.
  }];
  let arguments = (ins StrAttr:$instruction, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$d);
  let assemblyFormat = "$instruction `(` $operands `)` attr-dict `:` "
                       "functional-type($operands, $d)";
  let hasVerifier = 1;
}
def Ptx_UnloweredOp : Ptx_TextOp<"unlowered"> {
  let summary = "an instruction of a `Known` form, which cannot be executed";
}
def Ptx_AdviceOp : Ptx_TextOp<"advice"> {
  let summary = "an instruction that changes no result";
}
def Ptx_UndefOp : Op<Ptx_Dialect, "undef", [Pure]> {
  let summary = "a value that exists only on other paths; never observed";
  let description = [{
    Structuring the control flow creates it. Unlike poison it does not spread: a
    select between it and another value gives the other value; everywhere else
    it is 0.
  }];
  let results = (outs AnyType:$d);
  let assemblyFormat = "attr-dict `:` type($d)";
}
def Ptx_RaiseOp : Op<Ptx_Dialect, "raise",
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface, UnseenByOthers]> {
  let summary = "makes the launch fail; the lanes go on to the exit";
  let arguments = (ins Optional<I1>:$mask);
  let assemblyFormat = "($mask^)? attr-dict";
}

def Ptx_LeaveOp : Op<Ptx_Dialect, "leave",
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask]> {
  let summary = "`exit` in a function that is called: ends the thread";
  let assemblyFormat = "attr-dict";
}

def Ptx_YieldWarpOp : Op<Ptx_Dialect, "yield_warp",
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask,
     GivesWay]> {
  let summary = "lets other warps and CTAs run, in a loop that waits on memory";
  let description = [{
    `meets`: iterations of the loop meet other threads at barriers or warp
    operations. Such a meeting does not count as progress.
  }];
  let arguments = (ins UnitAttr:$meets);
  let assemblyFormat = "(`meets` $meets^)? attr-dict";
}

def Ptx_PrefetchRowOp : Op<Ptx_Dialect, "prefetch_row",
    [MemoryEffects<[MemWrite]>, UnseenByOthers, NeedsNoMask]> {
  let summary = "lets the CPU load the lines of a row of lanes early";
  let description = [{
    The lanes will soon load from global memory, `offset` bytes behind the
    addresses `a`, which may be no addresses at all. Nothing is fetched if the
    lanes have no common base.
  }];
  let arguments = (ins AnyType:$a, DefaultValuedAttr<I64Attr, "0">:$offset);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}
def Ptx_AssertFailOp : Op<Ptx_Dialect, "assert_fail",
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface, UnseenByOthers]> {
  let summary = "fails the launch with the message of an assertion";
  let description = [{
    A call of `__assertfail` with arguments that are the same in all lanes:
    addresses of texts, a line, and the size of a character, which is not used.
  }];
  let arguments = (ins AnyType:$message, AnyType:$file, AnyType:$line,
                       AnyType:$function, AnyType:$charSize,
                       Optional<I1>:$mask);
  let assemblyFormat = "operands attr-dict `:` type(operands)";
}
def Ptx_OrderSharedOp : Op<Ptx_Dialect, "order_shared",
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask]> {
  let summary = "lets the other warps of the CTA catch up";
  let description = [{
    A GPU runs the warps of a CTA side by side. Some programs share memory
    between warps without a barrier and rely on that. This op stands where a
    warp that runs ahead would access bytes that other warps have to access
    first. It is not a barrier: no warp waits for a warp that is elsewhere.
    `why` tells people which accesses it keeps in order.
  }];
  let arguments = (ins StrAttr:$why);
  let assemblyFormat = "$why attr-dict";
}

//===----------------------------------------------------------------------===//
// Turns of a loop over the grid
//===----------------------------------------------------------------------===//

def Ptx_TurnOp : Op<Ptx_Dialect, "turn", [Pure]> {
  let summary = "how many turns of the kernel's loop over the grid lie behind";
  let description = [{
    A kernel that runs turn by turn (`ptx.next_turn`) has the same number in all
    threads. It is taken modulo 2^n for a result of n bits.
  }];
  let results = (outs AnyTypeOf<[I32, I64]>:$d);
  let assemblyFormat = "attr-dict `:` type($d)";
}
def Ptx_NextTurnOp : Op<Ptx_Dialect, "next_turn",
    [MemoryEffects<[MemWrite]>, UnseenByOthers, NeedsNoMask]> {
  let summary = "lets the kernel run again for the next turn of its loop";
  let description = [{
    It stands where a thread is in its loop. The kernel runs again, with the
    next number as `ptx.turn`, until no thread gets here.
  }];
  let assemblyFormat = "attr-dict";
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
  let summary = "whether the mask holds in any lane; warp-uniform";
  let arguments = (ins I1:$mask);
  let results = (outs I1:$d);
  let assemblyFormat = "$mask attr-dict";
}
def Ptx_AllOp : Op<Ptx_Dialect, "all", [Pure]> {
  let summary = "whether the mask holds in every lane; warp-uniform";
  let description = [{
    The result chooses between code with and without masks. It may be false
    although the mask holds in every lane, where an exact test would cost more.
    Before linearisation, only active lanes count.
  }];
  let arguments = (ins I1:$mask);
  let results = (outs I1:$d);
  let assemblyFormat = "$mask attr-dict";
}
def Ptx_EachLaneOp : Op<Ptx_Dialect, "each_lane",
    [AttrSizedOperandSegments, RecursiveMemoryEffects, VariesByLane,
     SingleBlockImplicitTerminator<"LaneYieldOp">]> {
  let summary = "runs its body for each active lane in turn";
  let description = [{
    The body sees `inputs` as its arguments, one lane's at a time, and so has no
    masks. The other values it uses are the same in all lanes. Lanes that are
    off have 0 as results.
  }];
  let arguments = (ins Optional<I1>:$mask, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$d);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`mask` $mask^)? `(` $inputs `)` $body attr-dict `:` "
                       "functional-type($inputs, $d)";
  let hasVerifier = 1;
}
def Ptx_LaneYieldOp : Op<Ptx_Dialect, "lane_yield",
    [Pure, Terminator, ReturnLike, HasParent<"EachLaneOp">]> {
  let summary = "ends the body of `ptx.each_lane` with a lane's results";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}
#endif
