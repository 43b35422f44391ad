; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-group-sums | FileCheck %s
; RUN: ptx-opt %s --cpu=x86-64-v4 --llvm-group-sums | FileCheck %s --check-prefix=ENOUGH
;
; Three sums of 8 registers on a CPU with 16: the terms of the first sum come
; first. Between loops' turns, sums are in memory.

; CHECK-LABEL: define void @loop
; CHECK: entry:
; CHECK-NEXT: %[[C:.*]] = alloca <64 x float>
; CHECK-NEXT: %[[B:.*]] = alloca <64 x float>
; CHECK-NEXT: %[[A:.*]] = alloca <64 x float>
; CHECK: store <64 x float> zeroinitializer, ptr %[[A]]
; CHECK-NEXT: store <64 x float> %start, ptr %[[B]]
; CHECK-NEXT: store <64 x float> zeroinitializer, ptr %[[C]]
; CHECK: turn:
; CHECK-NOT: phi <64 x float>
; CHECK: %[[A0:.*]] = load <64 x float>, ptr %[[A]]
; CHECK-NEXT: %a1 = {{.*}}(<64 x float> %x1, <64 x float> %y1, <64 x float> %[[A0]])
; CHECK-NEXT: load <64 x float>, ptr %p2
; CHECK-NEXT: %a2
; CHECK-NEXT: load <64 x float>, ptr %p3
; CHECK-NEXT: %a3
; CHECK-NEXT: load <64 x float>, ptr %p4
; CHECK-NEXT: %a4
; CHECK-NEXT: store <64 x float> %a4, ptr %[[A]]
; CHECK-NEXT: %[[B0:.*]] = load <64 x float>, ptr %[[B]]
; CHECK-NEXT: %b1 = {{.*}}<64 x float> %[[B0]])
; CHECK-NEXT: %b2
; CHECK-NEXT: %b3
; CHECK-NEXT: %b4
; CHECK-NEXT: store <64 x float> %b4, ptr %[[B]]
; CHECK: %c4
; CHECK: store <64 x float> %c4, ptr %[[C]]
; CHECK: end:
; CHECK-NEXT: %[[LAST:.*]] = load <64 x float>, ptr %[[A]]
; CHECK-NEXT: store <64 x float> %[[LAST]], ptr %q
; ENOUGH-LABEL: define void @loop
; ENOUGH-NOT: alloca
define void @loop(ptr %p, ptr %q, <64 x float> %start, i1 %again) {
entry:
  %p2 = getelementptr i8, ptr %p, i64 256
  %p3 = getelementptr i8, ptr %p, i64 512
  %p4 = getelementptr i8, ptr %p, i64 768
  %y1 = load <64 x float>, ptr %q
  br label %turn
turn:
  %a = phi <64 x float> [ zeroinitializer, %entry ], [ %a4, %turn ]
  %b = phi <64 x float> [ %start, %entry ], [ %b4, %turn ]
  %c = phi <64 x float> [ zeroinitializer, %entry ], [ %c4, %turn ]
  %x1 = load <64 x float>, ptr %p
  %a1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x1, <64 x float> %y1, <64 x float> %a)
  %b1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x1, <64 x float> %y1, <64 x float> %b)
  %c1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x1, <64 x float> %y1, <64 x float> %c)
  %x2 = load <64 x float>, ptr %p2
  %a2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x2, <64 x float> %y1, <64 x float> %a1)
  %b2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x2, <64 x float> %y1, <64 x float> %b1)
  %c2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x2, <64 x float> %y1, <64 x float> %c1)
  %x3 = load <64 x float>, ptr %p3
  %a3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x3, <64 x float> %y1, <64 x float> %a2)
  %b3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x3, <64 x float> %y1, <64 x float> %b2)
  %c3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x3, <64 x float> %y1, <64 x float> %c2)
  %x4 = load <64 x float>, ptr %p4
  %a4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x4, <64 x float> %y1, <64 x float> %a3)
  %b4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x4, <64 x float> %y1, <64 x float> %b3)
  %c4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x4, <64 x float> %y1, <64 x float> %c3)
  br i1 %again, label %turn, label %end
end:
  store <64 x float> %a4, ptr %q
  store <64 x float> %b4, ptr %q
  store <64 x float> %c4, ptr %q
  ret void
}

; Nothing moves across a store. Sums of few terms stay where they are.
; CHECK-LABEL: define void @parted
; CHECK-NOT: alloca
; CHECK: store <64 x float> %a1, ptr %q
define void @parted(ptr %p, ptr %q, <64 x float> %a, <64 x float> %b, <64 x float> %c) {
  %x = load <64 x float>, ptr %p
  %a1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a)
  %b1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b)
  %c1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c)
  store <64 x float> %a1, ptr %q
  store <64 x float> %b1, ptr %q
  store <64 x float> %c1, ptr %q
  %a2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a1)
  %b2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b1)
  %c2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c1)
  store <64 x float> %a2, ptr %q
  store <64 x float> %b2, ptr %q
  store <64 x float> %c2, ptr %q
  %a3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a2)
  %b3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b2)
  %c3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c2)
  store <64 x float> %a3, ptr %q
  store <64 x float> %b3, ptr %q
  store <64 x float> %c3, ptr %q
  %a4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a3)
  %b4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b3)
  %c4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c3)
  store <64 x float> %a4, ptr %q
  store <64 x float> %b4, ptr %q
  store <64 x float> %c4, ptr %q
  ret void
}
; The sum begins anew in block `next`, where the old one is still read: both are
; in the slot, but not the value that goes round the loop.
; CHECK-LABEL: define void @anew
; CHECK: turn:
; CHECK-NEXT: %a = phi <64 x float>
; CHECK: store <64 x float> %a, ptr %[[A:sum.*]], align
; CHECK: next:
; CHECK-NEXT: %[[OLD:.*]] = load <64 x float>, ptr %[[A]]
; CHECK-NEXT: store <64 x float> %[[OLD]], ptr %q
; An argument is stored once, behind the slots.
; CHECK-LABEL: define void @argument
; CHECK: alloca
; CHECK: store <64 x float> %a, ptr
define void @anew(ptr %p, ptr %q, i1 %full, i1 %again) {
entry:
  br label %turn
turn:
  %a = phi <64 x float> [ zeroinitializer, %entry ], [ %a4, %turn ], [ zeroinitializer, %next ]
  %b = phi <64 x float> [ zeroinitializer, %entry ], [ %b4, %turn ], [ %b4, %next ]
  %c = phi <64 x float> [ zeroinitializer, %entry ], [ %c4, %turn ], [ %c4, %next ]
  %x = load <64 x float>, ptr %p
  %a1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a)
  %b1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b)
  %c1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c)
  %a2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a1)
  %b2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b1)
  %c2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c1)
  %a3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a2)
  %b3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b2)
  %c3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c2)
  %a4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a3)
  %b4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b3)
  %c4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c3)
  br i1 %full, label %next, label %turn
next:
  store <64 x float> %a4, ptr %q
  br i1 %again, label %turn, label %end
end:
  store <64 x float> %a4, ptr %p
  store <64 x float> %b4, ptr %q
  store <64 x float> %c4, ptr %q
  ret void
}
define void @argument(ptr %p, ptr %q, <64 x float> %a, <64 x float> %b, <64 x float> %c) {
  %x = load <64 x float>, ptr %p
  %a1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a)
  %b1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b)
  %c1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c)
  %a2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a1)
  %b2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b1)
  %c2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c1)
  %a3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a2)
  %b3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b2)
  %c3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c2)
  %a4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %a3)
  %b4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %b3)
  %c4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %x, <64 x float> %x, <64 x float> %c3)
  store <64 x float> %a4, ptr %q
  store <64 x float> %b4, ptr %q
  store <64 x float> %c4, ptr %q
  ret void
}
declare <64 x float> @llvm.fma.v64f32(<64 x float>, <64 x float>, <64 x float>)
