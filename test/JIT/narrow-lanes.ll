; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-narrow-lanes | FileCheck %s
;
; Integers are computed with as few bits as the result asks for.

; A pixel's brightness: 8 bits of a sum of 17 bits. Its lower 16 are enough, and
; flags that hold for 32 bits do not.
; CHECK-LABEL: define <16 x i8> @brightness
; CHECK: %[[A:.*]] = zext <16 x i8> %a to <16 x i16>
; CHECK: %[[B:.*]] = zext <16 x i8> %b to <16 x i16>
; CHECK: %[[X:.*]] = mul <16 x i16> %[[A]], splat (i16 77)
; CHECK: %[[Y:.*]] = mul <16 x i16> %[[B]], splat (i16 150)
; CHECK: %[[S:.*]] = add <16 x i16> %[[X]], %[[Y]]
; CHECK: %[[R:.*]] = add <16 x i16> %[[S]], splat (i16 128)
; CHECK: %[[H:.*]] = lshr <16 x i16> %[[R]], splat (i16 8)
; CHECK: %byte = trunc <16 x i16> %[[H]] to <16 x i8>
; CHECK: ret <16 x i8> %byte
define <16 x i8> @brightness(<16 x i8> %a, <16 x i8> %b) {
  %aw = zext <16 x i8> %a to <16 x i32>
  %bw = zext <16 x i8> %b to <16 x i32>
  %x = mul nuw nsw <16 x i32> %aw, splat (i32 77)
  %y = mul nuw nsw <16 x i32> %bw, splat (i32 150)
  %s = add nuw nsw <16 x i32> %x, %y
  %r = add nuw nsw <16 x i32> %s, splat (i32 128)
  %h = lshr <16 x i32> %r, splat (i32 8)
  %byte = trunc <16 x i32> %h to <16 x i8>
  ret <16 x i8> %byte
}

; One bit more is asked for than 16 have.
; CHECK-LABEL: define <16 x i8> @nine
; CHECK: lshr <16 x i32>
define <16 x i8> @nine(<16 x i8> %a) {
  %w = zext <16 x i8> %a to <16 x i32>
  %x = mul <16 x i32> %w, splat (i32 777)
  %h = lshr <16 x i32> %x, splat (i32 9)
  %byte = trunc <16 x i32> %h to <16 x i8>
  ret <16 x i8> %byte
}

; The scalar is narrow as well, and the sign may come from another bit, since
; nobody asks for it.
; CHECK-LABEL: define <8 x i8> @scaled
; CHECK: %[[N:.*]] = trunc i32 %by to i16
; CHECK: sext <8 x i8> %a to <8 x i16>
; CHECK: mul <8 x i16>
; CHECK: ashr <8 x i16> %{{.*}}, splat (i16 4)
define <8 x i8> @scaled(<8 x i8> %a, i32 %by) {
  %one = insertelement <8 x i32> poison, i32 %by, i64 0
  %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  %w = sext <8 x i8> %a to <8 x i32>
  %x = mul <8 x i32> %w, %all
  %h = ashr <8 x i32> %x, splat (i32 4)
  %byte = trunc <8 x i32> %h to <8 x i8>
  ret <8 x i8> %byte
}

; Who else uses the sum gets all of it.
; CHECK-LABEL: define <8 x i8> @shared
; CHECK: add <8 x i32>
; CHECK-NOT: add <8 x i16>
define <8 x i8> @shared(<8 x i8> %a, ptr %p) {
  %w = zext <8 x i8> %a to <8 x i32>
  %x = add <8 x i32> %w, splat (i32 300)
  store <8 x i32> %x, ptr %p
  %h = lshr <8 x i32> %x, splat (i32 1)
  %byte = trunc <8 x i32> %h to <8 x i8>
  ret <8 x i8> %byte
}

; What comes from memory with 32 bits has to be narrowed first, which is more
; work than to narrow the result.
; CHECK-LABEL: define <8 x i8> @words
; CHECK: lshr <8 x i32>
define <8 x i8> @words(<8 x i32> %a, <8 x i32> %b) {
  %x = add <8 x i32> %a, %b
  %h = lshr <8 x i32> %x, splat (i32 2)
  %byte = trunc <8 x i32> %h to <8 x i8>
  ret <8 x i8> %byte
}

; The second byte of a pair is all that the shift leaves, so that 16 bits of it
; are known although the product needs as many.
; CHECK-LABEL: define <8 x i8> @pair
; CHECK: %[[H:.*]] = lshr <8 x i16> %pair, splat (i16 8)
; CHECK: mul <8 x i16> %[[H]], splat (i16 150)
define <8 x i8> @pair(<8 x i16> %pair) {
  %w = zext <8 x i16> %pair to <8 x i32>
  %high = lshr <8 x i32> %w, splat (i32 8)
  %x = mul <8 x i32> %high, splat (i32 150)
  %h = lshr <8 x i32> %x, splat (i32 8)
  %byte = trunc <8 x i32> %h to <8 x i8>
  ret <8 x i8> %byte
}
