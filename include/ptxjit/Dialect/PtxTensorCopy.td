//===- PtxTensorCopy.td - copies of tensors -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known forms: parsed, checked and printed. Nothing executes them yet.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXTENSORCOPY_TD
#define PTXJIT_DIALECT_PTXTENSORCOPY_TD
include "ptxjit/Dialect/PtxBase.td"

defvar TensorCopyFrom83Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_120f">,
    Since<"8.3", "sm_90a">,
    Since<"8.3", "sm_100a">,
    Since<"8.3", "sm_103a">,
    Since<"8.3", "sm_110a">,
    Since<"8.3", "sm_120a">,
    Since<"8.3", "sm_121a">];
defvar TensorCopyFrom87Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_120f">,
    Since<"8.7", "sm_100a">,
    Since<"8.7", "sm_103a">,
    Since<"8.7", "sm_110a">,
    Since<"8.7", "sm_120a">,
    Since<"8.7", "sm_121a">];
defvar TensorCopyFrom86Sm100f = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.8", "sm_120f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">,
    Since<"8.6", "sm_120a">,
    Since<"8.6", "sm_121a">];
defvar TensorCopyFrom86Sm100fx = [
    Since<"8.8", "sm_100f">,
    Since<"8.8", "sm_110f">,
    Since<"8.6", "sm_100a">,
    Since<"8.6", "sm_103a">,
    Since<"8.6", "sm_110a">];

def Known_tensormap : Known<"tensormap",
    "data-movement-and-conversion-instructions-tensormap-replace", [
  Form<"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [a], #b",
       [Since<"8.8", "sm_103a">]>,
  Form<"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [a], #b=0|1|2|3",
       TensorCopyFrom83Sm100f>,
  Form<"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{"
       "sys|cta|cluster|gpu}.sync.aligned [a], [b], #c",
       [Since<"8.3", "sm_90+">]>,
  Form<"tensormap.replace.tile.elemtype.global.b1024.b32 [a], #b=13|14|15",
       TensorCopyFrom87Sm100f>,
  Form<"tensormap.replace.tile.elemtype.global.b1024.b32 [a], #b=0|1|2|3|4|5|6|"
       "7|8|9|10|11|12",
       TensorCopyFrom83Sm100f>,
  Form<"tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [a], #b=0|1|"
       "2|3",
       TensorCopyFrom86Sm100f>,
  Form<"tensormap.replace.tile.rank{.global|shared::cta}.b1024.b32 [a], b:b32",
       TensorCopyFrom83Sm100f>,
  Form<"tensormap.replace.tile.{box_dim|global_dim|element_stride}{.global|"
       "shared::cta}.b1024.b32 [a], #b, c:b32",
       TensorCopyFrom83Sm100f>,
  Form<"tensormap.replace.tile.global_address{.global|shared::cta}.b1024.b64 "
       "[a], b:b64",
       TensorCopyFrom83Sm100f>,
  Form<"tensormap.replace.tile.global_stride{.global|shared::cta}.b1024.b64 "
       "[a], #b, c:b64",
       TensorCopyFrom83Sm100f>,
  Form<"tensormap.replace.tile.interleave_layout.global.b1024.b32 [a], #b=0|1|2",
       TensorCopyFrom83Sm100f>,
  Form<"tensormap.replace.tile.fill_mode.global.b1024.b32 [a], #b=0|1",
       TensorCopyFrom83Sm100f>]>;
def Known_cp_tensor : Known<"cp",
    "data-movement-and-conversion-instructions-asynchronous-copy", [
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.shared::cta.global{.tile}"
       ".mbarrier::complete_tx::bytes [a], [b,c*D:b32], [e]",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.shared::cluster.global{.tile}"
       ".mbarrier::complete_tx::bytes [a], [b,c*D:b32], [e]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.tensor.{1d|2d|3d|4d|5d}.L2.global{.tile} "
       "[a,b*D:b32]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.shared::cta.global{.tile}"
       ".mbarrier::complete_tx::bytes.L2::cache_hint [a], [b,c*D:b32], [e], "
       "f:b64",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.shared::cluster.global{.tile}"
       ".mbarrier::complete_tx::bytes.L2::cache_hint [a], [b,c*D:b32], [e], "
       "f:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.tensor.{1d|2d|3d|4d|5d}.L2.global{.tile}"
       ".L2::cache_hint [a,b*D:b32], c:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.shared::cluster.global{.tile}"
       ".mbarrier::complete_tx::bytes.multicast::cluster [a], [b,c*D:b32], "
       "[e], f:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.shared::cluster.global{.tile}"
       ".mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [a], "
       "[b,c*D:b32], [e], f:b16, g:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.tensor.{3d|4d|5d}.global.shared::cta.{add|min|max|"
       "and|or|xor|inc|dec}.im2col_no_offs.bulk_group [a,b*D:b32], [c]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}"
       ".global.shared::cta.im2col_no_offs.bulk_group [a,b*D:b32], [c]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.global.shared::cta{.tile}"
       ".bulk_group [a,b*D:b32], [c]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.tensor.{1d|2d|3d|4d|5d}.global.shared::cta.{add|"
       "min|max|and|or|xor|inc|dec}{.tile}.bulk_group [a,b*D:b32], [c]",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}"
       ".global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint "
       "[a,b*D:b32], [c], e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.global.shared::cta{.tile}"
       ".bulk_group.L2::cache_hint [a,b*D:b32], [c], e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.tensor.{3d|4d|5d}.global.shared::cta.{add|min|max|"
       "and|or|xor|inc|dec}.im2col_no_offs.bulk_group.L2::cache_hint "
       "[a,b*D:b32], [c], e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.reduce.async.bulk.tensor.{1d|2d|3d|4d|5d}.global.shared::cta.{add|"
       "min|max|and|or|xor|inc|dec}{.tile}.bulk_group.L2::cache_hint "
       "[a,b*D:b32], [c], e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx"
       "::bytes [a], [b,c*D:b32], [e], f*1:b16",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes [a], [b,c*D:b32], [e], f*1:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [a,b*D:b32], c*1:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx"
       "::bytes.L2::cache_hint [a], [b,c*D:b32], [e], f*1:b16, g:b64",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.L2::cache_hint [a], [b,c*D:b32], [e], f*1:b16, g:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.tensor.3d.L2.global.im2col.L2::cache_hint "
       "[a,b*D:b32], c*1:b16, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster [a], [b,c*D:b32], [e], f*1:b16, g:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster.L2::cache_hint [a], [b,c*D:b32], [e], "
       "f*1:b16, g:b16, h:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx"
       "::bytes [a], [b,c*D:b32], [e], f*2:b16",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes [a], [b,c*D:b32], [e], f*2:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [a,b*D:b32], c*2:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx"
       "::bytes.L2::cache_hint [a], [b,c*D:b32], [e], f*2:b16, g:b64",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.L2::cache_hint [a], [b,c*D:b32], [e], f*2:b16, g:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.tensor.4d.L2.global.im2col.L2::cache_hint "
       "[a,b*D:b32], c*2:b16, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster [a], [b,c*D:b32], [e], f*2:b16, g:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster.L2::cache_hint [a], [b,c*D:b32], [e], "
       "f*2:b16, g:b16, h:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx"
       "::bytes [a], [b,c*D:b32], [e], f*3:b16",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes [a], [b,c*D:b32], [e], f*3:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.tensor.5d.L2.global.im2col [a,b*D:b32], c*3:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx"
       "::bytes.L2::cache_hint [a], [b,c*D:b32], [e], f*3:b16, g:b64",
       [Since<"8.6", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.L2::cache_hint [a], [b,c*D:b32], [e], f*3:b16, g:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.prefetch.tensor.5d.L2.global.im2col.L2::cache_hint "
       "[a,b*D:b32], c*3:b16, e:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster [a], [b,c*D:b32], [e], f*3:b16, g:b16",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster.L2::cache_hint [a], [b,c*D:b32], [e], "
       "f*3:b16, g:b16, h:b64",
       [Since<"8.0", "sm_90+">]>,
  Form<"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::comp"
       "lete_tx::bytes [a], [b,c*5:b32], [e]",
       [Since<"8.6", "sm_100+">]>,
  Form<"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::comp"
       "lete_tx::bytes.L2::cache_hint [a], [b,c*5:b32], [e], f:b64",
       [Since<"8.6", "sm_100+">]>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}"
       ".shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [a], "
       "[b,c*D:b32], [e], f*2:b16",
       [Since<"8.6", "sm_100+">]>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}"
       ".shared::cta.global.im2col::w.mbarrier::complete_tx::bytes.L2::cache_hi"
       "nt [a], [b,c*D:b32], [e], f*2:b16, g:b64",
       [Since<"8.6", "sm_100+">]>,
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.{shared::cta|shared::cluster}"
       ".global{.tile}.mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2}"
       " [a], [b,c*D:b32], [e]",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.shared::cluster.global{.tile}"
       ".mbarrier::complete_tx::bytes.multicast::cluster.{cta_group::1|"
       "cta_group::2} [a], [b,c*D:b32], [e], f:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.{shared::cta|shared::cluster}.global{.tile}"
       ".mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2}"
       ".L2::cache_hint [a], [b,c*D:b32], [e], f:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.shared::cluster.global{.tile}"
       ".mbarrier::complete_tx::bytes.multicast::cluster.{cta_group::1|"
       "cta_group::2}.L2::cache_hint [a], [b,c*D:b32], [e], f:b16, g:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::"
       "complete_tx::bytes [a], [b,c*5:b32], [e]",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.{shared::cta|shared::cluster}"
       ".global.tile::gather4.mbarrier::complete_tx::bytes.{cta_group::1|"
       "cta_group::2} [a], [b,c*5:b32], [e]",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [a,b*5:b32]",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.{shared::cta|shared::cluster}"
       ".global.tile::gather4.mbarrier::complete_tx::bytes.{cta_group::1|"
       "cta_group::2}.L2::cache_hint [a], [b,c*5:b32], [e], f:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::"
       "complete_tx::bytes.L2::cache_hint [a], [b,c*5:b32], [e], f:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4.L2::cache_hint"
       " [a,b*5:b32], c:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::"
       "complete_tx::bytes.multicast::cluster{.cta_group::1|cta_group::2} [a], "
       "[b,c*5:b32], [e], f:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::"
       "complete_tx::bytes.multicast::cluster{.cta_group::1|cta_group::2}"
       ".L2::cache_hint [a], [b,c*5:b32], [e], f:b16, g:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
       "[a,b*5:b32], [c]",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group.L2"
       "::cache_hint [a,b*5:b32], [c], e:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.3d.{shared::cta|shared::cluster}"
       ".global.im2col.mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2}"
       " [a], [b,c*D:b32], [e], f*1:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.3d.{shared::cta|shared::cluster}"
       ".global.im2col.mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2}"
       ".L2::cache_hint [a], [b,c*D:b32], [e], f*1:b16, g:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster.{cta_group::1|cta_group::2} [a], "
       "[b,c*D:b32], [e], f*1:b16, g:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster.{cta_group::1|cta_group::2}"
       ".L2::cache_hint [a], [b,c*D:b32], [e], f*1:b16, g:b16, h:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.4d.{shared::cta|shared::cluster}"
       ".global.im2col.mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2}"
       " [a], [b,c*D:b32], [e], f*2:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}.{shared::cta|shared::cluster}"
       ".global.im2col::w::128.mbarrier::complete_tx::bytes [a], [b,c*D:b32], "
       "[e], f*2:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}.{shared::cta|shared::cluster}"
       ".global.{im2col::w|im2col::w::128}"
       ".mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2} [a], "
       "[b,c*D:b32], [e], f*2:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}"
       ".shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [a], "
       "[b,c*D:b32], [e], f*2:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.prefetch.tensor.{3d|4d|5d}.L2.global.{im2col::w|"
       "im2col::w::128} [a,b*D:b32], c*2:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}"
       ".shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes.L2::cach"
       "e_hint [a], [b,c*D:b32], [e], f*2:b16, g:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}.{shared::cta|shared::cluster}"
       ".global.im2col::w::128.mbarrier::complete_tx::bytes.L2::cache_hint "
       "[a], [b,c*D:b32], [e], f*2:b16, g:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.4d.{shared::cta|shared::cluster}"
       ".global.im2col.mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2}"
       ".L2::cache_hint [a], [b,c*D:b32], [e], f*2:b16, g:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}.{shared::cta|shared::cluster}"
       ".global.{im2col::w|im2col::w::128}"
       ".mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2}"
       ".L2::cache_hint [a], [b,c*D:b32], [e], f*2:b16, g:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.prefetch.tensor.{3d|4d|5d}.L2.global.{im2col::w|"
       "im2col::w::128}.L2::cache_hint [a,b*D:b32], c*2:b16, e:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster.{cta_group::1|cta_group::2} [a], "
       "[b,c*D:b32], [e], f*2:b16, g:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}.shared::cluster.global.{im2col::w|"
       "im2col::w::128}"
       ".mbarrier::complete_tx::bytes.multicast::cluster{.cta_group::1|"
       "cta_group::2} [a], [b,c*D:b32], [e], f*2:b16, g:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster.{cta_group::1|cta_group::2}"
       ".L2::cache_hint [a], [b,c*D:b32], [e], f*2:b16, g:b16, h:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.{3d|4d|5d}.shared::cluster.global.{im2col::w|"
       "im2col::w::128}"
       ".mbarrier::complete_tx::bytes.multicast::cluster{.cta_group::1|"
       "cta_group::2}.L2::cache_hint [a], [b,c*D:b32], [e], f*2:b16, g:b16, "
       "h:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.5d.{shared::cta|shared::cluster}"
       ".global.im2col.mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2}"
       " [a], [b,c*D:b32], [e], f*3:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.5d.{shared::cta|shared::cluster}"
       ".global.im2col.mbarrier::complete_tx::bytes.{cta_group::1|cta_group::2}"
       ".L2::cache_hint [a], [b,c*D:b32], [e], f*3:b16, g:b64",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster.{cta_group::1|cta_group::2} [a], "
       "[b,c*D:b32], [e], f*3:b16, g:b16",
       TensorCopyFrom86Sm100fx>,
  Form<"cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complet"
       "e_tx::bytes.multicast::cluster.{cta_group::1|cta_group::2}"
       ".L2::cache_hint [a], [b,c*D:b32], [e], f*3:b16, g:b16, h:b64",
       TensorCopyFrom86Sm100fx>]>;
#endif
