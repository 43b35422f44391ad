//===- RoundingSwitches.cpp - fewer changes of the rounding mode ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations in a directed rounding mode are statements of assembly that change
// the mode, compute, and restore it (lib/Device/Rounding*.h), so that no other
// code can get in between. Once all code has its place, statements of the same
// mode that follow each other share one change, and loops without floats of any
// other mode have it in front of them.
//
// Memory may be accessed while the mode is changed: whoever survives a fault
// restores it (FaultScope).
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace {

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// A statement in a directed mode, with the three lines of its text.
struct Statement {
  MachineInstr *instruction;
  int64_t mode; ///< what its operand that is a constant says
  StringRef set, compute, restore;
  bool sets = true, restores = true; ///< whether it keeps these lines
};

/// The operands number `number` of an assembly statement, behind their flag.
MutableArrayRef<MachineOperand> operandsOf(MachineInstr &instruction,
                                           unsigned number) {
  unsigned at = InlineAsm::MIOp_FirstOperand;
  auto countAt = [&] {
    return InlineAsm::Flag(instruction.getOperand(at).getImm())
        .getNumOperandRegisters();
  };
  for (; number; --number)
    at += countAt() + 1;
  return {&instruction.getOperand(at), countAt() + 1};
}

/// The constant among the operands of a statement that is one of ours.
int64_t constantOf(MachineInstr &instruction) {
  for (unsigned number = 0;; ++number) {
    auto operands = operandsOf(instruction, number);
    if (InlineAsm::Flag(operands.front().getImm()).isImmKind())
      return operands.back().getImm();
  }
}

std::optional<Statement> parseStatement(MachineInstr &instruction) {
  if (!instruction.isInlineAsm())
    return std::nullopt;
  StringRef text =
      instruction.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
  auto [set, rest] = text.split('\n');
  if (!set.starts_with("msr fpcr, ") && !set.starts_with("ldmxcsr "))
    return std::nullopt;
  auto [compute, restore] = rest.split('\n');
  assert(!restore.empty() && "not a statement of the device library");
  return Statement{&instruction, constantOf(instruction), set, compute,
                   restore};
}

/// A line of a statement, as a statement of its own: `operands` is what it
/// refers to.
void insertLine(MachineBasicBlock &block, MachineBasicBlock::iterator at,
                MachineInstr &from, StringRef line,
                ArrayRef<MachineOperand> operands) {
  MachineFunction &function = *block.getParent();
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  std::string text = line.substr(0, line.find('$')).trim().str();
  if (!operands.empty())
    text += " $0";
  int64_t flags = from.getOperand(InlineAsm::MIOp_ExtraInfo).getImm() |
                  InlineAsm::Extra_HasSideEffects;
  auto statement =
      BuildMI(block, at, DebugLoc(), info.get(TargetOpcode::INLINEASM))
          .addExternalSymbol(function.createExternalSymbolName(text))
          .addImm(flags);
  for (MachineOperand operand : operands) {
    if (operand.isReg())
      operand.setIsKill(false);
    statement.add(operand);
  }
}

/// The operands that a line refers to, if any.
ArrayRef<MachineOperand> operandsOfLine(const Statement &statement,
                                        StringRef line) {
  size_t at = line.find('$');
  unsigned number;
  if (at == StringRef::npos)
    return {};
  StringRef rest = line.substr(at + 1);
  rest.consume_front("{");
  [[maybe_unused]] bool failed = rest.consumeInteger(10, number);
  assert(!failed && "a line refers to its operand by number");
  return operandsOf(*statement.instruction, number);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class RoundingSwitches : public MachineFunctionPass {
public:
  static char ID;
  RoundingSwitches() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Rounding modes"; }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  bool dependsOnMode(const MachineInstr &instruction) const;
  bool hoist(const MachineLoop &loop);
  bool holdsOneMode(const MachineLoop &loop, Statement *&first);
  void mergeIn(MachineBasicBlock &block);

  MCRegister modeRegister;
  DenseMap<const MachineInstr *, Statement> statements;
  SmallPtrSet<const MachineBasicBlock *, 16> hoisted;
};
char RoundingSwitches::ID = 0;

/// Whether an instruction other than our statements may need the usual mode.
bool RoundingSwitches::dependsOnMode(const MachineInstr &instruction) const {
  if (instruction.isCall() || instruction.isReturn() ||
      instruction.isInlineAsm() || instruction.mayRaiseFPException())
    return true;
  const TargetSubtargetInfo &target = instruction.getMF()->getSubtarget();
  if (instruction.readsRegister(modeRegister, target.getRegisterInfo()) ||
      instruction.modifiesRegister(modeRegister, target.getRegisterInfo()))
    return true;
  // LLVM says of some of AArch64's conversions of integers neither.
  StringRef name = target.getInstrInfo()->getName(instruction.getOpcode());
  return name.starts_with("SCVTF") || name.starts_with("UCVTF");
}

/// Whether all floats of a loop are computed in one directed mode. `first`
/// becomes one of its statements.
bool RoundingSwitches::holdsOneMode(const MachineLoop &loop,
                                    Statement *&first) {
  first = nullptr;
  for (MachineBasicBlock *block : loop.blocks())
    for (MachineInstr &instruction : *block) {
      auto found = statements.find(&instruction);
      if (found == statements.end()) {
        if (dependsOnMode(instruction))
          return false;
        continue;
      }
      if (!first)
        first = &found->second;
      if (found->second.mode != first->mode)
        return false;
    }
  return first;
}

/// Whether a loop changes a register that one of `operands` is.
bool changesAny(const MachineLoop &loop, ArrayRef<MachineOperand> operands) {
  const TargetRegisterInfo *info =
      loop.getHeader()->getParent()->getSubtarget().getRegisterInfo();
  for (const MachineOperand &operand : operands) {
    if (!operand.isReg() || !operand.getReg())
      continue;
    for (MachineBasicBlock *block : loop.blocks())
      for (MachineInstr &instruction : *block)
        if (instruction.modifiesRegister(operand.getReg(), info))
          return true;
  }
  return false;
}

using Edge = std::pair<MachineBasicBlock *, MachineBasicBlock *>;

/// The edges into a loop, or out of it.
SmallVector<Edge, 4> edgesOf(const MachineLoop &loop, bool into) {
  SmallVector<Edge, 4> edges;
  if (!into) {
    loop.getExitEdges(edges);
    return edges;
  }
  for (MachineBasicBlock *from : loop.getHeader()->predecessors())
    if (!loop.contains(from))
      edges.push_back({from, loop.getHeader()});
  return edges;
}

/// Whether code can be put on an edge.
bool canPlaceOn(Edge edge) {
  return edge.first->succ_size() == 1 || edge.second->pred_size() == 1 ||
         edge.first->canSplitCriticalEdge(edge.second);
}

/// Changes the mode on the ways into a loop and restores it on those out of it,
/// if possible.
bool RoundingSwitches::hoist(const MachineLoop &loop) {
  Statement *first;
  if (!holdsOneMode(loop, first))
    return false;
  SmallVector<Edge, 4> entries = edgesOf(loop, /*into=*/true);
  SmallVector<Edge, 4> exits = edgesOf(loop, /*into=*/false);
  ArrayRef<MachineOperand> mode = operandsOfLine(*first, first->set);
  ArrayRef<MachineOperand> usual = operandsOfLine(*first, first->restore);
  if (!all_of(entries, canPlaceOn) || !all_of(exits, canPlaceOn) ||
      changesAny(loop, mode) || changesAny(loop, usual))
    return false;
  auto place = [&](Edge edge, StringRef line,
                   ArrayRef<MachineOperand> operands) {
    auto [from, to] = edge;
    if (from->succ_size() == 1) {
      insertLine(*from, from->getFirstTerminator(), *first->instruction, line,
                 operands);
      return;
    }
    if (to->pred_size() > 1)
      to = from->SplitCriticalEdge(to, *this);
    insertLine(*to, to->begin(), *first->instruction, line, operands);
  };
  for (Edge edge : entries)
    place(edge, first->set, mode);
  for (Edge edge : exits)
    place(edge, first->restore, usual);
  for (MachineBasicBlock *block : loop.blocks()) {
    hoisted.insert(block);
    for (MachineInstr &instruction : *block)
      if (auto found = statements.find(&instruction); found != statements.end())
        found->second.sets = found->second.restores = false;
  }
  return true;
}

/// Leaves out what a statement restores if the next one changes it again.
void RoundingSwitches::mergeIn(MachineBasicBlock &block) {
  Statement *last = nullptr;
  for (MachineInstr &instruction : block) {
    auto found = statements.find(&instruction);
    if (found == statements.end()) {
      if (dependsOnMode(instruction))
        last = nullptr;
      continue;
    }
    Statement &next = found->second;
    if (last) {
      last->restores = false;
      next.sets = next.mode != last->mode;
    }
    last = &next;
  }
}

bool RoundingSwitches::runOnMachineFunction(MachineFunction &function) {
  statements.clear();
  hoisted.clear();
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block)
      if (auto statement = parseStatement(instruction))
        statements.insert({&instruction, *statement});
  if (statements.empty())
    return false;
  const TargetRegisterInfo *info = function.getSubtarget().getRegisterInfo();
  modeRegister = MCRegister();
  for (unsigned number = 1; number < info->getNumRegs(); ++number)
    if (StringRef name = info->getName(number);
        name == "FPCR" || name == "MXCSR")
      modeRegister = MCRegister(number);
  assert(modeRegister && "an architecture without a rounding mode");

  MachineDominatorTree dominators(function);
  MachineLoopInfo loops(dominators);
  SmallVector<const MachineLoop *> rest(loops.begin(), loops.end());
  while (!rest.empty()) {
    const MachineLoop *loop = rest.pop_back_val();
    if (!hoist(*loop))
      rest.append(loop->begin(), loop->end());
  }
  for (MachineBasicBlock &block : function)
    if (!hoisted.contains(&block))
      mergeIn(block);
  for (auto &[instruction, statement] : statements) {
    SmallVector<StringRef, 3> lines;
    if (statement.sets)
      lines.push_back(statement.set);
    lines.push_back(statement.compute);
    if (statement.restores)
      lines.push_back(statement.restore);
    statement.instruction->getOperand(InlineAsm::MIOp_AsmString)
        .ChangeToES(function.createExternalSymbolName(join(lines, "\n")));
  }
  return true;
}

} // namespace

MachineFunctionPass *ptxjit::createRoundingSwitchesPass() {
  return new RoundingSwitches();
}
