; RUN: ptx-opt %s --cpu=neoverse-v2 --llvm-sink-rare-vectors | FileCheck %s
; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-sink-rare-vectors | FileCheck %s --check-prefix=X86
;
; Only the edges need the numbers of the lanes.
; CHECK-LABEL: define void @edges
; CHECK-NEXT: entry:
; CHECK-NEXT: br
; CHECK: edge:
; CHECK-NEXT: %[[ONE:.*]] = insertelement
; CHECK-NEXT: %[[FIRST:.*]] = shufflevector <4 x i32> %[[ONE]],
; CHECK-NEXT: %[[A:.*]] = or disjoint <4 x i32> %[[FIRST]], <i32 4,
; CHECK-NEXT: store <4 x i32> %[[A]]
; CHECK: corner:
; CHECK-NEXT: store <4 x i32> %[[A]]
; X86: entry:
; X86: or disjoint
; X86: edge:
; X86-NOT: or disjoint
define void @edges(i32 %n, i1 %c, i1 %d, ptr %p) {
entry:
  %one = insertelement <4 x i32> poison, i32 %n, i64 0
  %first = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %lanes = or disjoint <4 x i32> %first, <i32 4, i32 5, i32 6, i32 7>
  br i1 %c, label %edge, label %done, !prof !0
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

; Two rare ways, in one of which a phi needs it. Each makes its own.
; CHECK-LABEL: define <4 x i64> @ways
; CHECK-NEXT: br
; CHECK: left:
; CHECK-NEXT: %[[L:.*]] = sext <4 x i1> %m to <4 x i64>
; CHECK-NEXT: br
; CHECK: right:
; CHECK-NEXT: %[[R:.*]] = sext <4 x i1> %m to <4 x i64>
; CHECK-NEXT: %twice = add <4 x i64> %[[R]], %[[R]]
; CHECK: phi <4 x i64> [ %[[L]], %left ], [ %twice, %right ]
define <4 x i64> @ways(<4 x i1> %m, i1 %c, i1 %d, <4 x i64> %other) {
  %wide = sext <4 x i1> %m to <4 x i64>
  br i1 %c, label %left, label %more, !prof !0
left:
  br label %done
more:
  br i1 %d, label %right, label %done, !prof !0
right:
  %twice = add <4 x i64> %wide, %wide
  br label %done
done:
  %all = phi <4 x i64> [ %wide, %left ], [ %twice, %right ], [ %other, %more ]
  ret <4 x i64> %all
}

; One of the ways is as likely as the other one.
; CHECK-LABEL: define void @likely
; CHECK-NEXT: add
; CHECK-NEXT: br
define void @likely(<4 x i32> %v, i1 %c, ptr %p) {
  %lanes = add <4 x i32> %v, <i32 0, i32 1, i32 2, i32 3>
  br i1 %c, label %edge, label %done
edge:
  store <4 x i32> %lanes, ptr %p
  br label %done
done:
  ret void
}

; All ways need it in the end.
; CHECK-LABEL: define <4 x i32> @always
; CHECK-NEXT: add
; CHECK-NEXT: br
define <4 x i32> @always(<4 x i32> %v, i1 %c, ptr %p) {
  %lanes = add <4 x i32> %v, <i32 0, i32 1, i32 2, i32 3>
  br i1 %c, label %edge, label %done, !prof !0
edge:
  store <4 x i32> %lanes, ptr %p
  br label %done
done:
  ret <4 x i32> %lanes
}

!0 = !{!"branch_weights", i32 1, i32 2000}
