//===- Unlowered.cpp - instructions whose ops keep their text -------------===//
//
// They become `ptx.unlowered`, `ptx.advice`, `ptx.video` and the matrix ops:
// operands in a row, no meaning attached.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// What operands say that is no value: "-", ".b0".
static Attribute getNotes(ArrayRef<RawOperand> operands, Builder &builder) {
  SmallVector<StringRef> notes;
  SmallVector<std::string> storage;
  bool any = false;
  for (const RawOperand &raw : operands) {
    std::string note = raw.minus ? "-" : "";
    if (!raw.selector.empty())
      note += "." + raw.selector.str();
    any |= !note.empty();
    storage.push_back(std::move(note));
  }
  for (const std::string &note : storage)
    notes.push_back(note);
  return any ? builder.getStrArrayAttr(notes) : Attribute();
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

/// The values of one operand of an unlowered instruction.
LogicalResult ParserImpl::collectUnlowered(const RawOperand &raw,
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
  FailureOr<Value> address = getPlainAddress(raw);
  if (failed(address))
    return failure();
  values.push_back(*address);
  for (auto [i, part] : llvm::enumerate(raw.parts))
    if (failed(collectUnlowered(part, (&spec)[1 + i], match, values, results)))
      return failure();
  return success();
}

LogicalResult ParserImpl::buildUnlowered(const Instruction &inst,
                                         const FormSpec &form,
                                         const FormMatch &match) {
  SmallVector<Value> values;
  ResultList results;
  OperandPairs pairs = *pairOperands(inst, form);
  for (auto [spec, raw] : pairs)
    if (failed(collectUnlowered(*raw, *spec, match, values, results)))
      return failure();
  OperationState state(toLocation(inst.loc), form.opName);
  state.addAttribute("instruction", builder.getStringAttr(inst.getMnemonic()));
  if (Attribute notes = getNotes(inst.operands, builder))
    state.addAttribute("notes", notes);
  state.addOperands(values);
  // Those of lanes that work together get a mask later.
  if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(
                                                  {int32_t(values.size()), 0}));
  return createInstruction(state, results, /*wide=*/false);
}
