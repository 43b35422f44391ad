//===- Initializer.cpp - parses initial values of variables ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An initial value becomes little-endian bytes, and a list of relocations for
// the addresses in it, which only the loader knows.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

LogicalResult ParserImpl::parseInitializer(const VariableSpec &spec,
                                           SmallVectorImpl<int64_t> &dims,
                                           InitData &data) {
  // A vector type is one more dimension, with braces of its own.
  SmallVector<int64_t> all(dims.begin(), dims.end());
  if (spec.vectorSize > 1)
    all.push_back(spec.vectorSize);
  int64_t count = 0;
  if (failed(parseInitLevel(spec, all, 0, data, count)))
    return failure();
  if (!dims.empty() && dims.front() < 0)
    dims.front() = count;
  return success();
}

/// One `{...}` level or a scalar, whose data begin at byte `at`. `count` is set
/// to the number of elements that the text gives for this level.
LogicalResult ParserImpl::parseInitLevel(const VariableSpec &spec,
                                         ArrayRef<int64_t> dims, int64_t at,
                                         InitData &data, int64_t &count) {
  if (dims.empty())
    return spec.opaque ? parseOpaque(spec, at, data)
                       : parseInitScalar(spec.type, at, data);
  int64_t stride = spec.getElementBytes() / spec.vectorSize;
  for (int64_t d : dims.drop_front())
    stride *= d;
  if (failed(expectPunct("{", "at the start of an array's initial value")))
    return failure();
  count = 0;
  while (!tok.isPunct("}")) {
    if (dims.front() >= 0 && count == dims.front())
      return errorHere() << "more initial values than the " << dims.front()
                         << " elements of the array";
    int64_t inner = 0;
    if (failed(parseInitLevel(spec, dims.drop_front(), at + count * stride,
                              data, inner)))
      return failure();
    ++count;
    if (!consumePunct(","))
      break;
  }
  return expectPunct("}", "after an array's initial value");
}

namespace {
/// A member of opaque types, and the names that may be its value, separated by
/// `|`. Without names, the value is a number. ISA: "texture and surface
/// properties".
struct OpaqueMember {
  llvm::StringLiteral name, values;
  bool texref, samplerref, surfref;
};
} // namespace

static constexpr llvm::StringLiteral kFilters = "nearest|linear";
static constexpr llvm::StringLiteral kAddressModes =
    "wrap|mirror|clamp_ogl|clamp_to_edge|clamp_to_border";
static constexpr OpaqueMember kOpaqueMembers[] = {
    {"width", "", true, false, true},
    {"height", "", true, false, true},
    {"depth", "", true, false, true},
    {"channel_data_type", "", true, false, true},
    {"channel_order", "", true, false, true},
    {"array_size", "", true, false, true},
    {"memory_layout", "", false, false, true},
    {"num_mipmap_levels", "", true, false, false},
    {"num_samples", "", true, false, false},
    {"normalized_coords", "", true, false, false},
    {"force_unnormalized_coords", "", false, true, false},
    {"filter_mode", kFilters, true, true, false},
    {"addr_mode_0", kAddressModes, true, true, false},
    {"addr_mode_1", kAddressModes, true, true, false},
    {"addr_mode_2", kAddressModes, true, true, false}};

/// name = value
FailureOr<NamedAttribute> ParserImpl::parseOpaqueMember(ptx::OpaqueType type) {
  SMLoc loc = tok.getLoc();
  FailureOr<StringRef> name = expectIdentifier("a member of an opaque type");
  if (failed(name))
    return failure();
  const auto *member = llvm::find_if(
      kOpaqueMembers, [&](const OpaqueMember &m) { return m.name == *name; });
  if (member == std::end(kOpaqueMembers) ||
      !(type == ptx::OpaqueType::Texref       ? member->texref
        : type == ptx::OpaqueType::Samplerref ? member->samplerref
                                              : member->surfref))
    return error(loc) << "." << stringifyOpaqueType(type) << " has no member '"
                      << *name << "'";
  if (failed(expectPunct("=", "after the name of a member")))
    return failure();
  StringAttr key = builder.getStringAttr(*name);
  if (member->values.empty()) {
    FailureOr<int64_t> number = parseConstInt("the member's value");
    if (failed(number))
      return failure();
    return NamedAttribute(key, builder.getI64IntegerAttr(*number));
  }
  loc = tok.getLoc();
  FailureOr<StringRef> value = expectIdentifier("the member's value");
  if (failed(value))
    return failure();
  SmallVector<StringRef> allowed;
  member->values.split(allowed, '|');
  if (!llvm::is_contained(allowed, *value))
    return error(loc) << "'" << *name << "' may be "
                      << llvm::join(allowed, ", ") << ", not '" << *value
                      << "'";
  return NamedAttribute(key, builder.getStringAttr(*value));
}

/// { member = value, ... }. The bytes stay 0: they are made from the members.
LogicalResult ParserImpl::parseOpaque(const VariableSpec &spec, int64_t at,
                                      InitData &data) {
  NamedAttrList members;
  if (failed(expectPunct("{", "at the start of the value of an opaque type")))
    return failure();
  while (!tok.isPunct("}")) {
    SMLoc loc = tok.getLoc();
    FailureOr<NamedAttribute> member = parseOpaqueMember(*spec.opaque);
    if (failed(member))
      return failure();
    if (members.set(member->getName(), member->getValue()))
      return error(loc) << "member " << member->getName()
                        << " has a value already";
    if (!consumePunct(","))
      break;
  }
  data.members.push_back(members.getDictionary(context));
  data.bytes.resize(std::max<size_t>(data.bytes.size(), at + kOpaqueBytes));
  return expectPunct("}", "after the value of an opaque type");
}

LogicalResult ParserImpl::parseInitScalar(ScalarType type, int64_t at,
                                          InitData &data) {
  int64_t bytes = getBitWidth(type) / 8;
  if (at + bytes > (int64_t(1) << 32))
    return errorHere() << "initial value is too large";
  if (int64_t(data.bytes.size()) < at + bytes)
    data.bytes.resize(at + bytes);
  if (tok.is(TokenKind::Identifier) && tok.spelling != "WARP_SZ")
    return parseInitAddress(type, at, /*mask=*/-1, data);
  SMLoc loc = tok.getLoc();
  FailureOr<ConstValue> value = parseConstExpr();
  if (failed(value))
    return failure();
  if (value->kind == ConstValue::Int && consumePunct("("))
    return parseInitMasked(type, at, value->bits, loc, data);
  uint64_t bits = value->bits;
  double number = value->kind == ConstValue::Bits32
                      ? double(llvm::bit_cast<float>(uint32_t(value->bits)))
                      : value->number;
  bool isPlain = value->kind == ConstValue::Float;
  if (type == ScalarType::B32 &&
      (isPlain || value->kind == ConstValue::Bits64)) {
    bits = llvm::bit_cast<uint32_t>(float(number));
  } else if (type == ScalarType::B64 && isPlain) {
    bits = llvm::bit_cast<uint64_t>(number);
  } else if (type == ScalarType::F32) {
    if (value->kind == ConstValue::Int)
      return error(loc) << "an integer may not initialise a .f32 variable";
    if (value->kind != ConstValue::Bits32)
      bits = llvm::bit_cast<uint32_t>(float(number));
  } else if (type == ScalarType::F64) {
    if (value->kind == ConstValue::Int)
      return error(loc) << "an integer may not initialise a .f64 variable";
    if (value->kind != ConstValue::Bits64)
      bits = llvm::bit_cast<uint64_t>(number);
  } else if (isPlain) {
    return error(loc) << "a floating-point number may not initialise a ."
                      << stringifyScalarType(type) << " variable";
  }
  storeInitBytes(at, bytes, bits, data);
  return success();
}

void ParserImpl::storeInitBytes(int64_t at, int64_t bytes, uint64_t bits,
                                InitData &data) {
  for (int64_t i = 0; i < bytes; ++i)
    data.bytes[at + i] = int8_t(bits >> (8 * i));
}

/// 0xff00(symbol) or 0xff00(number): one byte of an address or number. The
/// current token is behind the opening parenthesis. ISA: "initializers".
LogicalResult ParserImpl::parseInitMasked(ScalarType type, int64_t at,
                                          uint64_t mask, SMLoc loc,
                                          InitData &data) {
  unsigned shift = mask ? llvm::countr_zero(mask) : 0;
  if (mask != uint64_t(0xff) << shift || shift % 8)
    return error(loc) << "a mask must select one byte: 0xff, 0xff00 and so on";
  if (tok.is(TokenKind::Identifier) && tok.spelling != "WARP_SZ") {
    if (failed(parseInitAddress(type, at, int64_t(mask), data)))
      return failure();
  } else {
    FailureOr<int64_t> number = parseConstInt("what a mask is applied to");
    if (failed(number))
      return failure();
    storeInitBytes(at, getBitWidth(type) / 8, uint64_t(*number) >> shift & 0xff,
                   data);
  }
  return expectPunct(")", "after what a mask is applied to");
}

/// symbol {+ n} or generic(symbol) {+ n}. `mask` selects one byte of the
/// address; -1 stands for the whole address.
LogicalResult ParserImpl::parseInitAddress(ScalarType type, int64_t at,
                                           int64_t mask, InitData &data) {
  SMLoc loc = tok.getLoc();
  FailureOr<StringRef> name = expectIdentifier("a variable or function");
  if (failed(name))
    return failure();
  bool generic = *name == "generic" && tok.isPunct("(");
  if (generic) {
    advance();
    loc = tok.getLoc();
    name = expectIdentifier("a variable or function");
    if (failed(name) || failed(expectPunct(")", "after 'generic(...'")))
      return failure();
  }
  Symbol *symbol = lookup(*name);
  if (!symbol ||
      (symbol->kind != Symbol::Variable && symbol->kind != Symbol::Function))
    return error(loc) << "'" << *name << "' is not a variable or function";
  int64_t addend = 0;
  if (tok.isPunct("+") || tok.isPunct("-")) {
    bool negative = tok.isPunct("-");
    advance();
    FailureOr<int64_t> value = parseConstInt("the offset of an address");
    if (failed(value))
      return failure();
    addend = negative ? -*value : *value;
  }
  int64_t shift = mask == -1 ? 0 : llvm::countr_zero(uint64_t(mask));
  if (mask == -1 && getBitWidth(type) < 32) {
    return error(loc) << "an address does not fit in a ."
                      << stringifyScalarType(type) << " variable";
  }
  data.relocs.push_back(builder.getArrayAttr(
      {builder.getI64IntegerAttr(at),
       builder.getI64IntegerAttr(getBitWidth(type) / 8),
       FlatSymbolRefAttr::get(context, symbol->irName),
       builder.getI64IntegerAttr(addend), builder.getI64IntegerAttr(shift),
       builder.getBoolAttr(generic)}));
  return success();
}
