//===- PtxWgmma.td - matrix instructions of a warpgroup -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The four warps of a warpgroup multiply a matrix of 64 rows together. Each
// warp has the sums of 16 rows. B, and A if it is not in registers, are in
// shared memory, where a descriptor says how. The ops are in PtxMatrixOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXWGMMA_TD
#define PTXJIT_DIALECT_PTXWGMMA_TD
include "ptxjit/Dialect/PtxMatrixOps.td"

/// Shapes m64nNkK with a given k: N in steps of 8, or with few columns less.
class WgmmaShapes<int k> {
  list<int> All = !foreach(i, !range(1, 33), !mul(i, 8));
  /// The shapes of integers have no odd multiples of 8, but for 8 and 24.
  list<int> Even = !filter(n, All, !or(!eq(!and(n, 8), 0), !le(n, 24)));
  string Floats = !interleave(!foreach(n, All, "m64n" # n # "k" # k), "|");
  string Integers = !interleave(!foreach(n, Even, "m64n" # n # "k" # k), "|");
}

defvar WgmmaAnchor = "asynchronous-warpgroup-level-matrix-instructions";
defvar WgmmaFactors = ", #factorA=-1|1, #factorB=-1|1";

/// The forms with A in shared memory and in registers. `head` are the modifiers
/// behind `mma_async`, and D; `tail` are the operands behind the predicate, of
/// which `layoutA` needs A in shared memory.
class WgmmaForms<string head, string d, string sparse, string tail,
                 string layoutA, string layoutB, string ptx> {
  defvar Text = !strconcat("wgmma.mma_async", head, " +", d, ", ");
  defvar Rest = !strconcat(", b:b64, ", sparse, "p:pred", tail);
  list<Form> L = [
    Form<!strconcat(Text, "a:b64", Rest, layoutA, layoutB),
         [Since<ptx, "sm_90a">]>,
    Form<!strconcat(Text, "a*4:b32", Rest, layoutB), [Since<ptx, "sm_90a">]>];
}
class WgmmaDense<string shapes, string types, string d, string tail,
                 string layoutA = "", string layoutB = "", string ptx = "8.0">
    : WgmmaForms<!strconcat(".sync.aligned.{", shapes, "}", types), d, "", tail,
                 layoutA, layoutB, ptx>;
class WgmmaSparse<string shapes, string types, string d, string tail,
                  string layoutA = "", string layoutB = "", string ptx = "8.2">
    : WgmmaForms<!strconcat(".sp.sync.aligned.{", shapes, "}", types), d,
                 "metadata:b32, #selector=0..3, ", tail, layoutA, layoutB, ptx>;

defvar WgmmaHalves = "d*N/4:b32";
defvar WgmmaWords = "d*N/2:b32";
defvar WgmmaFloats = "d*N/2:f32";
defvar WgmmaLayoutA = ", #layoutA=0|1";
defvar WgmmaLayoutB = ", #layoutB=0|1";

def Forms_Wgmma : RowForms<"wgmma", Ptx_WgmmaOp, WgmmaAnchor, !listconcat(
  WgmmaDense<WgmmaShapes<16>.Floats, ".f16.f16.f16", WgmmaHalves, WgmmaFactors,
             WgmmaLayoutA, WgmmaLayoutB>.L,
  WgmmaDense<WgmmaShapes<16>.Floats, ".f32.f16.f16", WgmmaFloats, WgmmaFactors,
             WgmmaLayoutA, WgmmaLayoutB>.L,
  WgmmaDense<WgmmaShapes<16>.Floats, ".f32.bf16.bf16", WgmmaFloats,
             WgmmaFactors, WgmmaLayoutA, WgmmaLayoutB>.L,
  WgmmaDense<WgmmaShapes<8>.Floats, ".f32.tf32.tf32", WgmmaFloats,
             WgmmaFactors>.L,
  WgmmaDense<WgmmaShapes<32>.Floats, ".f32.{e4m3|e5m2}.{e4m3|e5m2}",
             WgmmaFloats, WgmmaFactors>.L,
  WgmmaDense<WgmmaShapes<32>.Floats, ".f16.{e4m3|e5m2}.{e4m3|e5m2}",
             WgmmaHalves, WgmmaFactors>.L,
  WgmmaDense<WgmmaShapes<32>.Integers, "{.satfinite}.s32.u8.u8", WgmmaWords,
             "">.L,
  WgmmaDense<WgmmaShapes<32>.Integers, "{.satfinite}.s32.s8.s8", WgmmaWords,
             "">.L,
  WgmmaDense<WgmmaShapes<32>.Integers, "{.satfinite}.s32.u8.s8", WgmmaWords,
             "", "", "", "8.4">.L,
  WgmmaDense<WgmmaShapes<32>.Integers, "{.satfinite}.s32.s8.u8", WgmmaWords,
             "", "", "", "8.4">.L,
  [Form<!strconcat("wgmma.mma_async.sync.aligned.{",
                   WgmmaShapes<256>.Integers, "}.s32.b1.b1.and.popc +",
                   WgmmaWords, ", a:b64, b:b64, p:pred"),
        [Since<"8.0", "sm_90a">]>,
   Form<!strconcat("wgmma.mma_async.sync.aligned.{m64n8k256|m64n256k256}",
                   ".s32.b1.b1.and.popc +", WgmmaWords,
                   ", a*4:b32, b:b64, p:pred"),
        [Since<"8.0", "sm_90a">]>],
  WgmmaSparse<WgmmaShapes<32>.Floats, ".f16.f16.f16", WgmmaHalves, WgmmaFactors,
              WgmmaLayoutA, WgmmaLayoutB>.L,
  WgmmaSparse<WgmmaShapes<32>.Floats, ".f32.f16.f16", WgmmaFloats, WgmmaFactors,
              WgmmaLayoutA, WgmmaLayoutB>.L,
  WgmmaSparse<WgmmaShapes<32>.Floats, ".f32.bf16.bf16", WgmmaFloats,
              WgmmaFactors, WgmmaLayoutA, WgmmaLayoutB>.L,
  WgmmaSparse<WgmmaShapes<16>.Floats, ".f32.tf32.tf32", WgmmaFloats,
              WgmmaFactors>.L,
  WgmmaSparse<WgmmaShapes<64>.Floats, ".f32.{e4m3|e5m2}.{e4m3|e5m2}",
              WgmmaFloats, WgmmaFactors>.L,
  WgmmaSparse<WgmmaShapes<64>.Floats, ".f16.{e4m3|e5m2}.{e4m3|e5m2}",
              WgmmaHalves, WgmmaFactors>.L,
  WgmmaSparse<WgmmaShapes<64>.Integers, "{.satfinite}.s32.u8.u8", WgmmaWords,
              "">.L,
  WgmmaSparse<WgmmaShapes<64>.Integers, "{.satfinite}.s32.s8.s8", WgmmaWords,
              "">.L,
  WgmmaSparse<WgmmaShapes<64>.Integers, "{.satfinite}.s32.u8.s8", WgmmaWords,
              "", "", "", "8.4">.L,
  WgmmaSparse<WgmmaShapes<64>.Integers, "{.satfinite}.s32.s8.u8", WgmmaWords,
              "", "", "", "8.4">.L)>;
def Forms_WgmmaWait : RowForms<"wgmma", Ptx_WgmmaWaitOp, WgmmaAnchor, [
  Form<"wgmma.wait_group.sync.aligned #groups", [Since<"8.0", "sm_90a">]>]>;

/// A wait completes whatever was issued before it, in groups or not, which the
/// ISA allows. Sums are read only behind a wait.
def Advice_wgmma : Advice<"wgmma", WgmmaAnchor, [
  Form<"wgmma.{commit_group|fence}.sync.aligned", [Since<"8.0", "sm_90a">]>]>;
#endif
