// RUN: ptx-opt %s | ptx-opt | FileCheck %s
// RUN: ptx-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: ptx-opt %s --mlir-print-op-generic | ptx-opt | FileCheck %s
//
// Instructions with many operands print as PTX spells them; their modifiers are
// attributes.

// CHECK-LABEL: ptx.func @matrices
ptx.func @matrices attributes {entry, params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  %w = ptx.sreg <gridid> : i64
  %f = arith.constant 0.0 : f32
  %m = ptx.entry_mask
  // CHECK: ptx.mma "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32"(%{{.*}}, %{{.*}}) : (i32, i32, i32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  // GENERIC: "ptx.mma"
  // GENERIC-SAME: layout = #ptx.matrix_layout<row>, layout2 = #ptx.matrix_layout<col>, opcode = #ptx.mma_opcode<mma>, operandSegmentSizes = array<i32: 7, 0>, shape = #ptx.matrix_shape<m16n8k8>, ty = #ptx.matrix_type<f32>, ty2 = #ptx.matrix_type<bf16>, ty3 = #ptx.matrix_type<bf16>, ty4 = #ptx.matrix_type<f32>
  %d:4 = ptx.mma "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32"(%a, %a, %a, %f, %f, %f, %f) : (i32, i32, i32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  // The order of modifiers is free, but for types.
  // CHECK: ptx.mma "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32"(%{{.*}}) mask %{{.*}} : (i32, i32, i32, i32) -> (i32, i32)
  %e:2 = ptx.mma "mma.aligned.sync.satfinite.s32.u8.s8.s32.m8n8k16.row.col"(%a, %a, %a, %a) mask %m : (i32, i32, i32, i32) -> (i32, i32)
  // CHECK: ptx.ldmatrix "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16"(%{{.*}}) mask
  // GENERIC: "ptx.ldmatrix"
  // GENERIC-SAME: count = #ptx.matrix_count<x2>
  // GENERIC-SAME: shape = #ptx.tile_shape<m8n8>, space = #ptx.space<shared>, trans, ty = #ptx.tile_type<b16>
  %l:2 = ptx.ldmatrix "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16"(%w) mask %m : (i64) -> (i32, i32)
  // CHECK: ptx.stmatrix "stmatrix.sync.aligned.m8n8.x1.b16"(%{{.*}}, %{{.*}}) : (i64, i32) -> ()
  ptx.stmatrix "stmatrix.sync.aligned.m8n8.x1.b16"(%w, %a) : (i64, i32) -> ()
  // CHECK: ptx.movmatrix "movmatrix.sync.aligned.m8n8.trans.b16"
  %v = ptx.movmatrix "movmatrix.sync.aligned.m8n8.trans.b16"(%a) : (i32) -> i32
  // CHECK: ptx.wmma.load "wmma.load.a.sync.aligned.row.m8n8k32.global.s4"
  // GENERIC: "ptx.wmma.load"
  // GENERIC-SAME: role = #ptx.matrix_role<a>
  %x = ptx.wmma.load "wmma.load.a.sync.aligned.row.m8n8k32.global.s4"(%w) : (i64) -> i32
  ptx.ret ""() : () -> ()
}

// CHECK-LABEL: ptx.func @video
ptx.func @video attributes {entry, params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // CHECK: ptx.video "vadd.u32.s32.u32.sat.max"(%{{.*}}) : (i32, i32, i32) -> i32
  %b = ptx.video "vadd.u32.s32.u32.sat.max"(%a, %a, %a) : (i32, i32, i32) -> i32
  // Selectors name parts of the result and of the source operands.
  // CHECK: ptx.video "vmin4.u32.u32.u32.add"(%{{.*}}) {selectors = [#ptx.selector<8, 2, 0>, #ptx.selector<32>, #ptx.selector<8, 7, 0, 1, 2>, #ptx.selector<32>]} : (i32, i32, i32) -> i32
  // GENERIC: opcode = #ptx.video_opcode<vmin4>
  %c = ptx.video "vmin4.u32.u32.u32.add"(%a, %a, %a) {selectors = [#ptx.selector<8, 2, 0>, #ptx.selector<32>, #ptx.selector<8, 7, 0, 1, 2>, #ptx.selector<32>]} : (i32, i32, i32) -> i32
  // CHECK: ptx.video "vmad.s32.s32.s32.shr7"(%{{.*}}) {negated = array<i1: false, false, true, false>} : (i32, i32, i32) -> i32
  %d = ptx.video "vmad.s32.s32.s32.shr7"(%a, %a, %a) {negated = array<i1: false, false, true, false>} : (i32, i32, i32) -> i32
  ptx.ret ""() : () -> ()
}
