// RUN: ptx-opt %s --ptx-expand-guards | FileCheck %s

// CHECK-LABEL: ptx.func @pure
ptx.func @pure attributes {params = [], results = []} {
  %p = ptx.sreg <is_explicit_cluster> : i1
  %a = ptx.sreg <tid.x> : i32
  %r = ptx.reg "%r" : <i32>
  // CHECK: %[[NEW:.*]] = ptx.add.int "u32"
  // CHECK: %[[OLD:.*]] = ptx.read
  // CHECK: %[[PICK:.*]] = arith.select %{{.*}}, %[[NEW]], %[[OLD]]
  // CHECK: ptx.write %[[PICK]]
  // CHECK-NOT: scf.if
  ptx.guard %p {
    %b = ptx.add.int "u32"(%a, %a) : (i32, i32) -> i32
    ptx.write %b, %r : <i32>
  }
  ptx.ret ""() : () -> ()
}

// CHECK-LABEL: ptx.func @effects
ptx.func @effects attributes {params = [], results = []} {
  %p = ptx.sreg <is_explicit_cluster> : i1
  %v = ptx.sreg <tid.x> : i32
  %a = ptx.sreg <gridid> : i64
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: ptx.st "global.u32"
  ptx.guard %p {
    ptx.st "global.u32"(%a, %v) {operandSegmentSizes = array<i32: 1, 1, 0>} : (i64, i32) -> ()
  }
  ptx.ret ""() : () -> ()
}
