// RUN: ptx-opt %s --split-input-file --verify-diagnostics
//
// The verifier checks ops by the same table as the parser of PTX.

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

// -----

ptx.func @no_form attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{'mma.sync.aligned.m8n8k16.row.col.s32.f16.u8.s32' is no form of 'ptx.mma'}}
  %d:2 = ptx.mma "mma.sync.aligned.m8n8k16.row.col.s32.f16.u8.s32"(%a, %a, %a, %a) : (i32, i32, i32, i32) -> (i32, i32)
  ptx.ret ""() : () -> ()
}

// -----

// Types stand in the order of D, A, B and C.
ptx.func @order_of_types attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{is no form of 'ptx.mma'}}
  %d:2 = ptx.mma "mma.sync.aligned.m8n8k16.row.col.u8.s32.s8.s32"(%a, %a, %a, %a) : (i32, i32, i32, i32) -> (i32, i32)
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @other_opcode attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{'movmatrix.sync.aligned.m8n8.trans.b16' is no form of 'ptx.mma'}}
  %d = ptx.mma "movmatrix.sync.aligned.m8n8.trans.b16"(%a) : (i32) -> i32
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @fragment_size attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{'mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32' is no form with as many operands}}
  %d:2 = ptx.mma "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32"(%a, %a, %a) : (i32, i32, i32) -> (i32, i32)
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @attributes_of_no_form attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{modifiers fit no form of the instruction}}
  %d = "ptx.movmatrix"(%a) {operandSegmentSizes = array<i32: 1, 0>, shape = #ptx.tile_shape<m16n16>, trans, ty = #ptx.tile_type<b16>} : (i32) -> i32
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @selector_out_of_range attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{is no form}}
  %d = ptx.video "vadd.u32.u32.u32"(%a, %a) {selectors = [#ptx.selector<32>, #ptx.selector<8, 4>, #ptx.selector<32>]} : (i32, i32) -> i32
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @too_few_selectors attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{is no form}}
  %d = ptx.video "vadd.u32.u32.u32"(%a, %a) {selectors = [#ptx.selector<8, 1>]} : (i32, i32) -> i32
  ptx.ret ""() : () -> ()
}

// -----

ptx.func @minus_where_none_may_be attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{is no form}}
  %d = ptx.video "vadd.u32.u32.u32"(%a, %a) {negated = array<i1: false, true, false>} : (i32, i32) -> i32
  ptx.ret ""() : () -> ()
}

// -----

// An instruction with an op of its own must not be a `ptx.unlowered`.
ptx.func @unlowered attributes {params = [], results = []} {
  %a = ptx.sreg <tid.x> : i32
  // expected-error @below {{'movmatrix.sync.aligned.m8n8.trans.b16' is no form with as many operands}}
  %d = ptx.unlowered "movmatrix.sync.aligned.m8n8.trans.b16"(%a) : (i32) -> i32
  ptx.ret ""() : () -> ()
}
