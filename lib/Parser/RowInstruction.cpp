//===- RowInstruction.cpp - instructions with one operand list ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the ops that have one list of operands, in the order of the text: each
// `Ptx_RowOp`, whose modifiers are attributes, and `ptx.unlowered` and
// `ptx.advice`, which keep the text of opcode and modifiers.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

std::optional<Selector> ptxjit::readSelector(StringRef text) {
  Selector selector;
  if (text.consume_front("b"))
    selector.width = 8;
  else if (text.consume_front("h"))
    selector.width = 16;
  if (selector.width == 32 || text.empty() ||
      !llvm::all_of(text, llvm::isDigit))
    return std::nullopt;
  for (char digit : text)
    selector.parts.push_back(unsigned(digit - '0'));
  return selector;
}

/// Adds the attributes for minus signs (`-a`) and selectors (`a.h10`).
static void addOperandNotes(ArrayRef<RawOperand> operands, Builder &builder,
                            OperationState &state) {
  SmallVector<bool> negated;
  SmallVector<Attribute> selectors;
  for (const RawOperand &raw : operands) {
    Selector selector = readSelector(raw.selector).value_or(Selector());
    selectors.push_back(SelectorAttr::get(builder.getContext(), selector.width,
                                          selector.parts));
    negated.push_back(raw.minus);
  }
  if (llvm::is_contained(negated, true))
    state.addAttribute("negated", builder.getDenseBoolArrayAttr(negated));
  if (llvm::any_of(operands,
                   [](const RawOperand &raw) { return !raw.selector.empty(); }))
    state.addAttribute("selectors", builder.getArrayAttr(selectors));
}

FailureOr<Value> ParserImpl::getPlainAddress(const RawOperand &raw) {
  FailureOr<Value> address = getAddress(raw);
  if (failed(address))
    return failure();
  Value value = *address;
  Location loc = toLocation(raw.loc);
  if (!value.getType().isInteger(64))
    value = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value);
  if (raw.offset)
    value = arith::AddIOp::create(builder, loc, value,
                                  createConstant(ScalarType::B64, raw.offset));
  return value;
}

/// A parameter of an opaque type holds a handle; the text names the parameter.
Value ParserImpl::loadHandle(const RawOperand &raw) {
  Location loc = toLocation(raw.loc);
  Value place =
      ParamAddressOp::create(builder, loc, builder.getIntegerType(addressBits),
                             raw.symbol->index, /*isResult=*/false);
  return loadElement(loc, place, ScalarType::B64, /*index=*/0);
}

/// Adds the values or results of one operand.
LogicalResult ParserImpl::collectOperand(const RawOperand &raw,
                                         const OperandSpec &spec,
                                         const FormMatch &match,
                                         SmallVectorImpl<Value> &values,
                                         ResultList &results) {
  if (spec.kind == OperandKind::Sink)
    return success();
  if (spec.kind != OperandKind::Address) {
    bool vector =
        spec.kind == OperandKind::Vector && raw.kind == RawOperand::Vector;
    return addValues(vector ? ArrayRef(raw.elements) : ArrayRef(raw), spec,
                     match, /*wide=*/false, values, results);
  }
  bool isHandle =
      raw.symbol && raw.symbol->kind == Symbol::Param && raw.symbol->isHandle;
  FailureOr<Value> address =
      isHandle ? FailureOr<Value>(loadHandle(raw)) : getPlainAddress(raw);
  if (failed(address))
    return failure();
  values.push_back(*address);
  for (auto [i, part] : llvm::enumerate(raw.parts))
    if (failed(collectOperand(part, (&spec)[1 + i], match, values, results)))
      return failure();
  return success();
}

LogicalResult ParserImpl::buildRow(const Instruction &inst,
                                   const FormSpec &form,
                                   const FormMatch &match) {
  SmallVector<Value> values;
  ResultList results;
  OperandPairs pairs = *pairOperands(inst, form);
  for (auto [spec, raw] : pairs)
    if (failed(collectOperand(*raw, *spec, match, values, results)))
      return failure();
  OperationState state(toLocation(inst.loc), form.opName);
  if (form.keepsText)
    state.addAttribute("instruction",
                       builder.getStringAttr(inst.getMnemonic()));
  else
    addModifiers(form, match, state);
  addOperandNotes(inst.operands, builder, state);
  state.addOperands(values);
  // Warp-level ops have an optional mask, which is absent until masking.
  if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(
                                                  {int32_t(values.size()), 0}));
  return createInstruction(state, results, /*wide=*/false);
}
