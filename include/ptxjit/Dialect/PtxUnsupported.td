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
def Unsupported_clusterlaunchcontrol : Unsupported<"clusterlaunchcontrol", "9.7.13.17">;
def Unsupported_cp : Unsupported<"cp", "9.7.9.25.3.1">;
def Unsupported_createpolicy : Unsupported<"createpolicy", "9.7.9.18">;
def Unsupported_discard : Unsupported<"discard", "9.7.9.17">;
def Unsupported_dp2a : Unsupported<"dp2a", "9.7.1.24">;
def Unsupported_fns : Unsupported<"fns", "9.7.1.17">;
def Unsupported_getctarank : Unsupported<"getctarank", "9.7.9.24">;
def Unsupported_griddepcontrol : Unsupported<"griddepcontrol", "9.7.13.13">;
def Unsupported_isspacep : Unsupported<"isspacep", "9.7.9.19">;
def Unsupported_istypep : Unsupported<"istypep", "9.7.10.6">;
def Unsupported_ldmatrix : Unsupported<"ldmatrix", "9.7.14.5.15">;
def Unsupported_ldu : Unsupported<"ldu", "9.7.9.10">;
def Unsupported_madc : Unsupported<"madc", "9.7.2.6">;
def Unsupported_mapa : Unsupported<"mapa", "9.7.9.23">;
def Unsupported_mbarrier : Unsupported<"mbarrier", "9.7.13.15.9">;
def Unsupported_mma : Unsupported<"mma", "9.7.14.5.14">;
def Unsupported_movmatrix : Unsupported<"movmatrix", "9.7.14.5.17">;
def Unsupported_multimem : Unsupported<"multimem", "9.7.9.14">;
def Unsupported_pmevent : Unsupported<"pmevent", "legacy">;
def Unsupported_prefetch : Unsupported<"prefetch", "9.7.9.15">;
def Unsupported_prefetchu : Unsupported<"prefetchu", "9.7.9.15">;
def Unsupported_setmaxnreg : Unsupported<"setmaxnreg", "9.7.19.5">;
def Unsupported_stmatrix : Unsupported<"stmatrix", "9.7.14.5.16">;
def Unsupported_subc : Unsupported<"subc", "9.7.2.4">;
def Unsupported_suld : Unsupported<"suld", "9.7.11.1">;
def Unsupported_suq : Unsupported<"suq", "9.7.11.4">;
def Unsupported_sured : Unsupported<"sured", "9.7.11.3">;
def Unsupported_sust : Unsupported<"sust", "9.7.11.2">;
def Unsupported_szext : Unsupported<"szext", "9.7.1.21">;
def Unsupported_tanh : Unsupported<"tanh", "9.7.3.22">;
def Unsupported_tcgen05 : Unsupported<"tcgen05", "9.7.16.7.1">;
def Unsupported_tensormap : Unsupported<"tensormap", "9.7.9.26">;
def Unsupported_tex : Unsupported<"tex", "9.7.10.3">;
def Unsupported_tld4 : Unsupported<"tld4", "9.7.10.4">;
def Unsupported_txq : Unsupported<"txq", "9.7.10.5">;
def Unsupported_vabsdiff : Unsupported<"vabsdiff", "9.7.18.1.1">;
def Unsupported_vabsdiff2 : Unsupported<"vabsdiff2", "video">;
def Unsupported_vabsdiff4 : Unsupported<"vabsdiff4", "video">;
def Unsupported_vadd : Unsupported<"vadd", "9.7.18.1.1">;
def Unsupported_vadd2 : Unsupported<"vadd2", "video">;
def Unsupported_vadd4 : Unsupported<"vadd4", "video">;
def Unsupported_vavrg2 : Unsupported<"vavrg2", "video">;
def Unsupported_vavrg4 : Unsupported<"vavrg4", "video">;
def Unsupported_vmad : Unsupported<"vmad", "9.7.18.1.3">;
def Unsupported_vmax : Unsupported<"vmax", "9.7.18.1.1">;
def Unsupported_vmax2 : Unsupported<"vmax2", "video">;
def Unsupported_vmax4 : Unsupported<"vmax4", "video">;
def Unsupported_vmin : Unsupported<"vmin", "9.7.18.1.1">;
def Unsupported_vmin2 : Unsupported<"vmin2", "video">;
def Unsupported_vmin4 : Unsupported<"vmin4", "video">;
def Unsupported_vset : Unsupported<"vset", "9.7.18.1.4">;
def Unsupported_vset2 : Unsupported<"vset2", "video">;
def Unsupported_vset4 : Unsupported<"vset4", "video">;
def Unsupported_vshl : Unsupported<"vshl", "9.7.18.1.2">;
def Unsupported_vshr : Unsupported<"vshr", "9.7.18.1.2">;
def Unsupported_vsub : Unsupported<"vsub", "9.7.18.1.1">;
def Unsupported_vsub2 : Unsupported<"vsub2", "video">;
def Unsupported_vsub4 : Unsupported<"vsub4", "video">;
def Unsupported_wgmma : Unsupported<"wgmma", "9.7.15.5.2">;
def Unsupported_wmma : Unsupported<"wmma", "9.7.14.4.3">;
#endif
