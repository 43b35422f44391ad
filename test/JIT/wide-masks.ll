; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-widen-masks | FileCheck %s
; RUN: ptx-opt %s --cpu=x86-64-v4 --llvm-widen-masks | FileCheck %s --check-prefix=AVX512
;
; AVX2 has no mask registers: masks that live across blocks are vectors of i32.
; AVX512-NOT: sext <8 x i1>

; The lanes that are still in a loop.
; CHECK-LABEL: define void @loop
; CHECK: entry:
; CHECK-NEXT: %[[START:.*]] = sext <8 x i1> %start to <8 x i32>
; CHECK: body:
; CHECK-NEXT: %[[LANES:.*]] = phi <8 x i32> [ %[[START]], %entry ], [ %[[STILL:.*]], %body ]
; CHECK-NOT: phi <8 x i1>
; CHECK: %[[TEST:.*]] = icmp slt <8 x i32> %[[LANES]], zeroinitializer
; CHECK: %[[NEXT:.*]] = select <8 x i1> %[[TEST]], <8 x i1> %{{.*}}, <8 x i1> zeroinitializer
; CHECK-NEXT: %[[STILL]] = sext <8 x i1> %[[NEXT]] to <8 x i32>
; CHECK: br i1
define void @loop(ptr %p, <8 x i1> %start) {
entry:
  br label %body
body:
  %lanes = phi <8 x i1> [ %start, %entry ], [ %next, %body ]
  %v = load <8 x float>, ptr %p
  %more = fcmp olt <8 x float> %v, zeroinitializer
  %next = select <8 x i1> %lanes, <8 x i1> %more, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %next to i8
  %any = icmp ne i8 %bits, 0
  br i1 %any, label %body, label %end
end:
  ret void
}

; A mask with uses in another block is widened once, where it is defined, and
; tested once in the other block. Uses in its own block stay.
; CHECK-LABEL: define <8 x float> @across
; CHECK: %mask = fcmp
; CHECK-NEXT: %[[WIDE:.*]] = sext <8 x i1> %mask to <8 x i32>
; CHECK-NEXT: select <8 x i1> %mask
; CHECK: then:
; CHECK-NEXT: %[[TEST:.*]] = icmp slt <8 x i32> %[[WIDE]], zeroinitializer
; CHECK-NEXT: %{{.*}} = select <8 x i1> %[[TEST]]
; CHECK-NEXT: %{{.*}} = select <8 x i1> %[[TEST]]
; CHECK-NOT: sext
; CHECK: ret
define <8 x float> @across(<8 x float> %a, <8 x float> %b, i1 %c) {
  %mask = fcmp olt <8 x float> %a, %b
  %here = select <8 x i1> %mask, <8 x float> %a, <8 x float> %b
  br i1 %c, label %then, label %end
then:
  %x = select <8 x i1> %mask, <8 x float> %here, <8 x float> %b
  %y = select <8 x i1> %mask, <8 x float> %a, <8 x float> %x
  ret <8 x float> %y
end:
  ret <8 x float> %here
}

; A constant is widened as a constant.
; CHECK-LABEL: define <8 x i1> @constants
; CHECK: phi <8 x i32> [ splat (i32 -1), %{{.*}} ], [ zeroinitializer, %{{.*}} ]
; CHECK: icmp slt <8 x i32>
define <8 x i1> @constants(i1 %c) {
entry:
  br i1 %c, label %yes, label %end
yes:
  br label %end
end:
  %mask = phi <8 x i1> [ splat (i1 true), %yes ], [ zeroinitializer, %entry ]
  ret <8 x i1> %mask
}

; Two masks that are swapped in a loop.
; CHECK-LABEL: define <8 x i1> @exchange
; CHECK: %[[A:.*]] = phi <8 x i32> [ %{{.*}}, %entry ], [ %[[B:.*]], %body ]
; CHECK-NEXT: %[[B]] = phi <8 x i32> [ %{{.*}}, %entry ], [ %[[A]], %body ]
; CHECK-NOT: poison
; CHECK: ret
define <8 x i1> @exchange(<8 x i1> %x, <8 x i1> %y, ptr %p) {
entry:
  br label %body
body:
  %a = phi <8 x i1> [ %x, %entry ], [ %b, %body ]
  %b = phi <8 x i1> [ %y, %entry ], [ %a, %body ]
  %more = load i1, ptr %p
  br i1 %more, label %body, label %end
end:
  ret <8 x i1> %a
}

; Masks that live in one block stay, and so do values that are no masks.
; CHECK-LABEL: define <8 x float> @one_block
; CHECK-NOT: i32
; CHECK: ret
define <8 x float> @one_block(<8 x float> %a, <8 x float> %b) {
  %mask = fcmp olt <8 x float> %a, %b
  %v = select <8 x i1> %mask, <8 x float> %a, <8 x float> %b
  ret <8 x float> %v
}
; CHECK-LABEL: define float @scalar
; CHECK-NOT: i32
; CHECK: ret float %v
define float @scalar(float %a, float %b, i1 %c) {
  %less = fcmp olt float %a, %b
  br i1 %c, label %then, label %end
then:
  %v = select i1 %less, float %a, float %b
  ret float %v
end:
  ret float %a
}

; A mask of 8 lanes for two elements of each is shuffled in its wide form, but not
; if others than masked accesses see it.
; CHECK-LABEL: define void @elements
; CHECK: %mask = icmp
; CHECK-NEXT: %[[WIDE:.*]] = sext <8 x i1> %mask to <8 x i32>
; CHECK-NEXT: %[[EACH:.*]] = shufflevector <8 x i32> %[[WIDE]], {{.*}} <16 x i32> <i32 0, i32 0, i32 1, i32 1,
; CHECK-NEXT: %[[TEST:.*]] = icmp slt <16 x i32> %[[EACH]], zeroinitializer
; CHECK-NEXT: call void @llvm.masked.store{{.*}} <16 x i1> %[[TEST]])
define void @elements(<8 x i32> %i, <8 x i32> %n, <16 x float> %v, ptr %p) {
  %mask = icmp ult <8 x i32> %i, %n
  %each = shufflevector <8 x i1> %mask, <8 x i1> poison, <16 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3, i32 4, i32 4, i32 5, i32 5, i32 6, i32 6, i32 7, i32 7>
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v, ptr align 4 %p, <16 x i1> %each)
  ret void
}
; CHECK-LABEL: define i16 @seen
; CHECK-NOT: <8 x i32>
; CHECK: ret i16
define i16 @seen(<8 x i1> %mask) {
  %each = shufflevector <8 x i1> %mask, <8 x i1> poison, <16 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3, i32 4, i32 4, i32 5, i32 5, i32 6, i32 6, i32 7, i32 7>
  %bits = bitcast <16 x i1> %each to i16
  ret i16 %bits
}
