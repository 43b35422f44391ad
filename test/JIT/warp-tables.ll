; RUN: ptx-opt %s --cpu=neoverse-v2 --llvm-tabulate-warps | FileCheck %s
; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-tabulate-warps | FileCheck %s --check-prefix=X86
;
; How often the four threads of a warp go round a loop, of which only the first
; six threads of the block have a second turn: %turns. Whether all of a warp have
; one is a byte in another table.
; CHECK: @[[ALL:.*]] = private unnamed_addr constant [4 x i8] c"\01\00\00\00"
; CHECK: @[[TURNS:.*]] = private unnamed_addr constant [4 x <4 x i32>] [<4 x i32> splat (i32 2), <4 x i32> <i32 2, i32 2, i32 1, i32 1>, <4 x i32> splat (i32 1), <4 x i32> splat (i32 1)]
; CHECK-LABEL: define void @turns
; CHECK: loop:
; CHECK-NOT: smax
; CHECK: %[[T:.*]] = getelementptr inbounds {{.*}}, ptr @[[TURNS]], i64 0, i64
; CHECK-NEXT: load <4 x i32>, ptr %[[T]]
; CHECK: %[[A:.*]] = getelementptr inbounds {{.*}}, ptr @[[ALL]], i64 0, i64
; CHECK-NEXT: %[[BYTE:.*]] = load i8, ptr %[[A]]
; CHECK-NEXT: icmp ne i8 %[[BYTE]], 0
; X86-NOT: constant
; X86-LABEL: define void @turns
; X86: smax
define void @turns(ptr %p) {
entry:
  br label %loop
loop:
  %warp = phi i32 [ 0, %entry ], [ %next, %loop ]
  %first = shl i32 %warp, 2
  %one = insertelement <4 x i32> poison, i32 %first, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %thread = or disjoint <4 x i32> %all, <i32 0, i32 1, i32 2, i32 3>
  %most = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %thread, <4 x i32> splat (i32 6))
  %left = sub <4 x i32> %most, %thread
  %up = add <4 x i32> %left, splat (i32 255)
  %more = lshr <4 x i32> %up, splat (i32 8)
  %turns = add nuw nsw <4 x i32> %more, splat (i32 1)
  store <4 x i32> %turns, ptr %p
  %twice = icmp eq <4 x i32> %turns, splat (i32 2)
  %bits = bitcast <4 x i1> %twice to i4
  %every = icmp eq i4 %bits, -1
  store i1 %every, ptr %p
  %next = add nuw nsw i32 %warp, 1
  %again = icmp slt i32 %next, 4
  br i1 %again, label %loop, label %done
done:
  ret void
}

; A few vectors are made as fast as they are loaded, and nothing is known of a
; loop over any number of warps.
; CHECK-LABEL: define void @numbers
; CHECK-NOT: load
; CHECK-LABEL: define void @any
; CHECK-NOT: load
define void @numbers(ptr %p) {
entry:
  br label %loop
loop:
  %warp = phi i32 [ 0, %entry ], [ %next, %loop ]
  %one = insertelement <4 x i32> poison, i32 %warp, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %thread = or disjoint <4 x i32> %all, <i32 0, i32 1, i32 2, i32 3>
  store <4 x i32> %thread, ptr %p
  %next = add nuw nsw i32 %warp, 1
  %again = icmp slt i32 %next, 4
  br i1 %again, label %loop, label %done
done:
  ret void
}
define void @any(i32 %end, ptr %p) {
entry:
  br label %loop
loop:
  %warp = phi i32 [ 0, %entry ], [ %next, %loop ]
  %one = insertelement <4 x i32> poison, i32 %warp, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %a = or disjoint <4 x i32> %all, <i32 0, i32 1, i32 2, i32 3>
  %b = mul <4 x i32> %a, %a
  %c = mul <4 x i32> %b, %a
  %d = mul <4 x i32> %c, %a
  %e = mul <4 x i32> %d, %a
  store <4 x i32> %e, ptr %p
  %next = add nuw nsw i32 %warp, 1
  %again = icmp slt i32 %next, %end
  br i1 %again, label %loop, label %done
done:
  ret void
}
