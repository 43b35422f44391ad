; RUN: ptx-opt %s --cpu=neoverse-v2 --llvm-sink-lane-numbers | FileCheck %s
; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-sink-lane-numbers | FileCheck %s --check-prefix=X86
;
; Only the edges need the numbers of the lanes.
; CHECK-LABEL: define void @edges
; CHECK-NEXT: entry:
; CHECK-NEXT: insertelement
; CHECK-NEXT: %first = shufflevector
; CHECK-NEXT: br
; CHECK: edge:
; CHECK-NEXT: %[[A:.*]] = or disjoint <4 x i32> %first, <i32 4,
; CHECK-NEXT: store <4 x i32> %[[A]]
; CHECK: corner:
; CHECK-NEXT: %[[B:.*]] = or disjoint <4 x i32> %first, <i32 4,
; CHECK-NEXT: store <4 x i32> %[[B]]
; X86: entry:
; X86: or disjoint
; X86: edge:
; X86-NOT: or disjoint
define void @edges(i32 %n, i1 %c, i1 %d, ptr %p) {
entry:
  %one = insertelement <4 x i32> poison, i32 %n, i64 0
  %first = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %lanes = or disjoint <4 x i32> %first, <i32 4, i32 5, i32 6, i32 7>
  br i1 %c, label %edge, label %done
edge:
  store <4 x i32> %lanes, ptr %p
  br i1 %d, label %corner, label %done
corner:
  store <4 x i32> %lanes, ptr %p
  br label %done
done:
  ret void
}

; A loop does not compute in each turn what is the same in all.
; CHECK-LABEL: define void @turns
; CHECK: entry:
; CHECK: add <4 x i32>
; CHECK: turn:
; CHECK-NOT: add <4 x i32>
define void @turns(<4 x i32> %v, i32 %n, ptr %p) {
entry:
  %lanes = add <4 x i32> %v, <i32 0, i32 1, i32 2, i32 3>
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  store <4 x i32> %lanes, ptr %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %turn, label %done
done:
  ret void
}
