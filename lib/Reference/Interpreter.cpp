#include "ptxjit/Reference/Interpreter.h"
using namespace mlir;
LogicalResult ptxjit::interpret(ModuleOp, llvm::StringRef, const PtxjitReferenceLaunch &) { return failure(); }
