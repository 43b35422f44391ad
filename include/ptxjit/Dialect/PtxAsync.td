//===- PtxAsync.td - asynchronous copies, mbarrier, clusters --------------===//
//
// Known forms: parsed, checked and printed. Nothing executes them yet.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXASYNC_TD
#define PTXJIT_DIALECT_PTXASYNC_TD
include "ptxjit/Dialect/PtxBase.td"

defvar AsyncFrom86Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">,
    Since<"8.6", "sm_120a">,
    Since<"8.6", "sm_121a">];
defvar AsyncFrom86Sm100fx = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_120f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">,
    Since<"8.6", "sm_120a">,
    Since<"8.6", "sm_121a">];

def Known_st_async : Known<"st",
    "data-movement-and-conversion-instructions-st-async", [
  Form<"st.async.{weak|cluster}"
       ".shared::cluster.mbarrier::complete_tx::bytes.{u32|u64|s32|s64|b32|b64|"
       "f32|f64} [a], b, [c]",
       [Since<"8.1", "sm_90+">]>,
  Form<"st.async{.shared::cluster|weak|cluster}"
       ".mbarrier::complete_tx::bytes.{u32|u64|s32|s64|b32|b64|f32|f64} [a], "
       "b, [c]",
       [Since<"8.1", "sm_90+">]>,
  Form<"st.async{.shared::cluster}.mbarrier::complete_tx::bytes.v2.{u32|u64|"
       "s32|s64|b32|b64|f32|f64} [a], b*2, [c]",
       [Since<"8.1", "sm_90+">]>,
  Form<"st.async{.shared::cluster}.mbarrier::complete_tx::bytes.v4.{u32|s32|"
       "b32|f32} [a], b*4, [c]",
       [Since<"8.1", "sm_90+">]>,
  Form<"st.async{.mmio}.release.{sys|gpu}{.global}.{u16|u32|u64|s16|s32|s64|"
       "b32|b64|f32|f64|b16|b8|u8|s8} [a], b",
       [Since<"8.7", "sm_100+">]>,
  Form<"st.bulk{.shared::cta|weak} [a], b:b64, #c",
       [Since<"8.6", "sm_100+">]>,
  Form<"st.bulk{.shared::cta|weak} [a], #b, #c",
       [Since<"8.6", "sm_100+">]>,
  Form<"st.bulk.weak.shared::cta [a], b:b64, #c",
       [Since<"8.6", "sm_100+">]>,
  Form<"st.bulk.weak.shared::cta [a], #b, #c",
       [Since<"8.6", "sm_100+">]>]>;
def Known_fence_restrict : Known<"fence",
    "parallel-synchronization-and-communication-instructions-membar-fence", [
  Form<"fence.release.sync_restrict::shared::cta.cluster",
       [Since<"8.6", "sm_90+">]>,
  Form<"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.clust"
       "er",
       [Since<"8.6", "sm_90+">]>,
  Form<"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
       [Since<"8.6", "sm_90+">]>,
  Form<"fence.acquire.sync_restrict::shared::cluster.cluster",
       [Since<"8.6", "sm_90+">]>]>;
def Known_red_async : Known<"red",
    "parallel-synchronization-and-communication-instructions-red-async", [
  Form<"red.async.relaxed.cluster{.shared::cluster}"
       ".mbarrier::complete_tx::bytes.{add|min|max|inc|dec}.u32 [a], b, [c]",
       [Since<"8.1", "sm_90+">]>,
  Form<"red.async.relaxed.cluster{.shared::cluster}"
       ".mbarrier::complete_tx::bytes.{add|min|max}.s32 [a], b, [c]",
       [Since<"8.1", "sm_90+">]>,
  Form<"red.async.relaxed.cluster{.shared::cluster}"
       ".mbarrier::complete_tx::bytes.add.{u64|s64} [a], b, [c]",
       [Since<"8.1", "sm_90+">]>,
  Form<"red.async.relaxed.cluster{.shared::cluster}"
       ".mbarrier::complete_tx::bytes.{and|or|xor}.b32 [a], b, [c]",
       [Since<"8.1", "sm_90+">]>,
  Form<"red.async{.mmio}.release.{sys|gpu}{.global}.add.{u32|u64|s32|s64} [a], "
       "b",
       [Since<"8.7", "sm_100+">]>]>;
def Known_multimem : Known<"multimem",
    "data-movement-and-conversion-instructions-multimem", [
  Form<"multimem.ld_reduce{.weak}.global.{add|min|max}.{u32|u64|s32} d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.acquire.sys.global.{add|min|max}.{u32|u64|s32} d, "
       "[a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.{f32|f64} d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce{.weak}.global.{and|or|xor}.{b32|b64} d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.{cta|cluster|gpu}.global.{and|or|xor}.{b32|"
       "b64} d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.{add|min|max}.{u32|u64|s32} d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.{f16x2|bf16x2} d, "
       "[a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.{cta|cluster|gpu}.global.{add|min|max}.{u32|"
       "u64|s32} d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.{min|max}.s64 d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.{and|or|xor}.{b32|b64} d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce{.weak}.global.{min|max}.s64 d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.{cta|cluster|gpu}.global.{min|max}.s64 d, "
       "[a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.acquire.sys.global.{min|max}.s64 d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.acquire.sys.global.{and|or|xor}.{b32|b64} d, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.relaxed.{cta|gpu}.global.{add|min|max}.{u32|u64|s32} [a], "
       "b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.{u32|u64|s32|s64|b32|b64|f32|f64|"
       "f16x2|bf16x2} [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.release.sys.global.{min|max}.s64 [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.release.sys.global.{add|min|max}.{u32|u64|s32} [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st.release.{sys|cluster}.global.{u32|u64|s32|s64|b32|b64|f32|"
       "f64|f16x2|bf16x2} [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.global.{add|min|max}.{u32|u64|s32} [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st{.weak}.global.{u32|u64|s32|s64|b32|b64|f32|f64|f16x2|"
       "bf16x2} [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.relaxed.sys.global.add.{f32|f64|f16x2|bf16x2} [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.global.{and|or|xor}.{b32|b64} [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.global.{min|max}.s64 [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.release.sys.global.{and|or|xor}.{b32|b64} [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.relaxed.{cta|gpu}.global.{min|max}.s64 [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.relaxed.{cta|gpu}.global.{and|or|xor}.{b32|b64} [a], b",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st{.weak}.global.v2.{f32|f16|f16x2|bf16|bf16x2} [a], b*2",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.relaxed.sys.global.{add|min|max}.v2.{f16|f16x2|bf16|"
       "bf16x2} [a], b*2",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v2.{f32|f16|f16x2|bf16|bf16x2} "
       "[a], b*2",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st.release.{sys|cluster}.global.v2.{f32|f16|f16x2|bf16|bf16x2}"
       " [a], b*2",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.relaxed.sys.global.add.v2.f32 [a], b*2",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st{.weak}.global.v4.{f32|f16|f16x2|bf16|bf16x2} [a], b*4",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.relaxed.sys.global.{add|min|max}.v4.{f16|f16x2|bf16|"
       "bf16x2} [a], b*4",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v4.{f32|f16|f16x2|bf16|bf16x2} "
       "[a], b*4",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.relaxed.sys.global.add.v4.f32 [a], b*4",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st.release.{sys|cluster}.global.v4.{f32|f16|f16x2|bf16|bf16x2}"
       " [a], b*4",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v8.{f16|bf16} [a], b*8",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.red.relaxed.sys.global.{add|min|max}.v8.{f16|bf16} [a], b*8",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st.release.{sys|cluster}.global.v8.{f16|bf16} [a], b*8",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.st{.weak}.global.v8.{f16|bf16} [a], b*8",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.v2.f32 d*2, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v2.{f16|f16x2|bf16|"
       "bf16x2} d*2, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.v4.f32 d*4, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v4.{f16|f16x2|bf16|"
       "bf16x2} d*4, [a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v8.{f16|bf16} d*8, "
       "[a]",
       [Since<"8.1", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f32.{f16x2|bf16x2} d, "
       "[a]",
       [Since<"8.2", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v2.{f16|f16x2|bf16|"
       "bf16x2} d*2, [a]",
       [Since<"8.2", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.{f16|f16x2|bf16|"
       "bf16x2} d*4, [a]",
       [Since<"8.2", "sm_90+">]>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v8.{f16|bf16} d*8, "
       "[a]",
       [Since<"8.2", "sm_90+">]>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v4.{e4m3|e5m2} [a], b*4:b8",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.release.{sys|cluster}.global.v4.{e4m3|e5m2} [a], b*4:b8",
       AsyncFrom86Sm100f>,
  Form<"multimem.st{.weak}.global.v4.{e4m3|e5m2} [a], b*4:b8",
       AsyncFrom86Sm100f>,
  Form<"multimem.st{.weak}.global.v8.{e4m3|e5m2} [a], b*8:b8",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.release.{sys|cluster}.global.v8.{e4m3|e5m2} [a], b*8:b8",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v8.{e4m3|e5m2} [a], b*8:b8",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.release.{sys|cluster}.global.v2.{e4m3x2|e5m2x2} [a], "
       "b*2:b16",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v2.{e4m3x2|e5m2x2} [a], b*2:b16",
       AsyncFrom86Sm100f>,
  Form<"multimem.st{.weak}.global.v2.{e4m3x2|e5m2x2} [a], b*2:b16",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v4.{e4m3x2|e5m2x2} [a], b*4:b16",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.release.{sys|cluster}.global.v4.{e4m3x2|e5m2x2} [a], "
       "b*4:b16",
       AsyncFrom86Sm100f>,
  Form<"multimem.st{.weak}.global.v4.{e4m3x2|e5m2x2} [a], b*4:b16",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v8.{e4m3x2|e5m2x2} [a], b*8:b16",
       AsyncFrom86Sm100f>,
  Form<"multimem.st{.weak}.global.v8.{e4m3x2|e5m2x2} [a], b*8:b16",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.release.{sys|cluster}.global.v8.{e4m3x2|e5m2x2} [a], "
       "b*8:b16",
       AsyncFrom86Sm100f>,
  Form<"multimem.st{.weak}.global.{e4m3x4|e5m2x4} [a], b:b32",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.{e4m3x4|e5m2x4} [a], b:b32",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.release.{sys|cluster}.global.{e4m3x4|e5m2x4} [a], b:b32",
       AsyncFrom86Sm100f>,
  Form<"multimem.st{.weak}.global.v2.{e4m3x4|e5m2x4} [a], b*2:b32",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.release.{sys|cluster}.global.v2.{e4m3x4|e5m2x4} [a], "
       "b*2:b32",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v2.{e4m3x4|e5m2x4} [a], b*2:b32",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.relaxed.{cta|gpu}.global.v4.{e4m3x4|e5m2x4} [a], b*4:b32",
       AsyncFrom86Sm100f>,
  Form<"multimem.st.release.{sys|cluster}.global.v4.{e4m3x4|e5m2x4} [a], "
       "b*4:b32",
       AsyncFrom86Sm100f>,
  Form<"multimem.st{.weak}.global.v4.{e4m3x4|e5m2x4} [a], b*4:b32",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f16.{e4m3x4|e5m2x4} "
       "d:b32, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.{e4m3x4|e5m2x4} "
       "d:b32, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v2.{e4m3x2|e5m2x2} "
       "d*2:b16, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f16.v2.{e4m3x2|e5m2x2} "
       "d*2:b16, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f16.v2.{e4m3x4|e5m2x4} "
       "d*2:b32, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v2.{e4m3x4|e5m2x4} "
       "d*2:b32, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f16.v4.{e4m3|e5m2} "
       "d*4:b8, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v4.{e4m3|e5m2} "
       "d*4:b8, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f16.v4.{e4m3x2|e5m2x2} "
       "d*4:b16, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v4.{e4m3x2|e5m2x2} "
       "d*4:b16, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v4.{e4m3x4|e5m2x4} "
       "d*4:b32, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f16.v4.{e4m3x4|e5m2x4} "
       "d*4:b32, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f16.v8.{e4m3|e5m2} "
       "d*8:b8, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v8.{e4m3|e5m2} "
       "d*8:b8, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.add.acc::f16.v8.{e4m3x2|e5m2x2} "
       "d*8:b16, [a]",
       AsyncFrom86Sm100f>,
  Form<"multimem.ld_reduce.relaxed.sys.global.{add|min|max}.v8.{e4m3x2|e5m2x2} "
       "d*8:b16, [a]",
       AsyncFrom86Sm100f>]>;
def Known_mapa : Known<"mapa",
    "data-movement-and-conversion-instructions-mapa", [
  Form<"mapa{.shared::cluster}.u64 d:b64, a:b64, b:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"mapa{.shared::cluster}.u32 d:b32, a:b32, b:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"mapa.shared::cluster.u64 d:b64, %a:b64, b:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"mapa.shared::cluster.u32 d:b32, %a:b64, b:b32",
       [Since<"7.8", "sm_90+">]>]>;
def Known_getctarank : Known<"getctarank",
    "data-movement-and-conversion-instructions-getctarank", [
  Form<"getctarank{.shared::cluster}.u64 d:b32, a:b64",
       [Since<"7.8", "sm_90+">]>,
  Form<"getctarank{.shared::cluster}.u32 d:b32, a:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"getctarank.shared::cluster.{u32|u64} d:b32, %a:b64",
       [Since<"7.8", "sm_90+">]>]>;
def Known_cp : Known<"cp",
    "data-movement-and-conversion-instructions-asynchronous-copy", [
  Form<"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [a], "
       "[b], c:b32, [e]",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [a], "
       "[b], #c, [e]",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx:"
       ":bytes.{add|min|max}.s32 [a], [b], c:b32, [e]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx:"
       ":bytes.add.u64 [a], [b], c:b32, [e]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx:"
       ":bytes.{and|or|xor}.b32 [a], [b], c:b32, [e]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx:"
       ":bytes.{add|min|max|inc|dec}.u32 [a], [b], c:b32, [e]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cluster.{global|shared::cta}"
       ".mbarrier::complete_tx::bytes [a], [b], c:b32, [e]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], "
       "[b], #c, [e]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.{add|min|max}.{u64|"
       "s32} [a], [b], c:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.{f32|f64} [a], "
       "[b], c:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.global.shared::cta.bulk_group [a], [b], c:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.{f16|bf16}"
       " [a], [b], c:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.{add|min|max|inc|"
       "dec}.u32 [a], [b], c:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.{and|or|xor}.{b32|"
       "b64} [a], [b], c:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.{min|max}.{s64|f16|"
       "bf16} [a], [b], c:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.L2.global [a], b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multi"
       "cast::cluster [a], [b], c:b32, [e], f:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multi"
       "cast::cluster [a], [b], #c, [e], f:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache"
       "_hint [a], [b], c:b32, [e], f:b64",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache"
       "_hint [a], [b], #c, [e], f:b64",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::c"
       "ache_hint [a], [b], c:b32, [e], f:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::c"
       "ache_hint [a], [b], #c, [e], f:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.{"
       "f32|f64} [a], [b], c:b32, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.{add|"
       "min|max}.{u64|s32} [a], [b], c:b32, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.{add|"
       "min|max|inc|dec}.u32 [a], [b], c:b32, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.{and|"
       "or|xor}.{b32|b64} [a], [b], c:b32, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.n"
       "oftz.{f16|bf16} [a], [b], c:b32, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.{min|"
       "max}.{s64|f16|bf16} [a], [b], c:b32, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [a], [b], "
       "c:b32, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.L2.global.L2::cache_hint [a], b:b32, c:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multi"
       "cast::cluster.L2::cache_hint [a], [b], c:b32, [e], f:b16, g:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multi"
       "cast::cluster.L2::cache_hint [a], [b], #c, [e], f:b16, g:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.commit_group",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.wait_group{.read} #a=0|3",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [a], [b], c:b32, "
       "e:b16",
       [Since<"8.6", "sm_100+">]>,
  Form<"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask "
       "[a], [b], c:b32, e:b64, f:b16",
       [Since<"8.6", "sm_100+">]>,
  Form<"cp.async.mbarrier.arrive{.shared|noinc}.b64 [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"cp.async.mbarrier.arrive.noinc.shared.b64 [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"cp.async.mbarrier.arrive{.noinc}.shared::cta.b64 [a]",
       [Since<"7.8", "sm_80+">]>]>;
def Known_barrier_cluster : Known<"barrier",
    "parallel-synchronization-and-communication-instructions-barrier-cluster", [
  Form<"barrier.cluster.{arrive|wait}{.aligned}",
       [Since<"7.8", "sm_90+">]>,
  Form<"barrier.cluster.wait.acquire{.aligned}",
       [Since<"8.0", "sm_90+">]>,
  Form<"barrier.cluster.arrive.{relaxed|release}{.aligned}",
       [Since<"8.0", "sm_90+">]>]>;
def Known_mbarrier : Known<"mbarrier",
    "parallel-synchronization-and-communication-instructions-mbarrier", [
  Form<"mbarrier.{expect_tx|complete_tx}{.shared|shared::cta|shared::cluster}"
       ".b64 [a], b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{expect_tx|complete_tx}.relaxed.{cta|cluster}{.shared|"
       "shared::cta|shared::cluster}.b64 [a], b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}{.shared|shared::cta}.b64 d:b64, [a], "
       "b:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}{.shared|shared::cta}.b64 _, [a], b:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}{.expect_tx}.release.{cta|cluster}"
       "{.shared|shared::cta}.b64 d:b64, [a], b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.expect_tx{.shared|shared::cta}.b64 "
       "d:b64, [a], b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.expect_tx.{shared|shared::cta|"
       "shared::cluster}.b64 _, [a], b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.{shared::cluster|expect_tx}.b64 _, [a], "
       "b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}{.expect_tx}.release.{cta|cluster}"
       "{.shared|shared::cta|shared::cluster}.b64 _, [a], b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.try_wait{.shared|shared::cta}.b64 d:pred, [a], b:b64",
       [Since<"7.8", "sm_90+">]>,
  Form<"mbarrier.try_wait{.shared|shared::cta}.b64 d:pred, [a], b:b64, c:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"mbarrier.try_wait.parity{.shared|shared::cta}.b64 d:pred, [a], b:b32",
       [Since<"7.8", "sm_90+">]>,
  Form<"mbarrier.try_wait.parity{.shared|shared::cta}.b64 d:pred, [a], b:b32, "
       "#c",
       [Since<"7.8", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.relaxed.{cta|cluster}{.shared|"
       "shared::cta}.b64 d:b64, [a]",
       [Since<"8.6", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}{.expect_tx}.relaxed.{cta|cluster}"
       "{.shared|shared::cta}.b64 d:b64, [a], b:b32",
       [Since<"8.6", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.relaxed.{cta|cluster}{.shared|"
       "shared::cta|shared::cluster}.b64 _, [a]",
       [Since<"8.6", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}{.expect_tx}.relaxed.{cta|cluster}"
       "{.shared|shared::cta|shared::cluster}.b64 _, [a], b:b32",
       [Since<"8.6", "sm_90+">]>,
  Form<"mbarrier.{test_wait|try_wait}.relaxed.{cta|cluster}{.shared|"
       "shared::cta}.b64 d:pred, [a], b:b64",
       [Since<"8.6", "sm_90+">]>,
  Form<"mbarrier.{test_wait|try_wait}.parity.relaxed.{cta|cluster}{.shared|"
       "shared::cta}.b64 d:pred, [a], b:b32",
       [Since<"8.6", "sm_90+">]>,
  Form<"mbarrier.try_wait.relaxed.{cta|cluster}{.shared|shared::cta}.b64 "
       "d:pred, [a], b:b64, c:b32",
       [Since<"8.6", "sm_90+">]>,
  Form<"mbarrier.try_wait.parity.relaxed.{cta|cluster}{.shared|shared::cta}"
       ".b64 d:pred, [a], b:b32, #c",
       [Since<"8.6", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.release.cluster{.shared|shared::cta}.b64 "
       "d:b64, [a]",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.release.cluster{.shared|shared::cta}.b64 "
       "_, [a]",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.release.{cta|cluster}"
       ".shared::cluster.b64 _, [a]",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.shared::cluster.b64 _, [a]",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.try_wait.acquire.cta{.shared|shared::cta}.b64 d:pred, [a], "
       "b:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{test_wait|try_wait}.acquire.cluster{.shared|shared::cta}.b64 "
       "d:pred, [a], b:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.{test_wait|try_wait}.parity.acquire.cluster{.shared|"
       "shared::cta}.b64 d:pred, [a], b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.try_wait.parity.acquire.cta{.shared|shared::cta}.b64 d:pred, "
       "[a], b:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.try_wait.acquire.{cta|cluster}{.shared|shared::cta}.b64 "
       "d:pred, [a], b:b64, c:b32",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.try_wait.parity.acquire.{cta|cluster}{.shared|shared::cta}"
       ".b64 d:pred, [a], b:b32, #c",
       [Since<"8.0", "sm_90+">]>,
  Form<"mbarrier.init{.shared}.b64 [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mbarrier.init{.shared}.b64 [a], #b",
       [Since<"7.0", "sm_80+">]>,
  Form<"mbarrier.inval{.shared}.b64 [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}{.shared}.b64 d:b64, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.noComplete{.shared}.b64 d:b64, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mbarrier.arrive{.shared}.b64 _, [a]",
       [Since<"7.1", "sm_80+">]>,
  Form<"mbarrier.arrive.noComplete{.shared}.b64 _, [a], b:b32",
       [Since<"7.1", "sm_80+">]>,
  Form<"mbarrier.arrive_drop{.shared}.b64 _, [a]",
       [Since<"7.0", "sm_80+">]>,
  Form<"mbarrier.arrive_drop.noComplete{.shared}.b64 _, [a], b:b32",
       [Since<"7.0", "sm_80+">]>,
  Form<"mbarrier.test_wait{.shared}.b64 d:pred, [a], b:b64",
       [Since<"7.0", "sm_80+">]>,
  Form<"mbarrier.test_wait.parity{.shared}.b64 d:pred, [a], b:b32",
       [Since<"7.1", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.release.cta{.shared|shared::cta}.b64 "
       "d:b64, [a]",
       [Since<"8.0", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.release.cta{.shared|shared::cta}.b64 _, "
       "[a]",
       [Since<"8.0", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.noComplete.release.cta{.shared|"
       "shared::cta}.b64 d:b64, [a], b:b32",
       [Since<"8.0", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.noComplete.release.cta{.shared|"
       "shared::cta}.b64 _, [a], b:b32",
       [Since<"8.0", "sm_80+">]>,
  Form<"mbarrier.test_wait.acquire.cta{.shared|shared::cta}.b64 d:pred, [a], "
       "b:b64",
       [Since<"8.0", "sm_80+">]>,
  Form<"mbarrier.test_wait.parity.acquire.cta{.shared|shared::cta}.b64 d:pred, "
       "[a], b:b32",
       [Since<"8.0", "sm_80+">]>,
  Form<"mbarrier.init.shared::cta.b64 [a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"mbarrier.init.shared::cta.b64 [a], #b",
       [Since<"7.8", "sm_80+">]>,
  Form<"mbarrier.inval.shared::cta.b64 [a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.shared::cta.b64 d:b64, [a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.shared::cta.b64 _, [a]",
       [Since<"7.8", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.noComplete.shared::cta.b64 d:b64, [a], "
       "b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"mbarrier.{arrive|arrive_drop}.noComplete.shared::cta.b64 _, [a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"mbarrier.test_wait.shared::cta.b64 d:pred, [a], b:b64",
       [Since<"7.8", "sm_80+">]>,
  Form<"mbarrier.test_wait.parity.shared::cta.b64 d:pred, [a], b:b32",
       [Since<"7.8", "sm_80+">]>,
  Form<"mbarrier.pending_count.b64 d:b32, a:b64",
       [Since<"7.0", "sm_80+">]>]>;
def Known_clusterlaunchcontrol : Known<"clusterlaunchcontrol",
    "parallel-synchronization-and-communication-instructions-clusterlaunchcontrol", [
  Form<"clusterlaunchcontrol.try_cancel.async{.shared::cta}"
       ".mbarrier::complete_tx::bytes.b128 [a], [b]",
       [Since<"8.6", "sm_100+">]>,
  Form<"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 d:pred, a:b128",
       [Since<"8.6", "sm_100+">]>,
  Form<"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d*4:b32, "
       "a:b128",
       [Since<"8.6", "sm_100+">]>,
  Form<"clusterlaunchcontrol.query_cancel.{get_first_ctaid::x|"
       "get_first_ctaid::y|get_first_ctaid::z}.b32.b128 d:b32, a:b128",
       [Since<"8.6", "sm_100+">]>,
  Form<"clusterlaunchcontrol.try_cancel.async{.shared::cta}"
       ".mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [a], [b]",
       AsyncFrom86Sm100fx>]>;
#endif
