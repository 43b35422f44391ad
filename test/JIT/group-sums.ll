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
; Sums that are in the frame, which code names by a pointer of its context, and
; go back to the same place need no slots.
; CHECK-LABEL: define void @framed
; CHECK-NOT: alloca
; CHECK: %[[A:.*]] = getelementptr i8, ptr %frame, i64 256
; CHECK: load <64 x float>, ptr %[[A]]
; CHECK-NEXT: %a1
; CHECK-NEXT: %a2
; CHECK-NEXT: %a3
; CHECK-NEXT: %a4
; CHECK-NEXT: store <64 x float> %a4, ptr %[[A]]
; CHECK-NEXT: %pb = getelementptr
; CHECK-NEXT: load <64 x float>, ptr %pb
; CHECK-NEXT: %b1
; CHECK: store <64 x float> %b4, ptr %pb
; CHECK: %c4
; CHECK-NEXT: store <64 x float> %c4, ptr %pc
; CHECK: ret void
define void @framed(ptr %context, ptr %p) {
  %frame = load ptr, ptr %context, !invariant.load !0
  %x = load <64 x float>, ptr %p
  %pa = getelementptr i8, ptr %frame, i64 256
  %pb = getelementptr i8, ptr %frame, i64 512
  %pc = getelementptr i8, ptr %frame, i64 768
  %a = load <64 x float>, ptr %pa
  %b = load <64 x float>, ptr %pb
  %c = load <64 x float>, ptr %pc
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
  %again = getelementptr i8, ptr %frame, i64 256
  store <64 x float> %a4, ptr %again
  store <64 x float> %b4, ptr %pb
  store <64 x float> %c4, ptr %pc
  ret void
}
; Something else reads the place of one sum, and another sum goes elsewhere.
; CHECK-LABEL: define void @read
; CHECK: alloca
; CHECK-NEXT: alloca
; CHECK-NOT: alloca
; CHECK: store <64 x float> %b4, ptr %pb
; CHECK: ret void
define void @read(ptr %context, ptr %p) {
  %frame = load ptr, ptr %context, !invariant.load !0
  %x = load <64 x float>, ptr %p
  %pa = getelementptr i8, ptr %frame, i64 256
  %pb = getelementptr i8, ptr %frame, i64 512
  %pc = getelementptr i8, ptr %frame, i64 768
  %end = getelementptr i8, ptr %frame, i64 508
  %old = load float, ptr %end
  %a = load <64 x float>, ptr %pa
  %b = load <64 x float>, ptr %pb
  %c = load <64 x float>, ptr %pc
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
  store <64 x float> %a4, ptr %pa
  store float %old, ptr %p
  store <64 x float> %c4, ptr %p
  store <64 x float> %b4, ptr %pb
  ret void
}
; A matrix of three rows and six columns on a CPU with 32 registers, of which
; each sum takes two: tiles of three columns need no factor of a column twice.
; ENOUGH-LABEL: define void @matrix
; ENOUGH: %s00.1 =
; ENOUGH: %s01.1 =
; ENOUGH: %s02.1 =
; ENOUGH: %s10.1 =
; ENOUGH: %s11.1 =
; ENOUGH: %s12.1 =
; ENOUGH: %s20.1 =
; ENOUGH: %s21.1 =
; ENOUGH: %s22.1 =
; ENOUGH: %s00.2 =
; ENOUGH: %s22.2 =
; ENOUGH: %s22.3 =
; ENOUGH: %s22.4 =
; ENOUGH: %s03.1 =
; ENOUGH: %s25.1 =
; ENOUGH: %s03.2 =
; ENOUGH: %s25.2 =
; ENOUGH: %s03.3 =
; ENOUGH: %s25.3 =
; ENOUGH: %s03.4 =
; ENOUGH: %s25.4 =
define void @matrix(ptr %p, ptr %q) {
  %pr0.1 = getelementptr i8, ptr %p, i64 2048
  %r0.1 = load <16 x float>, ptr %pr0.1
  %pr1.1 = getelementptr i8, ptr %p, i64 2176
  %r1.1 = load <16 x float>, ptr %pr1.1
  %pr2.1 = getelementptr i8, ptr %p, i64 2304
  %r2.1 = load <16 x float>, ptr %pr2.1
  %pc0.1 = getelementptr i8, ptr %p, i64 2432
  %c0.1 = load <16 x float>, ptr %pc0.1
  %pc1.1 = getelementptr i8, ptr %p, i64 2560
  %c1.1 = load <16 x float>, ptr %pc1.1
  %pc2.1 = getelementptr i8, ptr %p, i64 2688
  %c2.1 = load <16 x float>, ptr %pc2.1
  %pc3.1 = getelementptr i8, ptr %p, i64 2816
  %c3.1 = load <16 x float>, ptr %pc3.1
  %pc4.1 = getelementptr i8, ptr %p, i64 2944
  %c4.1 = load <16 x float>, ptr %pc4.1
  %pc5.1 = getelementptr i8, ptr %p, i64 3072
  %c5.1 = load <16 x float>, ptr %pc5.1
  %s00.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.1, <16 x float> %c0.1, <16 x float> zeroinitializer)
  %s01.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.1, <16 x float> %c1.1, <16 x float> zeroinitializer)
  %s02.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.1, <16 x float> %c2.1, <16 x float> zeroinitializer)
  %s03.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.1, <16 x float> %c3.1, <16 x float> zeroinitializer)
  %s04.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.1, <16 x float> %c4.1, <16 x float> zeroinitializer)
  %s05.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.1, <16 x float> %c5.1, <16 x float> zeroinitializer)
  %s10.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.1, <16 x float> %c0.1, <16 x float> zeroinitializer)
  %s11.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.1, <16 x float> %c1.1, <16 x float> zeroinitializer)
  %s12.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.1, <16 x float> %c2.1, <16 x float> zeroinitializer)
  %s13.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.1, <16 x float> %c3.1, <16 x float> zeroinitializer)
  %s14.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.1, <16 x float> %c4.1, <16 x float> zeroinitializer)
  %s15.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.1, <16 x float> %c5.1, <16 x float> zeroinitializer)
  %s20.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.1, <16 x float> %c0.1, <16 x float> zeroinitializer)
  %s21.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.1, <16 x float> %c1.1, <16 x float> zeroinitializer)
  %s22.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.1, <16 x float> %c2.1, <16 x float> zeroinitializer)
  %s23.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.1, <16 x float> %c3.1, <16 x float> zeroinitializer)
  %s24.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.1, <16 x float> %c4.1, <16 x float> zeroinitializer)
  %s25.1 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.1, <16 x float> %c5.1, <16 x float> zeroinitializer)
  %pr0.2 = getelementptr i8, ptr %p, i64 4096
  %r0.2 = load <16 x float>, ptr %pr0.2
  %pr1.2 = getelementptr i8, ptr %p, i64 4224
  %r1.2 = load <16 x float>, ptr %pr1.2
  %pr2.2 = getelementptr i8, ptr %p, i64 4352
  %r2.2 = load <16 x float>, ptr %pr2.2
  %pc0.2 = getelementptr i8, ptr %p, i64 4480
  %c0.2 = load <16 x float>, ptr %pc0.2
  %pc1.2 = getelementptr i8, ptr %p, i64 4608
  %c1.2 = load <16 x float>, ptr %pc1.2
  %pc2.2 = getelementptr i8, ptr %p, i64 4736
  %c2.2 = load <16 x float>, ptr %pc2.2
  %pc3.2 = getelementptr i8, ptr %p, i64 4864
  %c3.2 = load <16 x float>, ptr %pc3.2
  %pc4.2 = getelementptr i8, ptr %p, i64 4992
  %c4.2 = load <16 x float>, ptr %pc4.2
  %pc5.2 = getelementptr i8, ptr %p, i64 5120
  %c5.2 = load <16 x float>, ptr %pc5.2
  %s00.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.2, <16 x float> %c0.2, <16 x float> %s00.1)
  %s01.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.2, <16 x float> %c1.2, <16 x float> %s01.1)
  %s02.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.2, <16 x float> %c2.2, <16 x float> %s02.1)
  %s03.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.2, <16 x float> %c3.2, <16 x float> %s03.1)
  %s04.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.2, <16 x float> %c4.2, <16 x float> %s04.1)
  %s05.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.2, <16 x float> %c5.2, <16 x float> %s05.1)
  %s10.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.2, <16 x float> %c0.2, <16 x float> %s10.1)
  %s11.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.2, <16 x float> %c1.2, <16 x float> %s11.1)
  %s12.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.2, <16 x float> %c2.2, <16 x float> %s12.1)
  %s13.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.2, <16 x float> %c3.2, <16 x float> %s13.1)
  %s14.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.2, <16 x float> %c4.2, <16 x float> %s14.1)
  %s15.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.2, <16 x float> %c5.2, <16 x float> %s15.1)
  %s20.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.2, <16 x float> %c0.2, <16 x float> %s20.1)
  %s21.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.2, <16 x float> %c1.2, <16 x float> %s21.1)
  %s22.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.2, <16 x float> %c2.2, <16 x float> %s22.1)
  %s23.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.2, <16 x float> %c3.2, <16 x float> %s23.1)
  %s24.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.2, <16 x float> %c4.2, <16 x float> %s24.1)
  %s25.2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.2, <16 x float> %c5.2, <16 x float> %s25.1)
  %pr0.3 = getelementptr i8, ptr %p, i64 6144
  %r0.3 = load <16 x float>, ptr %pr0.3
  %pr1.3 = getelementptr i8, ptr %p, i64 6272
  %r1.3 = load <16 x float>, ptr %pr1.3
  %pr2.3 = getelementptr i8, ptr %p, i64 6400
  %r2.3 = load <16 x float>, ptr %pr2.3
  %pc0.3 = getelementptr i8, ptr %p, i64 6528
  %c0.3 = load <16 x float>, ptr %pc0.3
  %pc1.3 = getelementptr i8, ptr %p, i64 6656
  %c1.3 = load <16 x float>, ptr %pc1.3
  %pc2.3 = getelementptr i8, ptr %p, i64 6784
  %c2.3 = load <16 x float>, ptr %pc2.3
  %pc3.3 = getelementptr i8, ptr %p, i64 6912
  %c3.3 = load <16 x float>, ptr %pc3.3
  %pc4.3 = getelementptr i8, ptr %p, i64 7040
  %c4.3 = load <16 x float>, ptr %pc4.3
  %pc5.3 = getelementptr i8, ptr %p, i64 7168
  %c5.3 = load <16 x float>, ptr %pc5.3
  %s00.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.3, <16 x float> %c0.3, <16 x float> %s00.2)
  %s01.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.3, <16 x float> %c1.3, <16 x float> %s01.2)
  %s02.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.3, <16 x float> %c2.3, <16 x float> %s02.2)
  %s03.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.3, <16 x float> %c3.3, <16 x float> %s03.2)
  %s04.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.3, <16 x float> %c4.3, <16 x float> %s04.2)
  %s05.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.3, <16 x float> %c5.3, <16 x float> %s05.2)
  %s10.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.3, <16 x float> %c0.3, <16 x float> %s10.2)
  %s11.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.3, <16 x float> %c1.3, <16 x float> %s11.2)
  %s12.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.3, <16 x float> %c2.3, <16 x float> %s12.2)
  %s13.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.3, <16 x float> %c3.3, <16 x float> %s13.2)
  %s14.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.3, <16 x float> %c4.3, <16 x float> %s14.2)
  %s15.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.3, <16 x float> %c5.3, <16 x float> %s15.2)
  %s20.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.3, <16 x float> %c0.3, <16 x float> %s20.2)
  %s21.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.3, <16 x float> %c1.3, <16 x float> %s21.2)
  %s22.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.3, <16 x float> %c2.3, <16 x float> %s22.2)
  %s23.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.3, <16 x float> %c3.3, <16 x float> %s23.2)
  %s24.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.3, <16 x float> %c4.3, <16 x float> %s24.2)
  %s25.3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.3, <16 x float> %c5.3, <16 x float> %s25.2)
  %pr0.4 = getelementptr i8, ptr %p, i64 8192
  %r0.4 = load <16 x float>, ptr %pr0.4
  %pr1.4 = getelementptr i8, ptr %p, i64 8320
  %r1.4 = load <16 x float>, ptr %pr1.4
  %pr2.4 = getelementptr i8, ptr %p, i64 8448
  %r2.4 = load <16 x float>, ptr %pr2.4
  %pc0.4 = getelementptr i8, ptr %p, i64 8576
  %c0.4 = load <16 x float>, ptr %pc0.4
  %pc1.4 = getelementptr i8, ptr %p, i64 8704
  %c1.4 = load <16 x float>, ptr %pc1.4
  %pc2.4 = getelementptr i8, ptr %p, i64 8832
  %c2.4 = load <16 x float>, ptr %pc2.4
  %pc3.4 = getelementptr i8, ptr %p, i64 8960
  %c3.4 = load <16 x float>, ptr %pc3.4
  %pc4.4 = getelementptr i8, ptr %p, i64 9088
  %c4.4 = load <16 x float>, ptr %pc4.4
  %pc5.4 = getelementptr i8, ptr %p, i64 9216
  %c5.4 = load <16 x float>, ptr %pc5.4
  %s00.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.4, <16 x float> %c0.4, <16 x float> %s00.3)
  %s01.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.4, <16 x float> %c1.4, <16 x float> %s01.3)
  %s02.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.4, <16 x float> %c2.4, <16 x float> %s02.3)
  %s03.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.4, <16 x float> %c3.4, <16 x float> %s03.3)
  %s04.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.4, <16 x float> %c4.4, <16 x float> %s04.3)
  %s05.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r0.4, <16 x float> %c5.4, <16 x float> %s05.3)
  %s10.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.4, <16 x float> %c0.4, <16 x float> %s10.3)
  %s11.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.4, <16 x float> %c1.4, <16 x float> %s11.3)
  %s12.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.4, <16 x float> %c2.4, <16 x float> %s12.3)
  %s13.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.4, <16 x float> %c3.4, <16 x float> %s13.3)
  %s14.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.4, <16 x float> %c4.4, <16 x float> %s14.3)
  %s15.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r1.4, <16 x float> %c5.4, <16 x float> %s15.3)
  %s20.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.4, <16 x float> %c0.4, <16 x float> %s20.3)
  %s21.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.4, <16 x float> %c1.4, <16 x float> %s21.3)
  %s22.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.4, <16 x float> %c2.4, <16 x float> %s22.3)
  %s23.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.4, <16 x float> %c3.4, <16 x float> %s23.3)
  %s24.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.4, <16 x float> %c4.4, <16 x float> %s24.3)
  %s25.4 = call <16 x float> @llvm.fma.v16f32(<16 x float> %r2.4, <16 x float> %c5.4, <16 x float> %s25.3)
  %q00 = getelementptr i8, ptr %q, i64 0
  store <16 x float> %s00.4, ptr %q00
  %q01 = getelementptr i8, ptr %q, i64 128
  store <16 x float> %s01.4, ptr %q01
  %q02 = getelementptr i8, ptr %q, i64 256
  store <16 x float> %s02.4, ptr %q02
  %q03 = getelementptr i8, ptr %q, i64 384
  store <16 x float> %s03.4, ptr %q03
  %q04 = getelementptr i8, ptr %q, i64 512
  store <16 x float> %s04.4, ptr %q04
  %q05 = getelementptr i8, ptr %q, i64 640
  store <16 x float> %s05.4, ptr %q05
  %q10 = getelementptr i8, ptr %q, i64 768
  store <16 x float> %s10.4, ptr %q10
  %q11 = getelementptr i8, ptr %q, i64 896
  store <16 x float> %s11.4, ptr %q11
  %q12 = getelementptr i8, ptr %q, i64 1024
  store <16 x float> %s12.4, ptr %q12
  %q13 = getelementptr i8, ptr %q, i64 1152
  store <16 x float> %s13.4, ptr %q13
  %q14 = getelementptr i8, ptr %q, i64 1280
  store <16 x float> %s14.4, ptr %q14
  %q15 = getelementptr i8, ptr %q, i64 1408
  store <16 x float> %s15.4, ptr %q15
  %q20 = getelementptr i8, ptr %q, i64 1536
  store <16 x float> %s20.4, ptr %q20
  %q21 = getelementptr i8, ptr %q, i64 1664
  store <16 x float> %s21.4, ptr %q21
  %q22 = getelementptr i8, ptr %q, i64 1792
  store <16 x float> %s22.4, ptr %q22
  %q23 = getelementptr i8, ptr %q, i64 1920
  store <16 x float> %s23.4, ptr %q23
  %q24 = getelementptr i8, ptr %q, i64 2048
  store <16 x float> %s24.4, ptr %q24
  %q25 = getelementptr i8, ptr %q, i64 2176
  store <16 x float> %s25.4, ptr %q25
  ret void
}
declare <64 x float> @llvm.fma.v64f32(<64 x float>, <64 x float>, <64 x float>)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
!0 = !{}
