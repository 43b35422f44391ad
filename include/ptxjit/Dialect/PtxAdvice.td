//===- PtxAdvice.td - instructions that change no result ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches, cache policies, numbers of registers, and waits and fences for
// orders that always hold here: copies complete when they are issued, and a
// grid starts after the grids before it have ended.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXADVICE_TD
#define PTXJIT_DIALECT_PTXADVICE_TD
include "ptxjit/Dialect/PtxBase.td"

defvar MoveAnchor = "data-movement-and-conversion-instructions-";
defvar SyncAnchor =
    "parallel-synchronization-and-communication-instructions-";
defvar Policies = "L2::evict_last|L2::evict_normal|L2::evict_first"
                  "|L2::evict_unchanged";
defvar Secondary = "{.L2::evict_first|L2::evict_unchanged}";

def Advice_prefetch : Advice<"prefetch", !strconcat(MoveAnchor, "prefetch-prefetchu"),
    [Form<"prefetch{.global|local}.{L1|L2} [a]", [Since<"2.0", "sm_20+">]>,
     Form<"prefetch.global.{L2::evict_last|L2::evict_normal} [a]", [Since<"7.4", "sm_80+">]>,
     Form<"prefetch{.const|param}.tensormap [a]", [Since<"8.0", "sm_90+">]>]>;
def Advice_prefetchu : Advice<"prefetchu", !strconcat(MoveAnchor, "prefetch-prefetchu"),
    [Form<"prefetchu.L1 [a]", [Since<"2.0", "sm_20+">]>]>;
def Advice_applypriority : Advice<"applypriority", !strconcat(MoveAnchor, "applypriority"),
    [Form<"applypriority{.global}.L2::evict_normal [a], #b=128", [Since<"7.4", "sm_80+">]>]>;
def Advice_discard : Advice<"discard", !strconcat(MoveAnchor, "discard"),
    [Form<"discard{.global}.L2 [a], #b=128", [Since<"7.4", "sm_80+">]>]>;
def Advice_createpolicy : Advice<"createpolicy", !strconcat(MoveAnchor, "createpolicy"),
    [Form<!strconcat("createpolicy.range{.global}.{", Policies, "}", Secondary,
                     ".b64 d:b64, [a], b:b32, c:b32"), [Since<"7.4", "sm_80+">]>,
     Form<!strconcat("createpolicy.fractional.{", Policies, "}", Secondary,
                     ".b64 d:b64{, a:f32}"), [Since<"7.4", "sm_80+">]>,
     Form<"createpolicy.cvt.L2.b64 d:b64, a:b64", [Since<"7.4", "sm_80+">]>]>;

def Advice_cp : Advice<"cp",
    !strconcat(MoveAnchor, "non-bulk-asynchronous-copy"),
    [Form<"cp.async.{commit_group|wait_all}", [Since<"7.0", "sm_80+">]>,
     Form<"cp.async.wait_group #n", [Since<"7.0", "sm_80+">]>,
     Form<"cp.async.bulk.commit_group", [Since<"8.0", "sm_90+">]>,
     Form<"cp.async.bulk.wait_group{.read} #n", [Since<"8.0", "sm_90+">]>,
     Form<"cp.async.bulk.prefetch.L2.global [a], b:b32", [Since<"8.0", "sm_90+">]>,
     Form<"cp.async.bulk.prefetch.L2.global.L2::cache_hint [a], b:b32, c:b64", [Since<"8.0", "sm_90+">]>]>;
def Advice_griddepcontrol : Advice<"griddepcontrol",
    !strconcat(SyncAnchor, "griddepcontrol"),
    [Form<"griddepcontrol.{launch_dependents|wait}", [Since<"7.8", "sm_90+">]>]>;

// All accesses take the same path to memory, so proxies need no fences.
def Advice_fence : Advice<"fence", !strconcat(SyncAnchor, "membar-fence"),
    [Form<"fence.proxy.alias", [Since<"7.5", "sm_70+">]>,
     Form<"fence.proxy.async{.global|shared::cta|shared::cluster}", [Since<"8.0", "sm_90+">]>,
     Form<"fence.mbarrier_init.release.cluster", [Since<"8.0", "sm_90+">]>,
     Form<"fence.proxy.tensormap::generic.release.{cta|cluster|gpu|sys}", [Since<"8.3", "sm_90+">]>,
     Form<"fence.proxy.tensormap::generic.acquire.{cta|cluster|gpu|sys} [a], #b=128", [Since<"8.3", "sm_90+">]>,
     // Fences of mbarrier operations, which are always ordered.
     Form<"fence.release.sync_restrict::shared::cta.cluster", [Since<"8.6", "sm_90+">]>,
     Form<"fence.acquire.sync_restrict::shared::cluster.cluster", [Since<"8.6", "sm_90+">]>,
     Form<"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
          [Since<"8.6", "sm_90+">]>,
     Form<"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
          [Since<"8.6", "sm_90+">]>]>;
def Advice_membar : Advice<"membar", !strconcat(SyncAnchor, "membar-fence"),
    [Form<"membar.proxy.alias", [Since<"7.5", "sm_60+">]>]>;

def Advice_setmaxnreg : Advice<"setmaxnreg", "miscellaneous-instructions-setmaxnreg",
    [Form<"setmaxnreg.{inc|dec}.sync.aligned.u32 #n=24..256",
          [Since<"8.0", "sm_90a">, Since<"8.8", "sm_100f">,
           Since<"8.8", "sm_110f">, Since<"8.8", "sm_120f">,
           Since<"8.6", "sm_100a">, Since<"8.6", "sm_103a">,
           Since<"8.6", "sm_110a">, Since<"8.6", "sm_120a">,
           Since<"8.6", "sm_121a">]>]>;
def Advice_pmevent : Advice<"pmevent", "miscellaneous-instructions-pmevent",
    [Form<"pmevent #a=0..15", [Since<"1.4", "sm_10+">]>,
     Form<"pmevent.mask #a", [Since<"3.0", "sm_20+">]>]>;
// There is no debugger for which `brkpt` could stop.
def Advice_brkpt : Advice<"brkpt", "miscellaneous-instructions-brkpt",
    [Form<"brkpt", [Since<"1.0", "sm_11+">]>]>;
#endif
