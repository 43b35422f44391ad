; RUN: ptx-opt %s --cpu=neoverse-v2 --llvm-share-bases | FileCheck %s
; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-share-bases | FileCheck %s --check-prefix=X86
;
; Indices that differ by a constant in bits that the others do not have.

; One address, from which the other lies 4 * 32 bytes away, and one bound.
; CHECK-LABEL: define void @warps
; CHECK: %[[INDEX:.*]] = or disjoint i32 %cta, %warp
; CHECK: %last = or disjoint i32 %{{.*}}, 63
; CHECK: %[[FITS:.*]] = icmp slt i32 %last, %n
; CHECK-NOT: icmp
; CHECK: br i1 %[[FITS]]
; CHECK: %[[WIDE:.*]] = sext i32 %[[INDEX]] to i64
; CHECK: %[[BYTES:.*]] = shl nsw i64 %[[WIDE]], 2
; CHECK: %[[AT:.*]] = add i64 %base, %[[BYTES]]
; CHECK: add i64 %[[AT]], 128
; X86-LABEL: define void @warps
; X86: icmp slt
; X86: icmp slt
define void @warps(i32 %ctaid, i32 %number, i32 %n, i64 %base) {
  %cta = shl i32 %ctaid, 8
  %team = shl i32 %number, 7
  %warp = and i32 %team, 128
  %first = or disjoint i32 %cta, %warp
  %second = or disjoint i32 %cta, 32
  %other = or disjoint i32 %warp, %second
  %mid = or disjoint i32 %first, 31
  %last = or disjoint i32 %first, 63
  %a = icmp slt i32 %mid, %n
  %b = icmp slt i32 %last, %n
  %all = and i1 %a, %b
  br i1 %all, label %inside, label %done
inside:
  %wide = sext i32 %first to i64
  %bytes = shl nsw i64 %wide, 2
  %at = add i64 %base, %bytes
  %p = inttoptr i64 %at to ptr
  store i32 1, ptr %p
  %wide2 = sext i32 %other to i64
  %bytes2 = shl nsw i64 %wide2, 2
  %at2 = add i64 %bytes2, %base
  %p2 = inttoptr i64 %at2 to ptr
  store i32 2, ptr %p2
  br label %done
done:
  ret void
}

; Two induction variables become one, since the step keeps the lower 8 bits.
; CHECK-LABEL: define void @grid
; CHECK: loop:
; CHECK-NEXT: %x = phi i32
; CHECK-NOT: phi
; CHECK: or disjoint i32 %x, 32
define void @grid(i32 %ctaid, i32 %ctas, i32 %n, ptr %p) {
entry:
  %x0 = shl i32 %ctaid, 8
  %y0 = or disjoint i32 %x0, 32
  %step = shl i32 %ctas, 8
  br label %loop
loop:
  %x = phi i32 [ %x0, %entry ], [ %xn, %loop ]
  %y = phi i32 [ %y0, %entry ], [ %yn, %loop ]
  store i32 %x, ptr %p
  store i32 %y, ptr %p
  %xn = add i32 %x, %step
  %yn = add i32 %y, %step
  %more = icmp slt i32 %yn, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A step of any number changes all bits.
; CHECK-LABEL: define void @any_step
; CHECK: phi i32
; CHECK: phi i32
define void @any_step(i32 %ctaid, i32 %step, i32 %n, ptr %p) {
entry:
  %x0 = shl i32 %ctaid, 8
  %y0 = or disjoint i32 %x0, 32
  br label %loop
loop:
  %x = phi i32 [ %x0, %entry ], [ %xn, %loop ]
  %y = phi i32 [ %y0, %entry ], [ %yn, %loop ]
  store i32 %x, ptr %p
  store i32 %y, ptr %p
  %xn = add i32 %x, %step
  %yn = add i32 %y, %step
  %more = icmp slt i32 %yn, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; What is added may carry into the bits above: no distance is known.
; CHECK-LABEL: define void @carries
; CHECK: sext
; CHECK: sext
define void @carries(i32 %i, i64 %base, ptr %p) {
  %j = add i32 %i, 32
  %wide = sext i32 %i to i64
  %at = add i64 %base, %wide
  store i64 %at, ptr %p
  %wide2 = sext i32 %j to i64
  %at2 = add i64 %base, %wide2
  store i64 %at2, ptr %p
  ret void
}

; The sign is no distance, nor is one more than the other if the bounds differ.
; CHECK-LABEL: define i1 @others
; CHECK: icmp slt
; CHECK: icmp slt
; CHECK: icmp slt
define i1 @others(i32 %i, i32 %n, i32 %m) {
  %x = and i32 %i, 255
  %low = or disjoint i32 %x, 256
  %negative = or disjoint i32 %x, -2147483648
  %a = icmp slt i32 %low, %n
  %b = icmp slt i32 %negative, %n
  %c = icmp slt i32 %x, %m
  %ab = and i1 %a, %b
  %abc = and i1 %ab, %c
  ret i1 %abc
}

; The loop passes have added the constants to %row in front of the loop.
; CHECK-LABEL: define void @hoisted
; CHECK: loop:
; CHECK: %[[FIRST:.*]] = add i64 %row, %x
; CHECK: add i64 %[[FIRST]], 32
; CHECK: add i64 %[[FIRST]], 64
; X86-LABEL: define void @hoisted
; X86: add i64 %row1, %x
define void @hoisted(i64 %row, i64 %n) {
entry:
  %row1 = add i64 %row, 32
  %row2 = add i64 %row, 64
  br label %loop
loop:
  %x = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = add i64 %row, %x
  %p = inttoptr i64 %at to ptr
  store i32 1, ptr %p
  %at1 = add i64 %row1, %x
  %p1 = inttoptr i64 %at1 to ptr
  store i32 2, ptr %p1
  %at2 = add i64 %x, %row2
  %p2 = inttoptr i64 %at2 to ptr
  store i32 3, ptr %p2
  %next = add i64 %x, 4
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
