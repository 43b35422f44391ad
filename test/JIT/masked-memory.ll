; RUN: ptx-opt %s --cpu=x86-64-v3 --llvm-expand-masked-memory | FileCheck %s
; RUN: ptx-opt %s --cpu=x86-64-v4 --llvm-expand-masked-memory | FileCheck %s --check-prefix=AVX512
;
; Masked accesses that AVX2 does not have become one access for each lane. Lanes
; that are off access a stack slot, since branches would be mispredicted.

; AVX2 masks loads and stores of 32 and 64 bits.
; CHECK-LABEL: define <8 x i32> @has_it
; CHECK-NOT: alloca
; CHECK: call <8 x i32> @llvm.masked.load
; CHECK-NEXT: call void @llvm.masked.store
; CHECK-NEXT: ret
define <8 x i32> @has_it(ptr %p, <8 x i1> %mask) {
  %v = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> zeroinitializer)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %p, <8 x i1> %mask)
  ret <8 x i32> %v
}

; It has no masked loads of 16 bits: one test for all lanes, then a load each.
; AVX512-LABEL: define <4 x i16> @load
; AVX512-NEXT: call <4 x i16> @llvm.masked.load
; CHECK-LABEL: define <4 x i16> @load
; CHECK: %[[SLOT:.*]] = alloca i128, align 16
; CHECK-NEXT: %[[BITS:.*]] = bitcast <4 x i1> %mask to i4
; CHECK-NEXT: %[[ANY:.*]] = icmp ne i4 %[[BITS]], 0
; CHECK-NEXT: br i1 %[[ANY]], label %[[THEN:.*]], label %[[END:.*]]
; CHECK: [[THEN]]:
; CHECK: getelementptr inbounds i16, ptr %p, i32 3
; CHECK: insertelement <4 x ptr> poison, ptr %[[SLOT]]
; CHECK: %[[PLACES:.*]] = select <4 x i1> %mask, <4 x ptr>
; CHECK-NEXT: %[[FIRST:.*]] = extractelement <4 x ptr> %[[PLACES]], i64 0
; CHECK-NEXT: load i16, ptr %[[FIRST]], align 2
; CHECK-COUNT-3: load i16, ptr %{{.*}}, align 2
; CHECK: %[[LOADED:.*]] = select <4 x i1> %mask, <4 x i16> %{{.*}}, <4 x i16> %others
; CHECK-NEXT: br label %[[END]]
; CHECK: [[END]]:
; CHECK-NEXT: %[[V:.*]] = phi <4 x i16> [ %others, %0 ], [ %[[LOADED]], %[[THEN]] ]
; CHECK-NEXT: ret <4 x i16> %[[V]]
define <4 x i16> @load(ptr %p, <4 x i1> %mask, <4 x i16> %others) {
  ; The first element is at a multiple of 8, the others are not.
  %v = call <4 x i16> @llvm.masked.load.v4i16.p0(ptr align 8 %p, <4 x i1> %mask, <4 x i16> %others)
  ret <4 x i16> %v
}

; Bytes that are stored where nothing is known of the address.
; AVX512-LABEL: define void @store
; AVX512-NEXT: call void @llvm.masked.store
; CHECK-LABEL: define void @store
; CHECK: br i1
; CHECK-COUNT-4: store i8 %{{.*}}, ptr %{{.*}}, align 1
; CHECK-NOT: store
; CHECK: ret void
define void @store(ptr %p, <4 x i1> %mask, <4 x i8> %value) {
  call void @llvm.masked.store.v4i8.p0(<4 x i8> %value, ptr align 1 %p, <4 x i1> %mask)
  ret void
}

; AVX2 has no scatters.
; AVX512-LABEL: define void @scatter
; AVX512-NEXT: call void @llvm.masked.scatter
; CHECK-LABEL: define void @scatter
; CHECK: br i1
; CHECK: %[[PLACES:.*]] = select <8 x i1> %mask, <8 x ptr> %p, <8 x ptr>
; CHECK: extractelement <8 x ptr> %[[PLACES]], i64 0
; CHECK-NEXT: %[[FIRST:.*]] = extractelement <8 x i32> %value, i64 0
; CHECK-NEXT: store i32 %[[FIRST]], ptr %{{.*}}, align 4
; CHECK-COUNT-7: store i32
; CHECK-NOT: masked.scatter
; CHECK: ret void
define void @scatter(<8 x ptr> %p, <8 x i1> %mask, <8 x i32> %value) {
  call void @llvm.masked.scatter.v8i32.v8p0(<8 x i32> %value, <8 x ptr> align 4 %p, <8 x i1> %mask)
  ret void
}

; Lanes of a constant mask are known: no slot, no test.
; CHECK-LABEL: define <4 x i8> @known_mask
; CHECK-NOT: br
; CHECK: %[[AT:.*]] = getelementptr inbounds i8, ptr %p, i32 2
; CHECK-NEXT: %[[BYTE:.*]] = load i8, ptr %[[AT]]
; CHECK-NEXT: %[[V:.*]] = insertelement <4 x i8> %others, i8 %[[BYTE]], i64 2
; CHECK-NEXT: ret <4 x i8> %[[V]]
define <4 x i8> @known_mask(ptr %p, <4 x i8> %others) {
  %v = call <4 x i8> @llvm.masked.load.v4i8.p0(ptr align 4 %p, <4 x i1> <i1 false, i1 false, i1 true, i1 false>, <4 x i8> %others)
  ret <4 x i8> %v
}
; CHECK-LABEL: define <4 x i8> @no_lane
; CHECK-NOT: load
; CHECK: ret <4 x i8> %others
define <4 x i8> @no_lane(ptr %p, <4 x i8> %others) {
  %v = call <4 x i8> @llvm.masked.load.v4i8.p0(ptr align 4 %p, <4 x i1> zeroinitializer, <4 x i8> %others)
  ret <4 x i8> %v
}

; Two in one block, the second of what the first loads: both share a slot, and
; they stay in order.
; CHECK-LABEL: define void @copy
; CHECK: alloca i128
; CHECK-NOT: alloca
; CHECK: br i1
; CHECK-COUNT-4: load i8
; CHECK: %[[V:.*]] = phi <4 x i8>
; CHECK: br i1
; CHECK: extractelement <4 x i8> %[[V]], i64 0
; CHECK-NEXT: store i8
; CHECK: ret void
define void @copy(ptr %p, ptr %q, <4 x i1> %mask) {
  %v = call <4 x i8> @llvm.masked.load.v4i8.p0(ptr align 1 %p, <4 x i1> %mask, <4 x i8> zeroinitializer)
  call void @llvm.masked.store.v4i8.p0(<4 x i8> %v, ptr align 1 %q, <4 x i1> %mask)
  ret void
}

; A function without masked accesses gets no slot.
; CHECK-LABEL: define i32 @plain
; CHECK-NEXT: load i32
define i32 @plain(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

; Where there are many gathers, the CPU's own are used: they are smaller.
; CHECK-LABEL: define <8 x i32> @many_gathers
; CHECK-COUNT-16: call <8 x i32> @llvm.masked.gather
; CHECK: ret
define <8 x i32> @many_gathers(<8 x ptr> %p, <8 x i1> %mask) {
  %v0 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> zeroinitializer)
  %v1 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v0)
  %v2 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v1)
  %v3 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v2)
  %v4 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v3)
  %v5 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v4)
  %v6 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v5)
  %v7 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v6)
  %v8 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v7)
  %v9 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v8)
  %v10 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v9)
  %v11 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v10)
  %v12 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v11)
  %v13 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v12)
  %v14 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v13)
  %v15 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %p, <8 x i1> %mask, <8 x i32> %v14)
  ret <8 x i32> %v15
}

; Lanes that are all on take each index by itself, which the CPU adds to the base.
; AVX512-LABEL: define void @indexed
; AVX512: call void @llvm.masked.scatter
; CHECK-LABEL: define void @indexed
; CHECK: %[[I:.*]] = extractelement <4 x i32> %index, i64 0
; CHECK-NEXT: %[[W:.*]] = sext i32 %[[I]] to i64
; CHECK-NEXT: %[[AT:.*]] = getelementptr i32, ptr %base, i64 %[[W]]
; CHECK: store i32 %{{.*}}, ptr %[[AT]], align 4
; CHECK-COUNT-3: sext i32
define void @indexed(ptr %base, <4 x i32> %index, <4 x i32> %v) {
  %wide = sext <4 x i32> %index to <4 x i64>
  %at = getelementptr i32, ptr %base, <4 x i64> %wide
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %at, <4 x i1> splat (i1 true))
  ret void
}
