// RUN: ptx-opt %s | ptx-opt | FileCheck %s

// CHECK-LABEL: ptx.func @instructions
ptx.func @instructions attributes {entry, params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  %b = ptx.sreg <ctaid.y> : i32
  // CHECK: ptx.add.int "s32"(%{{.*}}, %{{.*}}) : (i32, i32) -> i32
  %c = ptx.add.int "s32"(%a, %b) : (i32, i32) -> i32
  // CHECK: ptx.add.int "sat.s32"
  %d = ptx.add.int "sat.s32"(%c, %b) : (i32, i32) -> i32
  // The order of modifiers is free; it is printed as the ISA writes it.
  // CHECK: ptx.setp "lt.u32"
  %p = ptx.setp "u32.lt"(%c, %d) : (i32, i32) -> i1
  // CHECK: ptx.ret
  ptx.ret ""() : () -> ()
}

// CHECK: ptx.var @table {{.*}}bytes = 16
ptx.var @table {space = #ptx.space<global>, ty = #ptx.scalar<u32>, bytes = 16 : i64, align = 4 : i64}
