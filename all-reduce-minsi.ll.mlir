module attributes {gpu.container_module} {
  llvm.func @malloc(i64) -> !llvm.ptr
  llvm.func @main() {
    %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %1 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %2 = llvm.mlir.zero : !llvm.ptr
    %3 = llvm.mlir.constant(0 : i32) : i32
    %4 = llvm.mlir.constant(1 : i32) : i32
    %5 = llvm.mlir.constant(2 : i32) : i32
    %6 = llvm.mlir.constant(4 : i32) : i32
    %7 = llvm.mlir.constant(8 : i32) : i32
    %8 = llvm.mlir.constant(16 : i32) : i32
    %9 = llvm.mlir.constant(3 : i32) : i32
    %10 = llvm.mlir.constant(6 : i32) : i32
    %11 = llvm.mlir.constant(7 : i32) : i32
    %12 = llvm.mlir.constant(10 : i32) : i32
    %13 = llvm.mlir.constant(11 : i32) : i32
    %14 = llvm.mlir.constant(0 : index) : i64
    %15 = llvm.mlir.constant(1 : index) : i64
    %16 = llvm.mlir.constant(2 : index) : i64
    %17 = llvm.mlir.constant(3 : index) : i64
    %18 = llvm.mlir.constant(4 : index) : i64
    %19 = llvm.mlir.constant(5 : index) : i64
    %20 = llvm.mlir.constant(6 : index) : i64
    %21 = llvm.getelementptr %2[12] : (!llvm.ptr) -> !llvm.ptr, i32
    %22 = llvm.ptrtoint %21 : !llvm.ptr to i64
    %23 = llvm.call @malloc(%22) : (i64) -> !llvm.ptr
    %24 = llvm.insertvalue %23, %1[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %25 = llvm.insertvalue %23, %24[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %26 = llvm.insertvalue %14, %25[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %27 = llvm.insertvalue %16, %26[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %28 = llvm.insertvalue %20, %27[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %29 = llvm.insertvalue %20, %28[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %30 = llvm.insertvalue %15, %29[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %31 = llvm.getelementptr %2[2] : (!llvm.ptr) -> !llvm.ptr, i32
    %32 = llvm.ptrtoint %31 : !llvm.ptr to i64
    %33 = llvm.call @malloc(%32) : (i64) -> !llvm.ptr
    %34 = llvm.insertvalue %33, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %35 = llvm.insertvalue %33, %34[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %36 = llvm.insertvalue %14, %35[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %37 = llvm.insertvalue %16, %36[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %38 = llvm.insertvalue %15, %37[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %39 = llvm.alloca %15 x !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %30, %39 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, !llvm.ptr
    %40 = llvm.getelementptr %2[1] : (!llvm.ptr) -> !llvm.ptr, i32
    %41 = llvm.ptrtoint %40 : !llvm.ptr to i64
    llvm.call @mgpuMemHostRegisterMemRef(%16, %39, %41) : (i64, !llvm.ptr, i64) -> ()
    %42 = llvm.alloca %15 x !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %38, %42 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, !llvm.ptr
    llvm.call @mgpuMemHostRegisterMemRef(%15, %42, %41) : (i64, !llvm.ptr, i64) -> ()
    %43 = llvm.mul %14, %20 overflow<nsw, nuw> : i64
    %44 = llvm.add %43, %14 overflow<nsw, nuw> : i64
    %45 = llvm.getelementptr inbounds|nuw %23[%44] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %3, %45 : i32, !llvm.ptr
    %46 = llvm.add %43, %15 overflow<nsw, nuw> : i64
    %47 = llvm.getelementptr inbounds|nuw %23[%46] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %4, %47 : i32, !llvm.ptr
    %48 = llvm.add %43, %16 overflow<nsw, nuw> : i64
    %49 = llvm.getelementptr inbounds|nuw %23[%48] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %5, %49 : i32, !llvm.ptr
    %50 = llvm.add %43, %17 overflow<nsw, nuw> : i64
    %51 = llvm.getelementptr inbounds|nuw %23[%50] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %6, %51 : i32, !llvm.ptr
    %52 = llvm.add %43, %18 overflow<nsw, nuw> : i64
    %53 = llvm.getelementptr inbounds|nuw %23[%52] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %7, %53 : i32, !llvm.ptr
    %54 = llvm.add %43, %19 overflow<nsw, nuw> : i64
    %55 = llvm.getelementptr inbounds|nuw %23[%54] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %8, %55 : i32, !llvm.ptr
    %56 = llvm.mul %15, %20 overflow<nsw, nuw> : i64
    %57 = llvm.add %56, %14 overflow<nsw, nuw> : i64
    %58 = llvm.getelementptr inbounds|nuw %23[%57] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %5, %58 : i32, !llvm.ptr
    %59 = llvm.add %56, %15 overflow<nsw, nuw> : i64
    %60 = llvm.getelementptr inbounds|nuw %23[%59] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %9, %60 : i32, !llvm.ptr
    %61 = llvm.add %56, %16 overflow<nsw, nuw> : i64
    %62 = llvm.getelementptr inbounds|nuw %23[%61] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %10, %62 : i32, !llvm.ptr
    %63 = llvm.add %56, %17 overflow<nsw, nuw> : i64
    %64 = llvm.getelementptr inbounds|nuw %23[%63] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %11, %64 : i32, !llvm.ptr
    %65 = llvm.add %56, %18 overflow<nsw, nuw> : i64
    %66 = llvm.getelementptr inbounds|nuw %23[%65] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %12, %66 : i32, !llvm.ptr
    %67 = llvm.add %56, %19 overflow<nsw, nuw> : i64
    %68 = llvm.getelementptr inbounds|nuw %23[%67] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %13, %68 : i32, !llvm.ptr
    gpu.launch_func  @main_kernel::@main_kernel blocks in (%16, %15, %15) threads in (%20, %15, %15) : i64 args(%23 : !llvm.ptr, %23 : !llvm.ptr, %14 : i64, %16 : i64, %20 : i64, %20 : i64, %15 : i64, %33 : !llvm.ptr, %33 : !llvm.ptr, %14 : i64, %16 : i64, %15 : i64)
    llvm.call @printMemrefI32(%15, %42) : (i64, !llvm.ptr) -> ()
    llvm.return
  }
  gpu.binary @main_kernel  [#gpu.object<#nvvm.target<chip = "sm_80", features = "+ptx80">, properties = {LLVMIRToISATimeInMs = 2 : i64, O = 2 : i32}, assembly = "//\0A// Generated by LLVM NVPTX Back-End\0A//\0A\0A.version 8.0\0A.target sm_80\0A.address_size 64\0A\0A\09// .globl\09main_kernel\0A// __wg_main_kernel_0_$_0 has been demoted\0A\0A.visible .entry main_kernel(\0A\09.param .u64 .ptr .align 1 main_kernel_param_0,\0A\09.param .u64 .ptr .align 1 main_kernel_param_1,\0A\09.param .u64 main_kernel_param_2,\0A\09.param .u64 main_kernel_param_3,\0A\09.param .u64 main_kernel_param_4,\0A\09.param .u64 main_kernel_param_5,\0A\09.param .u64 main_kernel_param_6,\0A\09.param .u64 .ptr .align 1 main_kernel_param_7,\0A\09.param .u64 .ptr .align 1 main_kernel_param_8,\0A\09.param .u64 main_kernel_param_9,\0A\09.param .u64 main_kernel_param_10,\0A\09.param .u64 main_kernel_param_11\0A)\0A.maxntid 6, 1, 1\0A{\0A\09.reg .pred \09%p<12>;\0A\09.reg .b32 \09%r<41>;\0A\09.reg .b64 \09%rd<12>;\0A\09// demoted variable\0A\09.shared .align 4 .u32 __wg_main_kernel_0_$_0;\0A\09ld.param.b64 \09%rd3, [main_kernel_param_1];\0A\09cvta.to.global.u64 \09%rd4, %rd3;\0A\09ld.param.b64 \09%rd5, [main_kernel_param_8];\0A\09cvta.to.global.u64 \09%rd1, %rd5;\0A\09mov.u32 \09%r3, %ctaid.x;\0A\09mov.u32 \09%r1, %tid.x;\0A\09setp.ne.b32 \09%p1, %r1, 0;\0A\09mov.u32 \09%r4, %ntid.x;\0A\09mul.wide.u32 \09%rd6, %r3, 24;\0A\09add.s64 \09%rd7, %rd4, %rd6;\0A\09mul.wide.u32 \09%rd8, %r1, 4;\0A\09add.s64 \09%rd9, %rd7, %rd8;\0A\09ld.global.b32 \09%r5, [%rd9];\0A\09sub.s32 \09%r6, 32, %r4;\0A\09mov.b32 \09%r7, -1;\0A\09shr.u32 \09%r8, %r7, %r6;\0A\09add.s32 \09%r9, %r4, -1;\0A\09shfl.sync.bfly.b32 \09%r10|%p2, %r5, 1, %r9, %r8;\0A\09min.s32 \09%r11, %r5, %r10;\0A\09selp.b32 \09%r12, %r11, %r5, %p2;\0A\09shfl.sync.bfly.b32 \09%r13|%p3, %r12, 2, %r9, %r8;\0A\09min.s32 \09%r14, %r12, %r13;\0A\09selp.b32 \09%r15, %r14, %r12, %p3;\0A\09shfl.sync.bfly.b32 \09%r16|%p4, %r15, 4, %r9, %r8;\0A\09min.s32 \09%r17, %r15, %r16;\0A\09selp.b32 \09%r18, %r17, %r15, %p4;\0A\09shfl.sync.bfly.b32 \09%r19|%p5, %r18, 8, %r9, %r8;\0A\09min.s32 \09%r20, %r18, %r19;\0A\09selp.b32 \09%r21, %r20, %r18, %p5;\0A\09shfl.sync.bfly.b32 \09%r22|%p6, %r21, 16, %r9, %r8;\0A\09@%p1 bra \09$L__BB0_2;\0A\09min.s32 \09%r23, %r21, %r22;\0A\09selp.b32 \09%r2, %r23, %r21, %p6;\0A\09st.shared.b32 \09[__wg_main_kernel_0_$_0], %r2;\0A$L__BB0_2:\0A\09cvt.u64.u32 \09%rd2, %r3;\0A\09bar.sync \090;\0A\09@%p1 bra \09$L__BB0_4;\0A\09ld.shared.b32 \09%r24, [__wg_main_kernel_0_$_0];\0A\09shfl.sync.bfly.b32 \09%r25|%p7, %r24, 1, 0, 1;\0A\09min.s32 \09%r26, %r24, %r25;\0A\09selp.b32 \09%r27, %r26, %r24, %p7;\0A\09shfl.sync.bfly.b32 \09%r28|%p8, %r27, 2, 0, 1;\0A\09min.s32 \09%r29, %r27, %r28;\0A\09selp.b32 \09%r30, %r29, %r27, %p8;\0A\09shfl.sync.bfly.b32 \09%r31|%p9, %r30, 4, 0, 1;\0A\09min.s32 \09%r32, %r30, %r31;\0A\09selp.b32 \09%r33, %r32, %r30, %p9;\0A\09shfl.sync.bfly.b32 \09%r34|%p10, %r33, 8, 0, 1;\0A\09min.s32 \09%r35, %r33, %r34;\0A\09selp.b32 \09%r36, %r35, %r33, %p10;\0A\09shfl.sync.bfly.b32 \09%r37|%p11, %r36, 16, 0, 1;\0A\09min.s32 \09%r38, %r36, %r37;\0A\09selp.b32 \09%r39, %r38, %r36, %p11;\0A\09st.shared.b32 \09[__wg_main_kernel_0_$_0], %r39;\0A$L__BB0_4:\0A\09bar.sync \090;\0A\09ld.shared.b32 \09%r40, [__wg_main_kernel_0_$_0];\0A\09shl.b64 \09%rd10, %rd2, 2;\0A\09add.s64 \09%rd11, %rd1, %rd10;\0A\09st.global.b32 \09[%rd11], %r40;\0A\09ret;\0A\0A}\0A">]
  llvm.func @printMemrefI32(i64, !llvm.ptr) attributes {sym_visibility = "private"}
  llvm.func @mgpuMemHostRegisterMemRef(i64, !llvm.ptr, i64)
}

