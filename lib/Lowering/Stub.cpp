#include "ptxjit/Lowering/Passes.h"
namespace ptxjit {
std::unique_ptr<mlir::Pass> createPacketizePass(PacketizePassOptions){return nullptr;} std::unique_ptr<mlir::Pass> createPacketizePass(){return nullptr;}
std::unique_ptr<mlir::Pass> createLowerToLLVMPass(){return nullptr;} }
