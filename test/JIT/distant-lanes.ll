; RUN: ptx-opt %s --cpu=neoverse-v2 --llvm-step-through-lanes | FileCheck %s
; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-step-through-lanes | FileCheck %s --check-prefix=X86
;
; A column of a tile: from lane 1 on, each address comes from the one in front of
; it, by a distance that is in a register.
; CHECK-LABEL: define <4 x float> @column
; CHECK: %[[STEP:.*]] = bitcast i64 132 to i64
; CHECK: %[[SECOND:.*]] = add i64 %at, 532
; CHECK: %[[THIRD:.*]] = add i64 %[[SECOND]], %[[STEP]]
; CHECK: %[[FOURTH:.*]] = add i64 %[[THIRD]], %[[STEP]]
; CHECK: %[[P:.*]] = inttoptr i64 %[[FOURTH]] to ptr
; CHECK: load float, ptr %p0
; CHECK: load float, ptr %[[P]]
; X86-NOT: bitcast
define <4 x float> @column(i64 %at) {
  %a0 = add i64 %at, 400
  %p0 = inttoptr i64 %a0 to ptr
  %x0 = load float, ptr %p0
  %v0 = insertelement <4 x float> poison, float %x0, i64 0
  %a1 = add i64 %at, 532
  %p1 = inttoptr i64 %a1 to ptr
  %x1 = load float, ptr %p1
  %v1 = insertelement <4 x float> %v0, float %x1, i64 1
  %a2 = add i64 %at, 664
  %p2 = inttoptr i64 %a2 to ptr
  %x2 = load float, ptr %p2
  %v2 = insertelement <4 x float> %v1, float %x2, i64 2
  %a3 = add i64 %at, 796
  %p3 = inttoptr i64 %a3 to ptr
  %x3 = load float, ptr %p3
  %v3 = insertelement <4 x float> %v2, float %x3, i64 3
  ret <4 x float> %v3
}

; Loads in another order: the addresses stand in front of the first load. The
; first lane has no offset.
; CHECK-LABEL: define <4 x i32> @backwards
; CHECK: add i64 %at, 8
; CHECK: load i32
; CHECK-NOT: add i64
; CHECK: ret
define <4 x i32> @backwards(i64 %at) {
  %a3 = add i64 %at, 24
  %p3 = inttoptr i64 %a3 to ptr
  %x3 = load i32, ptr %p3
  %a2 = add i64 %at, 16
  %p2 = inttoptr i64 %a2 to ptr
  %x2 = load i32, ptr %p2
  %a1 = add i64 %at, 8
  %p1 = inttoptr i64 %a1 to ptr
  %x1 = load i32, ptr %p1
  %p0 = inttoptr i64 %at to ptr
  %x0 = load i32, ptr %p0
  %v0 = insertelement <4 x i32> poison, i32 %x0, i64 0
  %v1 = insertelement <4 x i32> %v0, i32 %x1, i64 1
  %v2 = insertelement <4 x i32> %v1, i32 %x2, i64 2
  %v3 = insertelement <4 x i32> %v2, i32 %x3, i64 3
  ret <4 x i32> %v3
}

; Distances differ.
; CHECK-LABEL: define <4 x float> @uneven
; CHECK-NOT: bitcast
define <4 x float> @uneven(i64 %at) {
  %p0 = inttoptr i64 %at to ptr
  %x0 = load float, ptr %p0
  %v0 = insertelement <4 x float> poison, float %x0, i64 0
  %a1 = add i64 %at, 8
  %p1 = inttoptr i64 %a1 to ptr
  %x1 = load float, ptr %p1
  %v1 = insertelement <4 x float> %v0, float %x1, i64 1
  %a2 = add i64 %at, 16
  %p2 = inttoptr i64 %a2 to ptr
  %x2 = load float, ptr %p2
  %v2 = insertelement <4 x float> %v1, float %x2, i64 2
  %a3 = add i64 %at, 28
  %p3 = inttoptr i64 %a3 to ptr
  %x3 = load float, ptr %p3
  %v3 = insertelement <4 x float> %v2, float %x3, i64 3
  ret <4 x float> %v3
}
