; RUN: ptx-opt %s --cpu=x86-64-v4 --llvm-narrow-indices | FileCheck %s
;
; LLVM has extended the indices where they were made. The extension is needed in
; the block of the access, where the CPU's gather takes it in.

; CHECK-LABEL: define <16 x float> @loop
; CHECK: entry:
; CHECK-NEXT: %index = load <16 x i32>
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK: %[[WIDE:.*]] = sext <16 x i32> %index to <16 x i64>
; CHECK-NEXT: %[[AT:.*]] = getelementptr i32, ptr %base, <16 x i64> %[[WIDE]]
; CHECK-NEXT: call <16 x float> @llvm.masked.gather{{.*}}(<16 x ptr> align 4 %[[AT]]
define <16 x float> @loop(ptr %base, ptr %indices, <16 x i1> %mask, i32 %n) {
entry:
  %index = load <16 x i32>, ptr %indices, align 4
  %wide = sext <16 x i32> %index to <16 x i64>
  %at = getelementptr i32, ptr %base, <16 x i64> %wide
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %at, <16 x i1> %mask, <16 x float> zeroinitializer)
  %more = fadd <16 x float> %sum, %v
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret <16 x float> %more
}

; Others that use the vectors keep them.
; CHECK-LABEL: define <16 x i64> @others
; CHECK: entry:
; CHECK-NEXT: %wide = sext
; CHECK: store:
; CHECK-NEXT: %[[WIDE:.*]] = sext <16 x i32> %index to <16 x i64>
; CHECK-NEXT: %[[AT:.*]] = getelementptr i64, ptr %base, <16 x i64> %[[WIDE]]
; CHECK-NEXT: call void @llvm.masked.scatter{{.*}}(<16 x i64> %wide, <16 x ptr> align 8 %[[AT]]
define <16 x i64> @others(ptr %base, <16 x i32> %index, <16 x i1> %mask, i1 %p) {
entry:
  %wide = sext <16 x i32> %index to <16 x i64>
  br i1 %p, label %store, label %end
store:
  %at = getelementptr i64, ptr %base, <16 x i64> %wide
  call void @llvm.masked.scatter.v16i64.v16p0(<16 x i64> %wide, <16 x ptr> align 8 %at, <16 x i1> %mask)
  br label %end
end:
  ret <16 x i64> %wide
}

; A base for each lane, and indices of 64 bits, stay as they are.
; CHECK-LABEL: define <16 x float> @wide
; CHECK: load:
; CHECK-NEXT: call <16 x float> @llvm.masked.gather
; CHECK-NEXT: call <16 x float> @llvm.masked.gather
define <16 x float> @wide(<16 x ptr> %bases, ptr %base, <16 x i32> %index, <16 x i64> %far, <16 x i1> %mask, i1 %p) {
entry:
  %wide = sext <16 x i32> %index to <16 x i64>
  %a = getelementptr i32, <16 x ptr> %bases, <16 x i64> %wide
  %b = getelementptr i32, ptr %base, <16 x i64> %far
  br i1 %p, label %load, label %end
load:
  %x = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %a, <16 x i1> %mask, <16 x float> zeroinitializer)
  %y = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %b, <16 x i1> %mask, <16 x float> %x)
  ret <16 x float> %y
end:
  ret <16 x float> zeroinitializer
}

; Known places of 32 bits need no vector of pointers; lanes that are left out may
; have any. Others stay as they are.
; CHECK-LABEL: define <4 x float> @known
; CHECK: there:
; CHECK-NEXT: %[[AT:.*]] = getelementptr i8, ptr %base, <4 x i32> <i32 192, i32 128, i32 -64, i32 0>
; CHECK-NEXT: %v = call <4 x float> @llvm.masked.gather{{.*}}(<4 x ptr> align 4 %[[AT]]
; CHECK-NEXT: %[[FAR:.*]] = getelementptr i8, ptr %base, <4 x i64> <i64 0, i64 2147483648, i64 4, i64 8>
define <4 x float> @known(ptr %base, i1 %p) {
entry:
  %at = getelementptr i8, ptr %base, <4 x i64> <i64 192, i64 128, i64 -64, i64 poison>
  br i1 %p, label %there, label %end
there:
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %at, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x float> zeroinitializer)
  %far = getelementptr i8, ptr %base, <4 x i64> <i64 0, i64 2147483648, i64 4, i64 8>
  %w = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %far, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x float> zeroinitializer)
  %sum = fadd <4 x float> %v, %w
  ret <4 x float> %sum
end:
  ret <4 x float> zeroinitializer
}
