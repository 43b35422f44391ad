// RUN: ptx-opt %s --split-input-file --verify-diagnostics
//
// The verifier asks the table that the parser of PTX asks.

ptx.func @modifier attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{modifier}}
  %c = ptx.add.int "wide.s32"(%a, %a) : (i32, i32) -> i32
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @missing attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{modifier}}
  %c = ptx.add.int ""(%a, %a) : (i32, i32) -> i32
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @operand_type attributes {params = [], results = []} {
  %a = ptx.sreg <gridid> : i64
  // expected-error @below {{operand}}
  %c = ptx.add.int "s32"(%a, %a) : (i64, i64) -> i32
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @result_type attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{result}}
  %c = ptx.add.int "s32"(%a, %a) : (i32, i32) -> i64
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @operand_count attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{operand}}
  %c = ptx.add.int "s32"(%a) : (i32) -> i32
  ptx.ret ""() : () -> ()
}
