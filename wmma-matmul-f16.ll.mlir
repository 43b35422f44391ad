module attributes {gpu.container_module} {
  llvm.func @malloc(i64) -> !llvm.ptr
  llvm.func @main() {
    %0 = llvm.mlir.constant(2 : index) : i64
    %1 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %2 = llvm.mlir.zero : !llvm.ptr
    %3 = llvm.mlir.constant(0.000000e+00 : f16) : f16
    %4 = llvm.mlir.constant(0 : index) : i64
    %5 = llvm.mlir.constant(16 : index) : i64
    %6 = llvm.mlir.constant(32 : index) : i64
    %7 = llvm.mlir.constant(1 : index) : i64
    %8 = llvm.getelementptr %2[256] : (!llvm.ptr) -> !llvm.ptr, f16
    %9 = llvm.ptrtoint %8 : !llvm.ptr to i64
    %10 = llvm.call @malloc(%9) : (i64) -> !llvm.ptr
    %11 = llvm.insertvalue %10, %1[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %12 = llvm.insertvalue %10, %11[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %13 = llvm.insertvalue %4, %12[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %14 = llvm.insertvalue %5, %13[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %15 = llvm.insertvalue %5, %14[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %16 = llvm.insertvalue %5, %15[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %17 = llvm.insertvalue %7, %16[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %18 = llvm.call @malloc(%9) : (i64) -> !llvm.ptr
    %19 = llvm.insertvalue %18, %1[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %20 = llvm.insertvalue %18, %19[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %21 = llvm.insertvalue %4, %20[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %22 = llvm.insertvalue %5, %21[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %23 = llvm.insertvalue %5, %22[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %24 = llvm.insertvalue %5, %23[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %25 = llvm.insertvalue %7, %24[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %26 = llvm.getelementptr %2[256] : (!llvm.ptr) -> !llvm.ptr, f32
    %27 = llvm.ptrtoint %26 : !llvm.ptr to i64
    %28 = llvm.call @malloc(%27) : (i64) -> !llvm.ptr
    %29 = llvm.insertvalue %28, %1[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %30 = llvm.insertvalue %28, %29[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %31 = llvm.insertvalue %4, %30[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %32 = llvm.insertvalue %5, %31[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %33 = llvm.insertvalue %5, %32[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %34 = llvm.insertvalue %5, %33[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    %35 = llvm.insertvalue %7, %34[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> 
    llvm.br ^bb1(%4 : i64)
  ^bb1(%36: i64):  // 2 preds: ^bb0, ^bb4
    %37 = llvm.icmp "slt" %36, %5 : i64
    llvm.cond_br %37, ^bb2(%4 : i64), ^bb5(%4 : i64)
  ^bb2(%38: i64):  // 2 preds: ^bb1, ^bb3
    %39 = llvm.icmp "slt" %38, %5 : i64
    llvm.cond_br %39, ^bb3, ^bb4
  ^bb3:  // pred: ^bb2
    %40 = llvm.trunc %38 : i64 to i16
    %41 = llvm.sitofp %40 : i16 to f16
    %42 = llvm.mul %36, %5 overflow<nsw, nuw> : i64
    %43 = llvm.add %42, %38 overflow<nsw, nuw> : i64
    %44 = llvm.getelementptr inbounds|nuw %10[%43] : (!llvm.ptr, i64) -> !llvm.ptr, f16
    llvm.store %41, %44 : f16, !llvm.ptr
    %45 = llvm.add %38, %7 : i64
    llvm.br ^bb2(%45 : i64)
  ^bb4:  // pred: ^bb2
    %46 = llvm.add %36, %7 : i64
    llvm.br ^bb1(%46 : i64)
  ^bb5(%47: i64):  // 2 preds: ^bb1, ^bb8
    %48 = llvm.icmp "slt" %47, %5 : i64
    llvm.cond_br %48, ^bb6(%4 : i64), ^bb9
  ^bb6(%49: i64):  // 2 preds: ^bb5, ^bb7
    %50 = llvm.icmp "slt" %49, %5 : i64
    llvm.cond_br %50, ^bb7, ^bb8
  ^bb7:  // pred: ^bb6
    %51 = llvm.mul %47, %5 overflow<nsw, nuw> : i64
    %52 = llvm.add %51, %49 overflow<nsw, nuw> : i64
    %53 = llvm.getelementptr inbounds|nuw %18[%52] : (!llvm.ptr, i64) -> !llvm.ptr, f16
    llvm.store %3, %53 : f16, !llvm.ptr
    %54 = llvm.add %49, %7 : i64
    llvm.br ^bb6(%54 : i64)
  ^bb8:  // pred: ^bb6
    %55 = llvm.add %47, %7 : i64
    llvm.br ^bb5(%55 : i64)
  ^bb9:  // pred: ^bb5
    %56 = llvm.alloca %7 x !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %17, %56 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, !llvm.ptr
    %57 = llvm.alloca %7 x !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %25, %57 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, !llvm.ptr
    %58 = llvm.alloca %7 x !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %35, %58 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, !llvm.ptr
    %59 = llvm.getelementptr %2[1] : (!llvm.ptr) -> !llvm.ptr, f16
    %60 = llvm.ptrtoint %59 : !llvm.ptr to i64
    llvm.call @mgpuMemHostRegisterMemRef(%0, %56, %60) : (i64, !llvm.ptr, i64) -> ()
    llvm.call @mgpuMemHostRegisterMemRef(%0, %57, %60) : (i64, !llvm.ptr, i64) -> ()
    gpu.launch_func  @main_kernel::@main_kernel blocks in (%7, %7, %7) threads in (%6, %7, %7) : i64 args(%10 : !llvm.ptr, %10 : !llvm.ptr, %4 : i64, %5 : i64, %5 : i64, %5 : i64, %7 : i64, %4 : i64, %18 : !llvm.ptr, %18 : !llvm.ptr, %4 : i64, %5 : i64, %5 : i64, %5 : i64, %7 : i64)
    llvm.br ^bb10(%4 : i64)
  ^bb10(%61: i64):  // 2 preds: ^bb9, ^bb13
    %62 = llvm.icmp "slt" %61, %5 : i64
    llvm.cond_br %62, ^bb11(%4 : i64), ^bb14
  ^bb11(%63: i64):  // 2 preds: ^bb10, ^bb12
    %64 = llvm.icmp "slt" %63, %5 : i64
    llvm.cond_br %64, ^bb12, ^bb13
  ^bb12:  // pred: ^bb11
    %65 = llvm.mul %61, %5 overflow<nsw, nuw> : i64
    %66 = llvm.add %65, %63 overflow<nsw, nuw> : i64
    %67 = llvm.getelementptr inbounds|nuw %10[%66] : (!llvm.ptr, i64) -> !llvm.ptr, f16
    %68 = llvm.load %67 : !llvm.ptr -> f16
    %69 = llvm.fpext %68 : f16 to f32
    %70 = llvm.getelementptr inbounds|nuw %28[%66] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %69, %70 : f32, !llvm.ptr
    %71 = llvm.add %63, %7 : i64
    llvm.br ^bb11(%71 : i64)
  ^bb13:  // pred: ^bb11
    %72 = llvm.add %61, %7 : i64
    llvm.br ^bb10(%72 : i64)
  ^bb14:  // pred: ^bb10
    llvm.call @printMemrefF32(%0, %58) : (i64, !llvm.ptr) -> ()
    llvm.return
  }
  gpu.binary @main_kernel  [#gpu.object<#nvvm.target<chip = "sm_80", features = "+ptx80">, properties = {LLVMIRToISATimeInMs = 2 : i64, O = 2 : i32}, assembly = "//\0A// Generated by LLVM NVPTX Back-End\0A//\0A\0A.version 8.0\0A.target sm_80\0A.address_size 64\0A\0A\09// .globl\09main_kernel\0A\0A.visible .entry main_kernel(\0A\09.param .u64 .ptr .align 1 main_kernel_param_0,\0A\09.param .u64 .ptr .align 1 main_kernel_param_1,\0A\09.param .u64 main_kernel_param_2,\0A\09.param .u64 main_kernel_param_3,\0A\09.param .u64 main_kernel_param_4,\0A\09.param .u64 main_kernel_param_5,\0A\09.param .u64 main_kernel_param_6,\0A\09.param .u64 main_kernel_param_7,\0A\09.param .u64 .ptr .align 1 main_kernel_param_8,\0A\09.param .u64 .ptr .align 1 main_kernel_param_9,\0A\09.param .u64 main_kernel_param_10,\0A\09.param .u64 main_kernel_param_11,\0A\09.param .u64 main_kernel_param_12,\0A\09.param .u64 main_kernel_param_13,\0A\09.param .u64 main_kernel_param_14\0A)\0A.maxntid 32, 1, 1\0A{\0A\09.reg .b32 \09%r<26>;\0A\09.reg .b64 \09%rd<7>;\0A\0A\09ld.param.b64 \09%rd1, [main_kernel_param_1];\0A\09ld.param.b64 \09%rd2, [main_kernel_param_7];\0A\09mul.lo.s64 \09%rd3, %rd2, 34;\0A\09add.s64 \09%rd4, %rd1, %rd3;\0A\09mov.b32 \09%r1, 16;\0A\09wmma.load.a.sync.aligned.col.m16n16k16.f16 \09{%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%rd4], %r1;\0A\09wmma.load.b.sync.aligned.row.m16n16k16.f16 \09{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd4], %r1;\0A\09ld.param.b64 \09%rd5, [main_kernel_param_9];\0A\09add.s64 \09%rd6, %rd5, %rd3;\0A\09wmma.load.c.sync.aligned.row.m16n16k16.f16 \09{%r18, %r19, %r20, %r21}, [%rd6], %r1;\0A\09wmma.mma.sync.aligned.col.row.m16n16k16.f16.f16\0A\09\09{%r22, %r23, %r24, %r25},\0A\09\09{%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9},\0A\09\09{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17},\0A\09\09{%r18, %r19, %r20, %r21};\0A\09wmma.store.d.sync.aligned.row.m16n16k16.f16 \09[%rd4],{%r22, %r23, %r24, %r25}, %r1;\0A\09ret;\0A\0A}\0A">]
  llvm.func @printMemrefF32(i64, !llvm.ptr) attributes {sym_visibility = "private"}
  llvm.func @mgpuMemHostRegisterMemRef(i64, !llvm.ptr, i64)
}

