//===- ChunkBuilder.cpp - build vector code for one chunk -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace ptxjit;

Type ChunkBuilder::vec(Type element) const {
  return lanes ? Type(VectorType::get(lanes, element)) : element;
}
Type ChunkBuilder::elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}
unsigned ChunkBuilder::widthOf(Value value) {
  return elementOf(value).getIntOrFloatBitWidth();
}

static Value constantOf(const ChunkBuilder &c, TypedAttr element) {
  if (!c.lanes)
    return arith::ConstantOp::create(c.b, c.loc, element);
  auto type = VectorType::get(c.lanes, element.getType());
  return arith::ConstantOp::create(c.b, c.loc,
                                   DenseElementsAttr::get(type, element));
}
Value ChunkBuilder::intConstant(unsigned width, uint64_t value) const {
  return constantOf(*this, b.getIntegerAttr(b.getIntegerType(width),
                                            APInt(width, value, false, true)));
}
Value ChunkBuilder::floatConstant(Type element, double value) const {
  return constantOf(*this, b.getFloatAttr(element, value));
}
Value ChunkBuilder::zero(Type element) const {
  return constantOf(*this, cast<TypedAttr>(b.getZeroAttr(element)));
}
Value ChunkBuilder::splat(Value scalar) const {
  if (!lanes)
    return scalar;
  // A mask of AVX-512 comes from a scalar register. LLVM would broadcast the
  // first lane of a mask through three vectors.
  if (target.scatters && lanes >= 8 && scalar.getType().isInteger(1) &&
      !matchPattern(scalar, m_Constant())) {
    Value bits = make<arith::ExtSIOp>(b.getIntegerType(lanes), scalar);
    return make<LLVM::BitcastOp>(vec(scalar.getType()), bits);
  }
  return vector::BroadcastOp::create(b, loc, vec(scalar.getType()), scalar);
}

Value ChunkBuilder::add(Value x, Value y) const {
  return make<arith::AddIOp>(x, y);
}
Value ChunkBuilder::sub(Value x, Value y) const {
  return make<arith::SubIOp>(x, y);
}
Value ChunkBuilder::mul(Value x, Value y) const {
  return make<arith::MulIOp>(x, y);
}
Value ChunkBuilder::bitAnd(Value x, Value y) const {
  return make<arith::AndIOp>(x, y);
}
Value ChunkBuilder::bitOr(Value x, Value y) const {
  return make<arith::OrIOp>(x, y);
}
Value ChunkBuilder::bitXor(Value x, Value y) const {
  return make<arith::XOrIOp>(x, y);
}
Value ChunkBuilder::bitNot(Value x) const {
  return bitXor(x, intConstant(widthOf(x), ~uint64_t(0)));
}
Value ChunkBuilder::shl(Value x, Value y) const {
  return make<arith::ShLIOp>(x, y);
}
Value ChunkBuilder::shr(Value x, Value y, bool isSigned) const {
  return isSigned ? make<arith::ShRSIOp>(x, y) : make<arith::ShRUIOp>(x, y);
}
Value ChunkBuilder::shlBy(Value x, unsigned amount) const {
  return shl(x, intConstant(widthOf(x), amount));
}
Value ChunkBuilder::shrBy(Value x, unsigned amount, bool isSigned) const {
  return shr(x, intConstant(widthOf(x), amount), isSigned);
}
Value ChunkBuilder::cmp(arith::CmpIPredicate predicate, Value x,
                        Value y) const {
  return make<arith::CmpIOp>(predicate, x, y);
}
Value ChunkBuilder::select(Value c, Value x, Value y) const {
  return make<arith::SelectOp>(c, x, y);
}
Value ChunkBuilder::resize(Value x, unsigned width, bool isSigned) const {
  unsigned from = widthOf(x);
  if (from == width)
    return x;
  if (from > width)
    return make<arith::TruncIOp>(ints(width), x);
  return isSigned ? make<arith::ExtSIOp>(ints(width), x)
                  : make<arith::ExtUIOp>(ints(width), x);
}
Value ChunkBuilder::umin(Value x, Value y) const {
  return make<arith::MinUIOp>(x, y);
}
Value ChunkBuilder::bitcast(Value x, Type element) const {
  if (elementOf(x) == element)
    return x;
  return make<arith::BitcastOp>(vec(element), x);
}
Value ChunkBuilder::bitsOf(Value x) const {
  return bitcast(x, b.getIntegerType(widthOf(x)));
}

Value ChunkBuilder::cmpf(arith::CmpFPredicate predicate, Value x,
                         Value y) const {
  return make<arith::CmpFOp>(predicate, x, y);
}

Value ChunkBuilder::flush(Value x, bool wanted) const {
  if (!wanted || llvm::is_contained(normal, x))
    return x;
  // Keep only the sign of numbers whose exponent is zero.
  Value bits = bitsOf(x);
  Value exponent = bitAnd(bits, intConstant(32, 0x7f800000));
  Value tiny = cmp(arith::CmpIPredicate::eq, exponent, intConstant(32, 0));
  Value sign = bitAnd(bits, intConstant(32, 0x80000000));
  return bitcast(select(tiny, sign, bits), elementOf(x));
}

Value ChunkBuilder::saturate(Value x, bool wanted) const {
  if (!wanted)
    return x;
  Type element = elementOf(x);
  Value low = floatConstant(element, 0.0), high = floatConstant(element, 1.0);
  Value positive =
      select(cmpf(arith::CmpFPredicate::OGT, x, low), x, low); // NaN -> +0
  return select(cmpf(arith::CmpFPredicate::OLT, positive, high), positive,
                high);
}

Value ChunkBuilder::intrinsic(StringRef name, Type result,
                              ValueRange operands) const {
  auto call = LLVM::CallIntrinsicOp::create(b, loc, result,
                                            b.getStringAttr(name), operands);
  return call->getResult(0);
}

Value ChunkBuilder::callDevice(const device::DirectedFunction &function,
                               ptx::Rounding rnd, Type resultElement,
                               ValueRange operands) const {
  switch (rnd) {
  case ptx::Rounding::RM:
    return callDevice(function.rm, resultElement, operands);
  case ptx::Rounding::RP:
    return callDevice(function.rp, resultElement, operands);
  case ptx::Rounding::RZ:
    return callDevice(function.rz, resultElement, operands);
  default:
    llvm_unreachable("not a directed rounding mode");
  }
}

Value ChunkBuilder::callDevice(const device::LaneFunction &function,
                               Type resultElement, ValueRange operands) const {
  assert(operands.size() == function.operands && "not the function's operands");
  unsigned width = std::max(lanes, 1u);
  std::string symbol = (function.name + Twine("_x") + Twine(width)).str();
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto *func = b.getInsertionBlock()->getParentOp();
  while (!isa<LLVM::LLVMFuncOp>(func))
    func = func->getParentOp();
  auto module = func->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    SmallVector<Type> params(operands.size() + 1, ptr);
    LLVM::LLVMFuncOp::create(
        b, loc, symbol,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    params));
  }
  // Stack slots at the start of the function; they vanish when the call is
  // inlined.
  auto slot = [&](Type type) -> Value {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&cast<LLVM::LLVMFuncOp>(func).getBody().front());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 1);
    return LLVM::AllocaOp::create(b, loc, ptr, type, one, 64);
  };
  Value result = slot(vec(resultElement));
  SmallVector<Value> args = {result};
  for (Value operand : operands) {
    Value place = slot(operand.getType());
    LLVM::StoreOp::create(b, loc, operand, place, 64);
    args.push_back(place);
  }
  LLVM::CallOp::create(b, loc, TypeRange(), symbol, args);
  return LLVM::LoadOp::create(b, loc, vec(resultElement), result, 64);
}
