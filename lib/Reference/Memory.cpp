//===- Memory.cpp - memory of the reference interpreter -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cta.h"

#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static bool isShared(std::optional<Space> space) {
  return space == Space::Shared || space == Space::SharedCta ||
         space == Space::SharedCluster;
}

uint64_t Cta::windowOf(Thread &t, Space space) {
  switch (space) {
  case Space::Local:
    return reinterpret_cast<uint64_t>(t.local.data());
  case Space::Param:
  case Space::ParamEntry:
    return reinterpret_cast<uint64_t>(launch.params);
  default:
    return 0;
  }
}

/// The windows of .shared, .local and .param in 32-bit generic addresses, which
/// the host does not use. All other generic addresses are host addresses.
static std::optional<Bits> narrowWindow(std::optional<Space> space) {
  if (isShared(space))
    return PTXJIT_LOW_MEMORY_END;
  switch (space.value_or(Space::Generic)) {
  case Space::Local:
    return 0xf0000000;
  case Space::Param:
  case Space::ParamEntry:
    return 0xf8000000;
  default:
    return std::nullopt;
  }
}

Bits Cta::toGeneric(Thread &t, Space space, Bits address) {
  if (program.isNarrow)
    return uint32_t(address + narrowWindow(space).value_or(0));
  return isShared(space) ? fromSharedAddress(address)
                         : address + windowOf(t, space);
}

Bits Cta::fromGeneric(Thread &t, Space space, Bits generic) {
  if (program.isNarrow)
    return uint32_t(generic - narrowWindow(space).value_or(0));
  return isShared(space) ? toSharedAddress(generic)
                         : generic - windowOf(t, space);
}

uint64_t Cta::toHost(Thread &t, Bits generic) {
  if (!program.isNarrow)
    return generic;
  for (Space space : {Space::Param, Space::Local, Space::Shared})
    if (Bits window = *narrowWindow(space); generic >= window)
      return isShared(space) ? fromSharedAddress(generic - window)
                             : generic - window + windowOf(t, space);
  return generic;
}

FailureOr<uint64_t> Cta::hostAddress(Thread &t, Operation &op, Bits address,
                                     std::optional<Space> space) {
  if (isShared(space)) {
    if (address >> PTXJIT_SHARED_BITS >= cluster.size())
      return op.emitError("there is no such CTA in the cluster");
    return fromSharedAddress(address);
  }
  bool param = space == Space::Param || space == Space::ParamFunc;
  if (param && address >= kCallVariables)
    return address - kCallVariables + windowOf(t, Space::Local);
  return space.value_or(Space::Generic) == Space::Generic
             ? toHost(t, address)
             : address + windowOf(t, *space);
}

/// Returns the host address of an access of `bytes` bytes, or fails with a
/// diagnostic. The access must be aligned to its size (ISA, "addresses as
/// operands"), and its first `touched` bytes (default: all) must be accessible.
FailureOr<uint64_t> Cta::resolveAddress(Thread &t, Operation &op, Bits address,
                                        std::optional<Space> space,
                                        int64_t offset, unsigned bytes,
                                        std::optional<unsigned> touched) {
  // Offsets in windows have 32 bits and wrap.
  bool of32Bits = isShared(space) && address <= UINT32_MAX;
  address += uint64_t(offset);
  if (of32Bits)
    address = uint32_t(address);
  if (address % bytes != 0)
    return op.emitError("misaligned address");
  FailureOr<uint64_t> host = hostAddress(t, op, address, space);
  if (succeeded(host) && !probe.isAccessible(*host, touched.value_or(bytes)))
    return op.emitError() << "illegal memory access 0x"
                          << llvm::utohexstr(*host, /*LowerCase=*/true);
  return host;
}

Bits reference::loadBits(uint64_t address, unsigned bytes) {
  Bits bits = 0;
  std::memcpy(&bits, reinterpret_cast<void *>(address), bytes);
  return bits;
}
void reference::storeBits(uint64_t address, unsigned bytes, Bits bits) {
  std::memcpy(reinterpret_cast<void *>(address), &bits, bytes);
}

/// Add, min or max of f16, bf16 or pairs of them. NaN results are 0x7fff; min
/// and max ignore one NaN operand.
static Bits updateHalves(AtomicOp op, ScalarType type, Bits a, Bits b) {
  ScalarType part = getPartType(type);
  Bits d = 0;
  for (unsigned at = 0; at < getBitWidth(type); at += 16) {
    llvm::APFloat x = makeFloat(part, a >> at), y = makeFloat(part, b >> at);
    if (op == AtomicOp::Add)
      x.add(y, llvm::RoundingMode::NearestTiesToEven);
    else
      x = op == AtomicOp::Min ? llvm::minimumnum(x, y) : llvm::maximumnum(x, y);
    d |= (x.isNaN() ? 0x7fff : bitsOf(x)) << at;
  }
  return d;
}

Bits reference::atomicResult(AtomicOp op, ScalarType type, Bits old, Bits b,
                             Bits c) {
  unsigned n = getBitWidth(type);
  if (isHalf(getPartType(type)))
    return updateHalves(op, type, old, b);
  llvm::APInt x(n, old, false, true), y(n, b, false, true);
  bool s = isSignedInt(type);
  switch (op) {
  case AtomicOp::Add:
    if (type == ScalarType::F32)
      return llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(uint32_t(old)) +
                                      llvm::bit_cast<float>(uint32_t(b)));
    if (type == ScalarType::F64)
      return llvm::bit_cast<uint64_t>(llvm::bit_cast<double>(old) +
                                      llvm::bit_cast<double>(b));
    return (x + y).getZExtValue();
  case AtomicOp::Min:
    return (s ? x.slt(y) : x.ult(y)) ? old : b;
  case AtomicOp::Max:
    return (s ? x.sgt(y) : x.ugt(y)) ? old : b;
  case AtomicOp::Inc:
    return x.uge(y) ? 0 : (x + 1).getZExtValue();
  case AtomicOp::Dec:
    return x.isZero() || x.ugt(y) ? b : (x - 1).getZExtValue();
  case AtomicOp::And:
    return old & b;
  case AtomicOp::Or:
    return old | b;
  case AtomicOp::Xor:
    return old ^ b;
  case AtomicOp::Exch:
    return b;
  case AtomicOp::Cas:
    return old == b ? c : old;
  }
  llvm_unreachable("all operations handled");
}

Bits Cta::addressOf(Thread &t, AddressOfOp op) {
  auto module = program.kernel->getParentOfType<ModuleOp>();
  auto it = program.places.find(op.getSymbol());
  if (it == program.places.end()) {
    auto func = module.lookupSymbol<FuncOp>(op.getSymbol());
    return func ? PTXJIT_FUNCTION_ADDRESS(
                      uint64_t(llvm::find(program.functions, func) -
                               program.functions.begin()))
                : launch.resolve(launch.user, op.getSymbol().str().c_str());
  }
  switch (module.lookupSymbol<VarOp>(op.getSymbol()).getSpace()) {
  case Space::Local:
    return uint64_t(it->second) + t.frame().localBase;
  case Space::Param:
    return uint64_t(it->second) + t.frame().localBase + kCallVariables;
  case Space::Shared:
    return uint64_t(it->second) | Bits(rank) << PTXJIT_SHARED_BITS;
  default:
    return uint64_t(it->second);
  }
}

static unsigned bytesOf(Value v) {
  return v.getType().getIntOrFloatBitWidth() / 8;
}

LogicalResult Cta::loadElements(Thread &t, LdOp op) {
  unsigned bytes = bytesOf(op.getD().front());
  FailureOr<uint64_t> at =
      resolveAddress(t, *op, get(t, op.getA()), op.getSpace(), op.getOffset(),
                     bytes * op.getD().size());
  if (failed(at))
    return failure();
  for (auto [i, v] : llvm::enumerate(op.getD()))
    set(t, v, loadBits(*at + i * bytes, bytes));
  return success();
}

LogicalResult Cta::storeElements(Thread &t, StOp op) {
  unsigned bytes = bytesOf(op.getB().front());
  FailureOr<uint64_t> at =
      resolveAddress(t, *op, get(t, op.getA()), op.getSpace(), op.getOffset(),
                     bytes * op.getB().size());
  if (failed(at))
    return failure();
  for (auto [i, v] : llvm::enumerate(op.getB()))
    storeBits(*at + i * bytes, bytes, get(t, v));
  return success();
}

LogicalResult Cta::memory(Thread &t, Operation &op) {
  if (auto param = dyn_cast<ParamAddressOp>(op)) {
    Frame &frame = t.frame();
    set(t, param,
        param.getIsResult() ? frame.results[param.getIndex()]
        : t.frames.size() > 1
            ? frame.args[param.getIndex()]
            : Bits(cast<ParamAttr>(frame.func.getParams()[param.getIndex()])
                       .getOffset()));
    return success();
  }
  if (auto address = dyn_cast<AddressOfOp>(op)) {
    set(t, address, addressOf(t, address));
    return success();
  }
  if (auto alloca = dyn_cast<AllocaOp>(op)) {
    uint64_t align = alloca.getB() ? get(t, alloca.getB()) : 8;
    uint64_t start = llvm::alignTo(t.frame().localEnd, align);
    uint64_t bytes = get(t, alloca.getA());
    if (bytes > t.local.size() || start + bytes > t.local.size())
      return op.emitError("stack overflow");
    t.frame().localEnd = start + bytes;
    set(t, alloca.getD(), start);
    return success();
  }
  if (auto save = dyn_cast<StackSaveOp>(op)) {
    set(t, save.getD(), t.frame().localEnd);
    return success();
  }
  if (auto restore = dyn_cast<StackRestoreOp>(op)) {
    t.frame().localEnd = get(t, restore.getA());
    return success();
  }
  if (auto cvta = dyn_cast<CvtaOp>(op)) {
    Bits a = get(t, cvta.getA());
    set(t, cvta.getD(),
        cvta.getTo() ? fromGeneric(t, cvta.getSpace(), a)
                     : toGeneric(t, cvta.getSpace(), a));
    return success();
  }
  if (auto ld = dyn_cast<LdOp>(op))
    return loadElements(t, ld);
  if (auto st = dyn_cast<StOp>(op))
    return storeElements(t, st);
  if (auto atom = dyn_cast<AtomOp>(op)) {
    unsigned bytes = getBitWidth(atom.getTy()) / 8;
    FailureOr<uint64_t> at = resolveAddress(
        t, op, get(t, atom.getA()), atom.getSpace(), atom.getOffset(), bytes);
    if (failed(at))
      return failure();
    Bits old = loadBits(*at, bytes);
    Bits c = atom.getC() ? get(t, atom.getC()) : 0;
    storeBits(
        *at, bytes,
        atomicResult(atom.getOp(), atom.getTy(), old, get(t, atom.getB()), c));
    set(t, atom.getD(), old);
    return success();
  }
  if (auto red = dyn_cast<RedOp>(op)) {
    unsigned bytes = getBitWidth(red.getTy()) / 8;
    FailureOr<uint64_t> at = resolveAddress(
        t, op, get(t, red.getA()), red.getSpace(), red.getOffset(), bytes);
    if (failed(at))
      return failure();
    storeBits(*at, bytes,
              atomicResult(red.getOp(), red.getTy(), loadBits(*at, bytes),
                           get(t, red.getB()), 0));
    return success();
  }
  if (isa<MultimemLdOp, MultimemStOp, MultimemRedOp>(op))
    return multimem(t, op);
  if (auto wide = dyn_cast<AtomWideOp>(op))
    return updateWide(t, wide);
  if (auto atom = dyn_cast<AtomVectorOp>(op))
    return updateVector(t, atom);
  if (auto red = dyn_cast<RedVectorOp>(op))
    return updateVector(t, red);
  if (auto copy = dyn_cast<CpAsyncOp>(op))
    return copyAsync(t, copy);
  if (isa<AdviceOp>(op)) {
    for (Value result : op.getResults())
      set(t, result, 0);
    return success();
  }
  return op.emitError() << "'" << op.getName().stripDialect()
                        << "' is not supported by the reference interpreter "
                           "yet";
}

template <typename VectorOp>
LogicalResult Cta::updateVector(Thread &t, VectorOp op) {
  ScalarType type = std::optional<ScalarType>(op.getTy()).value();
  unsigned bytes = getBitWidth(type) / 8;
  FailureOr<uint64_t> at =
      resolveAddress(t, *op, get(t, op.getA()), op.getSpace(), op.getOffset(),
                     bytes * op.getB().size());
  if (failed(at))
    return failure();
  for (auto [i, v] : llvm::enumerate(op.getB())) {
    uint64_t place = *at + i * bytes;
    Bits old = loadBits(place, bytes);
    storeBits(place, bytes, atomicResult(op.getOp(), type, old, get(t, v), 0));
    if constexpr (std::is_same_v<VectorOp, AtomVectorOp>)
      set(t, op.getD()[i], old);
  }
  return success();
}

LogicalResult Cta::updateWide(Thread &t, AtomWideOp op) {
  FailureOr<uint64_t> at = resolveAddress(t, *op, get(t, op.getA()),
                                          op.getSpace(), op.getOffset(), 16);
  if (failed(at))
    return failure();
  bool swaps = op.getOp() == AtomicOp::Cas, equal = true;
  Bits old[2];
  for (unsigned half = 0; half < 2; ++half) {
    old[half] = loadBits(*at + half * 8, 8);
    equal &= old[half] == get(t, op.getB()[half]);
  }
  for (unsigned half = 0; half < 2; ++half) {
    set(t, op.getD()[half], old[half]);
    Value next = swaps ? op.getC()[half] : op.getB()[half];
    if (!swaps || equal)
      storeBits(*at + half * 8, 8, get(t, next));
  }
  return success();
}

/// Completes at once, which the ISA allows: copies `size` bytes, then fills
/// with zeros.
LogicalResult Cta::copyAsync(Thread &t, CpAsyncOp op) {
  unsigned bytes = op.getBytes();
  uint64_t size = op.getSize() ? get(t, op.getSize()) : bytes;
  if (op.getIgnore() && get(t, op.getIgnore()))
    size = 0;
  FailureOr<uint64_t> to = resolveAddress(
      t, *op.getOperation(), get(t, op.getDst()), op.getSpace(), 0, bytes);
  FailureOr<uint64_t> from =
      resolveAddress(t, *op.getOperation(), get(t, op.getSrc()), Space::Global,
                     0, bytes, unsigned(std::min<uint64_t>(size, bytes)));
  if (failed(to) || failed(from))
    return failure();
  for (unsigned i = 0; i < bytes; ++i)
    storeBits(*to + i, 1, i < size ? loadBits(*from + i, 1) : 0);
  return success();
}
