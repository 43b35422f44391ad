; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-optimize | FileCheck %s

; Structuring leaves a flag where a loop is left; it becomes a branch again.
; CHECK-LABEL: define void @exit_flag
; CHECK-NOT: phi i1
; CHECK-NOT: select i1
; CHECK: call float @outside
; CHECK: br i1 %{{.*}}, label
; CHECK: ret void
define void @exit_flag(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %work, label %leave
work:
  %v = call float @outside(i32 %i)
  store float %v, ptr %p
  %one = add i32 %i, 1
  br label %latch
leave:
  br label %latch
latch:
  %next = phi i32 [ %one, %work ], [ poison, %leave ]
  %flag = phi i1 [ true, %work ], [ false, %leave ]
  br i1 %flag, label %loop, label %end
end:
  ret void
}
declare float @outside(i32)

; Functions of the device library are inlined. A multiplication and an addition
; still round twice: they do not become an fma.
; CHECK-LABEL: define <8 x float> @device
; CHECK-NEXT: %[[P:.*]] = fmul <8 x float> %a, %a
; CHECK-NEXT: %[[S:.*]] = fadd <8 x float> %[[P]], %b
; CHECK-NEXT: ret <8 x float> %[[S]]
define <8 x float> @device(<8 x float> %a, <8 x float> %b) {
  %p = call <8 x float> @square(<8 x float> %a)
  %s = fadd <8 x float> %p, %b
  ret <8 x float> %s
}
define internal <8 x float> @square(<8 x float> %a) alwaysinline {
  %p = fmul <8 x float> %a, %a
  ret <8 x float> %p
}

; Vectors stay as wide as they are: the loop is not unrolled or vectorized.
; CHECK-LABEL: define void @loop
; CHECK: fadd <8 x float>
; CHECK-NOT: fadd
; CHECK: ret void
define void @loop(ptr %p) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = getelementptr <8 x float>, ptr %p, i64 %i
  %v = load <8 x float>, ptr %at
  %w = fadd <8 x float> %v, %v
  store <8 x float> %w, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %body, label %end
end:
  ret void
}
