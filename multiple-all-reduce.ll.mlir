module attributes {gpu.container_module} {
  llvm.func @malloc(i64) -> !llvm.ptr
  llvm.func @main() {
    %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %1 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %2 = llvm.mlir.zero : !llvm.ptr
    %3 = llvm.mlir.constant(0.000000e+00 : f32) : f32
    %4 = llvm.mlir.constant(1.000000e+00 : f32) : f32
    %5 = llvm.mlir.constant(2.000000e+00 : f32) : f32
    %6 = llvm.mlir.constant(4.000000e+00 : f32) : f32
    %7 = llvm.mlir.constant(8.000000e+00 : f32) : f32
    %8 = llvm.mlir.constant(1.600000e+01 : f32) : f32
    %9 = llvm.mlir.constant(3.000000e+00 : f32) : f32
    %10 = llvm.mlir.constant(6.000000e+00 : f32) : f32
    %11 = llvm.mlir.constant(7.000000e+00 : f32) : f32
    %12 = llvm.mlir.constant(1.000000e+01 : f32) : f32
    %13 = llvm.mlir.constant(1.100000e+01 : f32) : f32
    %14 = llvm.mlir.constant(0 : index) : i64
    %15 = llvm.mlir.constant(1 : index) : i64
    %16 = llvm.mlir.constant(2 : index) : i64
    %17 = llvm.mlir.constant(3 : index) : i64
    %18 = llvm.mlir.constant(4 : index) : i64
    %19 = llvm.mlir.constant(5 : index) : i64
    %20 = llvm.mlir.constant(6 : index) : i64
    %21 = llvm.getelementptr %2[12] : (!llvm.ptr) -> !llvm.ptr, f32
    %22 = llvm.ptrtoint %21 : !llvm.ptr to i64
    %23 = llvm.call @malloc(%22) : (i64) -> !llvm.ptr
    %24 = llvm.insertvalue %23, %1[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %25 = llvm.insertvalue %23, %24[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %26 = llvm.insertvalue %14, %25[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %27 = llvm.insertvalue %16, %26[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %28 = llvm.insertvalue %20, %27[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %29 = llvm.insertvalue %20, %28[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %30 = llvm.insertvalue %15, %29[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %31 = llvm.getelementptr %2[2] : (!llvm.ptr) -> !llvm.ptr, f32
    %32 = llvm.ptrtoint %31 : !llvm.ptr to i64
    %33 = llvm.call @malloc(%32) : (i64) -> !llvm.ptr
    %34 = llvm.insertvalue %33, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %35 = llvm.insertvalue %33, %34[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %36 = llvm.insertvalue %14, %35[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %37 = llvm.insertvalue %16, %36[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %38 = llvm.insertvalue %15, %37[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %39 = llvm.call @malloc(%32) : (i64) -> !llvm.ptr
    %40 = llvm.insertvalue %39, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %41 = llvm.insertvalue %39, %40[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %42 = llvm.insertvalue %14, %41[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %43 = llvm.insertvalue %16, %42[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %44 = llvm.insertvalue %15, %43[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %45 = llvm.alloca %15 x !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %30, %45 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, !llvm.ptr
    %46 = llvm.getelementptr %2[1] : (!llvm.ptr) -> !llvm.ptr, f32
    %47 = llvm.ptrtoint %46 : !llvm.ptr to i64
    llvm.call @mgpuMemHostRegisterMemRef(%16, %45, %47) : (i64, !llvm.ptr, i64) -> ()
    %48 = llvm.alloca %15 x !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %38, %48 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, !llvm.ptr
    llvm.call @mgpuMemHostRegisterMemRef(%15, %48, %47) : (i64, !llvm.ptr, i64) -> ()
    %49 = llvm.alloca %15 x !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %44, %49 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, !llvm.ptr
    llvm.call @mgpuMemHostRegisterMemRef(%15, %49, %47) : (i64, !llvm.ptr, i64) -> ()
    %50 = llvm.mul %14, %20 overflow<nsw, nuw> : i64
    %51 = llvm.add %50, %14 overflow<nsw, nuw> : i64
    %52 = llvm.getelementptr inbounds|nuw %23[%51] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %3, %52 : f32, !llvm.ptr
    %53 = llvm.add %50, %15 overflow<nsw, nuw> : i64
    %54 = llvm.getelementptr inbounds|nuw %23[%53] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %4, %54 : f32, !llvm.ptr
    %55 = llvm.add %50, %16 overflow<nsw, nuw> : i64
    %56 = llvm.getelementptr inbounds|nuw %23[%55] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %5, %56 : f32, !llvm.ptr
    %57 = llvm.add %50, %17 overflow<nsw, nuw> : i64
    %58 = llvm.getelementptr inbounds|nuw %23[%57] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %6, %58 : f32, !llvm.ptr
    %59 = llvm.add %50, %18 overflow<nsw, nuw> : i64
    %60 = llvm.getelementptr inbounds|nuw %23[%59] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %7, %60 : f32, !llvm.ptr
    %61 = llvm.add %50, %19 overflow<nsw, nuw> : i64
    %62 = llvm.getelementptr inbounds|nuw %23[%61] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %8, %62 : f32, !llvm.ptr
    %63 = llvm.mul %15, %20 overflow<nsw, nuw> : i64
    %64 = llvm.add %63, %14 overflow<nsw, nuw> : i64
    %65 = llvm.getelementptr inbounds|nuw %23[%64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %5, %65 : f32, !llvm.ptr
    %66 = llvm.add %63, %15 overflow<nsw, nuw> : i64
    %67 = llvm.getelementptr inbounds|nuw %23[%66] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %9, %67 : f32, !llvm.ptr
    %68 = llvm.add %63, %16 overflow<nsw, nuw> : i64
    %69 = llvm.getelementptr inbounds|nuw %23[%68] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %10, %69 : f32, !llvm.ptr
    %70 = llvm.add %63, %17 overflow<nsw, nuw> : i64
    %71 = llvm.getelementptr inbounds|nuw %23[%70] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %11, %71 : f32, !llvm.ptr
    %72 = llvm.add %63, %18 overflow<nsw, nuw> : i64
    %73 = llvm.getelementptr inbounds|nuw %23[%72] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %12, %73 : f32, !llvm.ptr
    %74 = llvm.add %63, %19 overflow<nsw, nuw> : i64
    %75 = llvm.getelementptr inbounds|nuw %23[%74] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %13, %75 : f32, !llvm.ptr
    gpu.launch_func  @main_kernel::@main_kernel blocks in (%16, %15, %15) threads in (%20, %15, %15) : i64 args(%23 : !llvm.ptr, %23 : !llvm.ptr, %14 : i64, %16 : i64, %20 : i64, %20 : i64, %15 : i64, %33 : !llvm.ptr, %33 : !llvm.ptr, %14 : i64, %16 : i64, %15 : i64, %39 : !llvm.ptr, %39 : !llvm.ptr, %14 : i64, %16 : i64, %15 : i64)
    llvm.call @printMemrefF32(%15, %48) : (i64, !llvm.ptr) -> ()
    llvm.call @printMemrefF32(%15, %49) : (i64, !llvm.ptr) -> ()
    llvm.return
  }
  gpu.binary @main_kernel  [#gpu.object<#nvvm.target<chip = "sm_80", features = "+ptx80">, properties = {LLVMIRToISATimeInMs = 3 : i64, O = 2 : i32}, assembly = "//\0A// Generated by LLVM NVPTX Back-End\0A//\0A\0A.version 8.0\0A.target sm_80\0A.address_size 64\0A\0A\09// .globl\09main_kernel\0A// __wg_main_kernel_0_$_0 has been demoted\0A// __wg_main_kernel_1_$_0 has been demoted\0A\0A.visible .entry main_kernel(\0A\09.param .u64 .ptr .align 1 main_kernel_param_0,\0A\09.param .u64 .ptr .align 1 main_kernel_param_1,\0A\09.param .u64 main_kernel_param_2,\0A\09.param .u64 main_kernel_param_3,\0A\09.param .u64 main_kernel_param_4,\0A\09.param .u64 main_kernel_param_5,\0A\09.param .u64 main_kernel_param_6,\0A\09.param .u64 .ptr .align 1 main_kernel_param_7,\0A\09.param .u64 .ptr .align 1 main_kernel_param_8,\0A\09.param .u64 main_kernel_param_9,\0A\09.param .u64 main_kernel_param_10,\0A\09.param .u64 main_kernel_param_11,\0A\09.param .u64 .ptr .align 1 main_kernel_param_12,\0A\09.param .u64 .ptr .align 1 main_kernel_param_13,\0A\09.param .u64 main_kernel_param_14,\0A\09.param .u64 main_kernel_param_15,\0A\09.param .u64 main_kernel_param_16\0A)\0A.maxntid 6, 1, 1\0A{\0A\09.reg .pred \09%p<22>;\0A\09.reg .b32 \09%r<73>;\0A\09.reg .b64 \09%rd<15>;\0A\09// demoted variable\0A\09.shared .align 4 .f32 __wg_main_kernel_0_$_0;\0A\09// demoted variable\0A\09.shared .align 4 .f32 __wg_main_kernel_1_$_0;\0A\09ld.param.b64 \09%rd4, [main_kernel_param_1];\0A\09cvta.to.global.u64 \09%rd5, %rd4;\0A\09ld.param.b64 \09%rd6, [main_kernel_param_8];\0A\09cvta.to.global.u64 \09%rd1, %rd6;\0A\09ld.param.b64 \09%rd7, [main_kernel_param_13];\0A\09cvta.to.global.u64 \09%rd2, %rd7;\0A\09mov.u32 \09%r7, %ctaid.x;\0A\09mov.u32 \09%r1, %tid.x;\0A\09mul.wide.u32 \09%rd8, %r7, 24;\0A\09add.s64 \09%rd9, %rd5, %rd8;\0A\09mul.wide.u32 \09%rd10, %r1, 4;\0A\09add.s64 \09%rd11, %rd9, %rd10;\0A\09ld.global.b32 \09%r2, [%rd11];\0A\09mov.u32 \09%r8, %ntid.x;\0A\09setp.ne.b32 \09%p1, %r1, 0;\0A\09sub.s32 \09%r9, 32, %r8;\0A\09mov.b32 \09%r10, -1;\0A\09shr.u32 \09%r3, %r10, %r9;\0A\09add.s32 \09%r4, %r8, -1;\0A\09shfl.sync.bfly.b32 \09%r11|%p2, %r2, 1, %r4, %r3;\0A\09add.rn.f32 \09%r12, %r2, %r11;\0A\09selp.f32 \09%r13, %r12, %r2, %p2;\0A\09shfl.sync.bfly.b32 \09%r14|%p3, %r13, 2, %r4, %r3;\0A\09add.rn.f32 \09%r15, %r14, %r13;\0A\09selp.f32 \09%r16, %r15, %r13, %p3;\0A\09shfl.sync.bfly.b32 \09%r17|%p4, %r16, 4, %r4, %r3;\0A\09add.rn.f32 \09%r18, %r17, %r16;\0A\09selp.f32 \09%r19, %r18, %r16, %p4;\0A\09shfl.sync.bfly.b32 \09%r20|%p5, %r19, 8, %r4, %r3;\0A\09add.rn.f32 \09%r21, %r20, %r19;\0A\09selp.f32 \09%r22, %r21, %r19, %p5;\0A\09shfl.sync.bfly.b32 \09%r23|%p6, %r22, 16, %r4, %r3;\0A\09@%p1 bra \09$L__BB0_2;\0A\09add.rn.f32 \09%r24, %r23, %r22;\0A\09selp.f32 \09%r5, %r24, %r22, %p6;\0A\09st.shared.b32 \09[__wg_main_kernel_0_$_0], %r5;\0A$L__BB0_2:\0A\09cvt.u64.u32 \09%rd3, %r7;\0A\09bar.sync \090;\0A\09@%p1 bra \09$L__BB0_4;\0A\09ld.shared.b32 \09%r25, [__wg_main_kernel_0_$_0];\0A\09shfl.sync.bfly.b32 \09%r26|%p7, %r25, 1, 0, 1;\0A\09add.rn.f32 \09%r27, %r25, %r26;\0A\09selp.f32 \09%r28, %r27, %r25, %p7;\0A\09shfl.sync.bfly.b32 \09%r29|%p8, %r28, 2, 0, 1;\0A\09add.rn.f32 \09%r30, %r29, %r28;\0A\09selp.f32 \09%r31, %r30, %r28, %p8;\0A\09shfl.sync.bfly.b32 \09%r32|%p9, %r31, 4, 0, 1;\0A\09add.rn.f32 \09%r33, %r32, %r31;\0A\09selp.f32 \09%r34, %r33, %r31, %p9;\0A\09shfl.sync.bfly.b32 \09%r35|%p10, %r34, 8, 0, 1;\0A\09add.rn.f32 \09%r36, %r35, %r34;\0A\09selp.f32 \09%r37, %r36, %r34, %p10;\0A\09shfl.sync.bfly.b32 \09%r38|%p11, %r37, 16, 0, 1;\0A\09add.rn.f32 \09%r39, %r38, %r37;\0A\09selp.f32 \09%r40, %r39, %r37, %p11;\0A\09st.shared.b32 \09[__wg_main_kernel_0_$_0], %r40;\0A$L__BB0_4:\0A\09bar.sync \090;\0A\09ld.shared.b32 \09%r41, [__wg_main_kernel_0_$_0];\0A\09shl.b64 \09%rd12, %rd3, 2;\0A\09add.s64 \09%rd13, %rd1, %rd12;\0A\09st.global.b32 \09[%rd13], %r41;\0A\09shfl.sync.bfly.b32 \09%r42|%p12, %r2, 1, %r4, %r3;\0A\09mul.rn.f32 \09%r43, %r2, %r42;\0A\09selp.f32 \09%r44, %r43, %r2, %p12;\0A\09shfl.sync.bfly.b32 \09%r45|%p13, %r44, 2, %r4, %r3;\0A\09mul.rn.f32 \09%r46, %r45, %r44;\0A\09selp.f32 \09%r47, %r46, %r44, %p13;\0A\09shfl.sync.bfly.b32 \09%r48|%p14, %r47, 4, %r4, %r3;\0A\09mul.rn.f32 \09%r49, %r48, %r47;\0A\09selp.f32 \09%r50, %r49, %r47, %p14;\0A\09shfl.sync.bfly.b32 \09%r51|%p15, %r50, 8, %r4, %r3;\0A\09mul.rn.f32 \09%r52, %r51, %r50;\0A\09selp.f32 \09%r53, %r52, %r50, %p15;\0A\09shfl.sync.bfly.b32 \09%r54|%p16, %r53, 16, %r4, %r3;\0A\09@%p1 bra \09$L__BB0_6;\0A\09mul.rn.f32 \09%r55, %r54, %r53;\0A\09selp.f32 \09%r6, %r55, %r53, %p16;\0A\09st.shared.b32 \09[__wg_main_kernel_1_$_0], %r6;\0A$L__BB0_6:\0A\09bar.sync \090;\0A\09@%p1 bra \09$L__BB0_8;\0A\09ld.shared.b32 \09%r56, [__wg_main_kernel_1_$_0];\0A\09shfl.sync.bfly.b32 \09%r57|%p17, %r56, 1, 0, 1;\0A\09mul.rn.f32 \09%r58, %r56, %r57;\0A\09selp.f32 \09%r59, %r58, %r56, %p17;\0A\09shfl.sync.bfly.b32 \09%r60|%p18, %r59, 2, 0, 1;\0A\09mul.rn.f32 \09%r61, %r60, %r59;\0A\09selp.f32 \09%r62, %r61, %r59, %p18;\0A\09shfl.sync.bfly.b32 \09%r63|%p19, %r62, 4, 0, 1;\0A\09mul.rn.f32 \09%r64, %r63, %r62;\0A\09selp.f32 \09%r65, %r64, %r62, %p19;\0A\09shfl.sync.bfly.b32 \09%r66|%p20, %r65, 8, 0, 1;\0A\09mul.rn.f32 \09%r67, %r66, %r65;\0A\09selp.f32 \09%r68, %r67, %r65, %p20;\0A\09shfl.sync.bfly.b32 \09%r69|%p21, %r68, 16, 0, 1;\0A\09mul.rn.f32 \09%r70, %r69, %r68;\0A\09selp.f32 \09%r71, %r70, %r68, %p21;\0A\09st.shared.b32 \09[__wg_main_kernel_1_$_0], %r71;\0A$L__BB0_8:\0A\09bar.sync \090;\0A\09ld.shared.b32 \09%r72, [__wg_main_kernel_1_$_0];\0A\09add.s64 \09%rd14, %rd2, %rd12;\0A\09st.global.b32 \09[%rd14], %r72;\0A\09ret;\0A\0A}\0A">]
  llvm.func @printMemrefF32(i64, !llvm.ptr) attributes {sym_visibility = "private"}
  llvm.func @mgpuMemHostRegisterMemRef(i64, !llvm.ptr, i64)
}

