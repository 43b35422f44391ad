module attributes {gpu.container_module} {
  llvm.func @malloc(i64) -> !llvm.ptr
  llvm.func @main() {
    %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %1 = llvm.mlir.zero : !llvm.ptr
    %2 = llvm.mlir.constant(2 : index) : i64
    %3 = llvm.mlir.constant(1 : index) : i64
    %4 = llvm.mlir.constant(42 : i32) : i32
    %5 = llvm.mlir.constant(0 : index) : i64
    %6 = builtin.unrealized_conversion_cast %2 : i64 to index
    %7 = llvm.getelementptr %1[2] : (!llvm.ptr) -> !llvm.ptr, i32
    %8 = llvm.ptrtoint %7 : !llvm.ptr to i64
    %9 = llvm.call @malloc(%8) : (i64) -> !llvm.ptr
    %10 = llvm.insertvalue %9, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %11 = llvm.insertvalue %9, %10[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %12 = llvm.insertvalue %5, %11[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %13 = llvm.insertvalue %2, %12[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %14 = llvm.insertvalue %3, %13[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
    %15 = builtin.unrealized_conversion_cast %14 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xi32>
    %16 = llvm.alloca %3 x !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> : (i64) -> !llvm.ptr
    llvm.store %14, %16 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, !llvm.ptr
    %17 = llvm.getelementptr %1[1] : (!llvm.ptr) -> !llvm.ptr, i32
    %18 = llvm.ptrtoint %17 : !llvm.ptr to i64
    llvm.call @mgpuMemHostRegisterMemRef(%3, %16, %18) : (i64, !llvm.ptr, i64) -> ()
    llvm.store %4, %9 : i32, !llvm.ptr
    %19 = llvm.getelementptr inbounds|nuw %9[1] : (!llvm.ptr) -> !llvm.ptr, i32
    llvm.store %4, %19 : i32, !llvm.ptr
    %token, %bodyResults = async.execute -> !async.value<!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>> {
      %memref = gpu.alloc  (%6) : memref<?xi32>
      %20 = builtin.unrealized_conversion_cast %memref : memref<?xi32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      gpu.memcpy  %memref, %15 : memref<?xi32>, memref<?xi32>
      async.yield %20 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    }
    %token_0, %bodyResults_1 = async.execute [%token] (%bodyResults as %arg0: !async.value<!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>>) -> !async.value<!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>> {
      %20 = builtin.unrealized_conversion_cast %arg0 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xi32>
      %memref = gpu.alloc  (%6) : memref<?xi32>
      %21 = builtin.unrealized_conversion_cast %memref : memref<?xi32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      gpu.memcpy  %memref, %20 : memref<?xi32>, memref<?xi32>
      async.yield %21 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    }
    %token_2, %bodyResults_3 = async.execute [%token] (%bodyResults as %arg0: !async.value<!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>>) -> !async.value<!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>> {
      %20 = builtin.unrealized_conversion_cast %arg0 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xi32>
      %memref = gpu.alloc  (%6) : memref<?xi32>
      %21 = builtin.unrealized_conversion_cast %memref : memref<?xi32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      gpu.memcpy  %memref, %20 : memref<?xi32>, memref<?xi32>
      async.yield %21 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    }
    %token_4 = async.execute [%token_0, %token_2] (%bodyResults_1 as %arg0: !async.value<!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>>, %bodyResults_3 as %arg1: !async.value<!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>>) {
      %20 = llvm.extractvalue %arg0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %21 = llvm.extractvalue %arg0[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %22 = llvm.extractvalue %arg0[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %23 = llvm.extractvalue %arg0[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %24 = llvm.extractvalue %arg0[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %25 = llvm.extractvalue %arg1[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %26 = llvm.extractvalue %arg1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %27 = llvm.extractvalue %arg1[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %28 = llvm.extractvalue %arg1[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %29 = llvm.extractvalue %arg1[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      gpu.launch_func  @main_kernel::@main_kernel blocks in (%3, %3, %3) threads in (%2, %3, %3) : i64 args(%20 : !llvm.ptr, %21 : !llvm.ptr, %22 : i64, %23 : i64, %24 : i64, %25 : !llvm.ptr, %26 : !llvm.ptr, %27 : i64, %28 : i64, %29 : i64, %9 : !llvm.ptr, %9 : !llvm.ptr, %5 : i64, %2 : i64, %3 : i64)
      async.yield
    }
    async.await %token_4 : !async.token
    llvm.call @printMemrefI32(%3, %16) : (i64, !llvm.ptr) -> ()
    llvm.return
  }
  gpu.binary @main_kernel  [#gpu.object<#nvvm.target<chip = "sm_80", features = "+ptx80">, properties = {LLVMIRToISATimeInMs = 1 : i64, O = 2 : i32}, assembly = "//\0A// Generated by LLVM NVPTX Back-End\0A//\0A\0A.version 8.0\0A.target sm_80\0A.address_size 64\0A\0A\09// .globl\09main_kernel\0A\0A.visible .entry main_kernel(\0A\09.param .u64 .ptr .align 1 main_kernel_param_0,\0A\09.param .u64 .ptr .align 1 main_kernel_param_1,\0A\09.param .u64 main_kernel_param_2,\0A\09.param .u64 main_kernel_param_3,\0A\09.param .u64 main_kernel_param_4,\0A\09.param .u64 .ptr .align 1 main_kernel_param_5,\0A\09.param .u64 .ptr .align 1 main_kernel_param_6,\0A\09.param .u64 main_kernel_param_7,\0A\09.param .u64 main_kernel_param_8,\0A\09.param .u64 main_kernel_param_9,\0A\09.param .u64 .ptr .align 1 main_kernel_param_10,\0A\09.param .u64 .ptr .align 1 main_kernel_param_11,\0A\09.param .u64 main_kernel_param_12,\0A\09.param .u64 main_kernel_param_13,\0A\09.param .u64 main_kernel_param_14\0A)\0A.maxntid 2, 1, 1\0A{\0A\09.reg .b32 \09%r<5>;\0A\09.reg .b64 \09%rd<11>;\0A\0A\09ld.param.b64 \09%rd1, [main_kernel_param_1];\0A\09cvta.to.global.u64 \09%rd2, %rd1;\0A\09ld.param.b64 \09%rd3, [main_kernel_param_6];\0A\09cvta.to.global.u64 \09%rd4, %rd3;\0A\09ld.param.b64 \09%rd5, [main_kernel_param_11];\0A\09cvta.to.global.u64 \09%rd6, %rd5;\0A\09mov.u32 \09%r1, %tid.x;\0A\09mul.wide.u32 \09%rd7, %r1, 4;\0A\09add.s64 \09%rd8, %rd2, %rd7;\0A\09ld.global.b32 \09%r2, [%rd8];\0A\09add.s64 \09%rd9, %rd4, %rd7;\0A\09ld.global.b32 \09%r3, [%rd9];\0A\09add.s32 \09%r4, %r3, %r2;\0A\09add.s64 \09%rd10, %rd6, %rd7;\0A\09st.global.b32 \09[%rd10], %r4;\0A\09ret;\0A\0A}\0A">]
  llvm.func @printMemrefI32(i64, !llvm.ptr) attributes {sym_visibility = "private"}
  llvm.func @mgpuMemHostRegisterMemRef(i64, !llvm.ptr, i64)
}

