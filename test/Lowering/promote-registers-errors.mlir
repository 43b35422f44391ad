// RUN: ptx-opt %s --split-input-file --verify-diagnostics --ptx-promote-registers

// Guards have to be expanded before.
ptx.func @guarded attributes {params = [], results = []} {
  %p = ptx.sreg <is_explicit_cluster> : i1
  %a = ptx.sreg <tid.x> : i32
  %r = ptx.reg "%r" : <i32>
  // expected-error @below {{'ptx.guard' op registers inside regions cannot be promoted}}
  ptx.guard %p {
    ptx.write %a, %r : <i32>
  }
  ptx.ret ""() : () -> ()
}
