// RUN: ptx-opt %s --split-input-file --verify-diagnostics --ptx-lower-to-llvm

// A full conversion: an op that no pattern lowers is an error, with its line.
llvm.func @leftover() -> i32 {
  // expected-error @below {{failed to legalize operation 'ptx.undef'}}
  %a = ptx.undef : i32
  llvm.return %a : i32
}
