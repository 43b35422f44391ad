//===- PtxUnsupported.td - instructions without a record yet --------------===//
//
// Known to the ISA, refused by name. A record in a chapter replaces its line.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXUNSUPPORTED_TD
#define PTXJIT_DIALECT_PTXUNSUPPORTED_TD
include "ptxjit/Dialect/PtxBase.td"

def Unsupported_addc : Unsupported<"addc", "9.7.2.2">;
def Unsupported_applypriority : Unsupported<"applypriority", "9.7.9.16">;
def Unsupported_bmsk : Unsupported<"bmsk", "9.7.1.22">;
def Unsupported_brkpt : Unsupported<"brkpt", "legacy">;
def Unsupported_createpolicy : Unsupported<"createpolicy", "9.7.9.18">;
def Unsupported_discard : Unsupported<"discard", "9.7.9.17">;
def Unsupported_dp2a : Unsupported<"dp2a", "9.7.1.24">;
def Unsupported_fns : Unsupported<"fns", "9.7.1.17">;
def Unsupported_isspacep : Unsupported<"isspacep", "9.7.9.19">;
def Unsupported_ldu : Unsupported<"ldu", "9.7.9.10">;
def Unsupported_madc : Unsupported<"madc", "9.7.2.6">;
def Unsupported_pmevent : Unsupported<"pmevent", "legacy">;
def Unsupported_prefetch : Unsupported<"prefetch", "9.7.9.15">;
def Unsupported_prefetchu : Unsupported<"prefetchu", "9.7.9.15">;
def Unsupported_setmaxnreg : Unsupported<"setmaxnreg", "9.7.19.5">;
def Unsupported_subc : Unsupported<"subc", "9.7.2.4">;
def Unsupported_szext : Unsupported<"szext", "9.7.1.21">;
def Unsupported_tanh : Unsupported<"tanh", "9.7.3.22">;
#endif
