module attributes {gpu.container_module} {
  llvm.func @malloc(i64) -> !llvm.ptr
  llvm.func @main() {
    %0 = llvm.mlir.constant(2 : index) : i64
    %1 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %2 = llvm.mlir.zero : !llvm.ptr
    %3 = llvm.mlir.constant(1.000000e+00 : f16) : f16
    %4 = llvm.mlir.constant(0.000000e+00 : f32) : f32
    %5 = llvm.mlir.constant(0 : index) : i64
    %6 = llvm.mlir.constant(16 : index) : i64
    %7 = llvm.mlir.constant(32 : index) : i64
    %8 = llvm.mlir.constant(1 : index) : i64
    %9 = llvm.getelementptr %2[256] : (!llvm.ptr) -> !llvm.ptr, f16
    %10 = llvm.ptrtoint %9 : !llvm.ptr to i64
    %11 = llvm.call @malloc(%10) : (i64) -> !llvm.ptr
    %12 = llvm.insertvalue %11, %1[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %13 = llvm.insertvalue %11, %12[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %14 = llvm.insertvalue %5, %13[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %15 = llvm.insertvalue %6, %14[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %16 = llvm.insertvalue %6, %15[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %17 = llvm.insertvalue %6, %16[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %18 = llvm.insertvalue %8, %17[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %19 = llvm.getelementptr %2[256] : (!llvm.ptr) -> !llvm.ptr, f32
    %20 = llvm.ptrtoint %19 : !llvm.ptr to i64
    %21 = llvm.call @malloc(%20) : (i64) -> !llvm.ptr
    %22 = llvm.insertvalue %21, %1[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %23 = llvm.insertvalue %21, %22[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %24 = llvm.insertvalue %5, %23[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %25 = llvm.insertvalue %6, %24[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %26 = llvm.insertvalue %6, %25[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %27 = llvm.insertvalue %6, %26[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %28 = llvm.insertvalue %8, %27[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    llvm.br ^bb1(%5 : i64)
  ^bb1(%29: i64):  // 2 preds: ^bb0, ^bb4
    %30 = llvm.icmp "slt" %29, %6 : i64
    llvm.cond_br %30, ^bb2(%5 : i64), ^bb5(%5 : i64)
  ^bb2(%31: i64):  // 2 preds: ^bb1, ^bb3
    %32 = llvm.icmp "slt" %31, %6 : i64
    llvm.cond_br %32, ^bb3, ^bb4
  ^bb3:  // pred: ^bb2
    %33 = llvm.mul %29, %6 overflow<nsw, nuw> : i64
    %34 = llvm.add %33, %31 overflow<nsw, nuw> : i64
    %35 = llvm.getelementptr inbounds|nuw %11[%34] : (!llvm.ptr, i64) -> !llvm.ptr, f16
    llvm.store %3, %35 : f16, !llvm.ptr
    %36 = llvm.add %31, %8 : i64
    llvm.br ^bb2(%36 : i64)
  ^bb4:  // pred: ^bb2
    %37 = llvm.add %29, %8 : i64
    llvm.br ^bb1(%37 : i64)
  ^bb5(%38: i64):  // 2 preds: ^bb1, ^bb8
    %39 = llvm.icmp "slt" %38, %6 : i64
    llvm.cond_br %39, ^bb6(%5 : i64), ^bb9
  ^bb6(%40: i64):  // 2 preds: ^bb5, ^bb7
    %41 = llvm.icmp "slt" %40, %6 : i64
    llvm.cond_br %41, ^bb7, ^bb8
  ^bb7:  // pred: ^bb6
    %42 = llvm.mul %38, %6 overflow<nsw, nuw> : i64
    %43 = llvm.add %42, %40 overflow<nsw, nuw> : i64
    %44 = llvm.getelementptr inbounds|nuw %21[%43] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %4, %44 : f32, !llvm.ptr
    %45 = llvm.add %40, %8 : i64
    llvm.br ^bb6(%45 : i64)
  ^bb8:  // pred: ^bb6
    %46 = llvm.add %38, %8 : i64
    llvm.br ^bb5(%46 : i64)
  ^bb9:  // pred: ^bb5
    %47 = llvm.alloca %8 x !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %18, %47 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, !llvm.ptr
    %48 = llvm.alloca %8 x !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %28, %48 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, !llvm.ptr
    %49 = llvm.getelementptr %2[1] : (!llvm.ptr) -> !llvm.ptr, f16
    %50 = llvm.ptrtoint %49 : !llvm.ptr to i64
    llvm.call @mgpuMemHostRegisterMemRef(%0, %47, %50) : (i64, !llvm.ptr, i64) -> ()
    %51 = llvm.getelementptr %2[1] : (!llvm.ptr) -> !llvm.ptr, f32
    %52 = llvm.ptrtoint %51 : !llvm.ptr to i64
    llvm.call @mgpuMemHostRegisterMemRef(%0, %48, %52) : (i64, !llvm.ptr, i64) -> ()
    gpu.launch_func  @main_kernel::@main_kernel blocks in (%8, %8, %8) threads in (%7, %8, %8) : i64 args(%11 : !llvm.ptr, %11 : !llvm.ptr, %5 : i64, %6 : i64, %6 : i64, %6 : i64, %8 : i64, %5 : i64, %21 : !llvm.ptr, %21 : !llvm.ptr, %5 : i64, %6 : i64, %6 : i64, %6 : i64, %8 : i64)
    llvm.call @printMemrefF32(%0, %48) : (i64, !llvm.ptr) -> ()
    llvm.return
  }
  gpu.binary @main_kernel  [#gpu.object<#nvvm.target<chip = "sm_80", features = "+ptx80">, properties = {LLVMIRToISATimeInMs = 1 : i64, O = 2 : i32}, assembly = "//\0A// Generated by LLVM NVPTX Back-End\0A//\0A\0A.version 8.0\0A.target sm_80\0A.address_size 64\0A\0A\09// .globl\09main_kernel\0A\0A.visible .entry main_kernel(\0A\09.param .u64 .ptr .align 1 main_kernel_param_0,\0A\09.param .u64 .ptr .align 1 main_kernel_param_1,\0A\09.param .u64 main_kernel_param_2,\0A\09.param .u64 main_kernel_param_3,\0A\09.param .u64 main_kernel_param_4,\0A\09.param .u64 main_kernel_param_5,\0A\09.param .u64 main_kernel_param_6,\0A\09.param .u64 main_kernel_param_7,\0A\09.param .u64 .ptr .align 1 main_kernel_param_8,\0A\09.param .u64 .ptr .align 1 main_kernel_param_9,\0A\09.param .u64 main_kernel_param_10,\0A\09.param .u64 main_kernel_param_11,\0A\09.param .u64 main_kernel_param_12,\0A\09.param .u64 main_kernel_param_13,\0A\09.param .u64 main_kernel_param_14\0A)\0A.maxntid 32, 1, 1\0A{\0A\09.reg .b32 \09%r<34>;\0A\09.reg .b64 \09%rd<9>;\0A\0A\09ld.param.b64 \09%rd1, [main_kernel_param_7];\0A\09mul.lo.s64 \09%rd2, %rd1, 17;\0A\09ld.param.b64 \09%rd3, [main_kernel_param_1];\0A\09shl.b64 \09%rd4, %rd2, 1;\0A\09add.s64 \09%rd5, %rd3, %rd4;\0A\09mov.b32 \09%r1, 16;\0A\09wmma.load.a.sync.aligned.row.m16n16k16.f16 \09{%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%rd5], %r1;\0A\09wmma.load.b.sync.aligned.row.m16n16k16.f16 \09{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd5], %r1;\0A\09shl.b64 \09%rd6, %rd2, 2;\0A\09ld.param.b64 \09%rd7, [main_kernel_param_9];\0A\09add.s64 \09%rd8, %rd7, %rd6;\0A\09wmma.load.c.sync.aligned.row.m16n16k16.f32 \09{%r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25}, [%rd8], %r1;\0A\09wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32\0A\09\09{%r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33},\0A\09\09{%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9},\0A\09\09{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17},\0A\09\09{%r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25};\0A\09wmma.store.d.sync.aligned.row.m16n16k16.f32 \09[%rd8],{%r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33}, %r1;\0A\09ret;\0A\0A}\0A">]
  llvm.func @printMemrefF32(i64, !llvm.ptr) attributes {sym_visibility = "private"}
  llvm.func @mgpuMemHostRegisterMemRef(i64, !llvm.ptr, i64)
}

