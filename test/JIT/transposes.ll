; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-make-transposes | FileCheck %s
; RUN: ptx-opt %s --cpu=x86-64-v4 --llvm-make-transposes | FileCheck %s --check-prefix=AVX512
;
; Four elements for each of 8 lanes, as ld.v4 loads them. All four come out of 12
; shuffles of two registers. AVX-512 permutes two registers as it likes.
; AVX512-NOT: <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>

; Lanes 0 and 4, and so on, then pairs of elements, then the elements.
; CHECK-LABEL: define void @load
; CHECK: %all = load <32 x float>
; CHECK-NEXT: %[[R0:.*]] = shufflevector <32 x float> %all, {{.*}} <8 x i32> <i32 0, i32 1,
; CHECK-NEXT: %[[R1:.*]] = shufflevector <32 x float> %all, {{.*}} <8 x i32> <i32 8, i32 9,
; CHECK-NEXT: %[[R2:.*]] = shufflevector <32 x float> %all, {{.*}} <8 x i32> <i32 16, i32 17,
; CHECK-NEXT: %[[R3:.*]] = shufflevector <32 x float> %all, {{.*}} <8 x i32> <i32 24, i32 25,
; CHECK-NEXT: %[[L0:.*]] = shufflevector <8 x float> %[[R0]], <8 x float> %[[R2]], <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
; CHECK-NEXT: %[[L1:.*]] = shufflevector <8 x float> %[[R0]], <8 x float> %[[R2]], <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
; CHECK-NEXT: %[[L2:.*]] = shufflevector <8 x float> %[[R1]], <8 x float> %[[R3]], <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
; CHECK-NEXT: %[[L3:.*]] = shufflevector <8 x float> %[[R1]], <8 x float> %[[R3]], <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
; CHECK-NEXT: %[[LOW01:.*]] = shufflevector <8 x float> %[[L0]], <8 x float> %[[L1]], <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; CHECK-NEXT: %[[HIGH01:.*]] = shufflevector <8 x float> %[[L0]], <8 x float> %[[L1]], <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
; CHECK-NEXT: %[[LOW23:.*]] = shufflevector <8 x float> %[[L2]], <8 x float> %[[L3]], <8 x i32> <i32 0, i32 8, i32 1,
; CHECK-NEXT: %[[HIGH23:.*]] = shufflevector <8 x float> %[[L2]], <8 x float> %[[L3]], <8 x i32> <i32 2, i32 10, i32 3,
; CHECK-NEXT: %[[E0:.*]] = shufflevector <8 x float> %[[LOW01]], <8 x float> %[[LOW23]], <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
; CHECK-NEXT: %[[E1:.*]] = shufflevector <8 x float> %[[LOW01]], <8 x float> %[[LOW23]], <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
; CHECK-NEXT: %{{.*}} = shufflevector <8 x float> %[[HIGH01]], <8 x float> %[[HIGH23]], <8 x i32> <i32 0, i32 1, i32 8,
; CHECK-NEXT: %[[E3:.*]] = shufflevector <8 x float> %[[HIGH01]], <8 x float> %[[HIGH23]], <8 x i32> <i32 2, i32 3, i32 10,
; CHECK-NEXT: %sum = fadd <8 x float> %[[E0]], %[[E1]]
; CHECK-NEXT: %more = fadd <8 x float> %sum, %[[E3]]
define void @load(ptr %p, ptr %q) {
  %all = load <32 x float>, ptr %p, align 16
  %e0 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
  %e1 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29>
  %e3 = shufflevector <32 x float> %all, <32 x float> poison, <8 x i32> <i32 3, i32 7, i32 11, i32 15, i32 19, i32 23, i32 27, i32 31>
  %sum = fadd <8 x float> %e0, %e1
  %more = fadd <8 x float> %sum, %e3
  store <8 x float> %more, ptr %q
  ret void
}

; The way back.
; CHECK-LABEL: define void @store
; CHECK: shufflevector <32 x i32> %all, {{.*}} <8 x i32> <i32 24, i32 25,
; CHECK-COUNT-12: shufflevector <8 x i32>
; CHECK-NEXT: %[[LOW:.*]] = shufflevector <8 x i32> {{.*}} <16 x i32>
; CHECK-NEXT: %[[HIGH:.*]] = shufflevector <8 x i32> {{.*}} <16 x i32>
; CHECK-NEXT: %[[LANES:.*]] = shufflevector <16 x i32> %[[LOW]], <16 x i32> %[[HIGH]], <32 x i32>
; CHECK-NEXT: store <32 x i32> %[[LANES]], ptr %q
define void @store(<32 x i32> %all, ptr %q) {
  %lanes = shufflevector <32 x i32> %all, <32 x i32> poison, <32 x i32> <i32 0, i32 8, i32 16, i32 24, i32 1, i32 9, i32 17, i32 25, i32 2, i32 10, i32 18, i32 26, i32 3, i32 11, i32 19, i32 27, i32 4, i32 12, i32 20, i32 28, i32 5, i32 13, i32 21, i32 29, i32 6, i32 14, i32 22, i32 30, i32 7, i32 15, i32 23, i32 31>
  store <32 x i32> %lanes, ptr %q, align 16
  ret void
}

; One element alone, elements of 64 bits, and another order are left alone.
; CHECK-LABEL: define void @others
; CHECK-COUNT-3: shufflevector
; CHECK-NOT: shufflevector
; CHECK: ret void
define void @others(<32 x float> %one, <32 x double> %wide, ptr %q) {
  %e0 = shufflevector <32 x float> %one, <32 x float> poison, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
  store <8 x float> %e0, ptr %q
  %d0 = shufflevector <32 x double> %wide, <32 x double> poison, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
  store <8 x double> %d0, ptr %q
  %back = shufflevector <32 x float> %one, <32 x float> poison, <8 x i32> <i32 28, i32 24, i32 20, i32 16, i32 12, i32 8, i32 4, i32 0>
  store <8 x float> %back, ptr %q
  ret void
}
