//===- PtxVideo.td - video instructions -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op and the forms of the video instructions. Video.h decodes the op.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXVIDEO_TD
#define PTXJIT_DIALECT_PTXVIDEO_TD
include "ptxjit/Dialect/PtxBase.td"

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

class VideoOpcode<int value, string name> : Case<value, name, !toupper(name)>;
defvar ScalarVideoOpcodes = ["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl",
                             "vshr", "vmad", "vset"];
defvar SimdVideoOpcodes = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax",
                           "vset"];
def Ptx_VideoOpcodeEnum : Ptx_Enum<"VideoOpcode", !listconcat(
  !foreach(i, !range(ScalarVideoOpcodes),
           VideoOpcode<i, ScalarVideoOpcodes[i]>),
  !foreach(i, !range(SimdVideoOpcodes),
           VideoOpcode<!add(16, i), SimdVideoOpcodes[i] # "2">),
  !foreach(i, !range(SimdVideoOpcodes),
           VideoOpcode<!add(32, i), SimdVideoOpcodes[i] # "4">))>;
def Ptx_VideoOpcode : Ptx_Modifier<Ptx_VideoOpcodeEnum, "video_opcode">;

def Ptx_VideoScaleEnum : Ptx_Enum<"VideoScale", [
  Case<7, "shr7", "Shr7">, Case<15, "shr15", "Shr15">]>;
def Ptx_VideoScale : Ptx_Modifier<Ptx_VideoScaleEnum, "video_scale">;
def Flag_Po : Ptx_Flag<"po">;

def Ptx_SelectorAttr : AttrDef<Ptx_Dialect, "Selector"> {
  let mnemonic = "selector";
  let summary = "the parts of a register that an operand names: `.h10`";
  let description = [{
    `parts` lists the selected parts in the order of the text. Part i begins at
    bit i * `width` of the register. The list is empty if the operand has no
    selector.
  }];
  let parameters = (ins "unsigned":$width,
                        OptionalArrayRefParameter<"unsigned">:$parts);
  let assemblyFormat = "`<` $width (`,` $parts^)? `>`";
}

def Ptx_VideoOp : Ptx_RowOp<"video", [Pure, LaneWise]> {
  let summary = "a video instruction";
  let description = [{
    `ty`, `ty2` and `ty3` are the types of the result, a and b. `vset` has no
    result type: its `ty` and `ty2` are those of a and b. `second` is the
    operation that combines the result with c; for SIMD instructions it is the
    sum of the lanes and c. `selectors` and `negated` have an element for each
    operand of the text; they are absent if no operand has a selector or a minus
    sign.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Ptx_VideoOpcode:$opcode,
                       Ptx_ScalarType:$ty, Ptx_ScalarType:$ty2,
                       OptionalAttr<Ptx_ScalarType>:$ty3,
                       OptionalAttr<Ptx_Compare>:$cmp, Flag_Po:$po,
                       Flag_Sat:$sat, OptionalAttr<Ptx_Clamp>:$mode,
                       OptionalAttr<Ptx_VideoScale>:$scale,
                       OptionalAttr<Ptx_Atomic>:$second,
                       OptionalAttr<TypedArrayAttrBase<Ptx_SelectorAttr,
                                    "selectors">>:$selectors,
                       OptionalAttr<DenseBoolArrayAttr>:$negated);
  let results = (outs Variadic<AnyType>:$d);
  let extraClassDeclaration = [{
    VideoInstruction getVideo();
  }];
}
class Video<string opcode, string isa, list<Form> forms>
    : RowForms<opcode, Ptx_VideoOp, isa, forms>;

//===----------------------------------------------------------------------===//
// Scalar
//===----------------------------------------------------------------------===//

defvar Sign = ".{u32|s32}";
defvar Signs = ".{u32|s32}.{u32|s32}.{u32|s32}";
defvar ComparisonSigns = ".{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}";
defvar Second = ".{add|min|max}";
defvar VideoSm20 = [Since<"2.0", "sm_20+">];
defvar VideoSm30 = [Since<"3.0", "sm_30+">];

/// A plain form, one with a second operation on `c`, and one that merges the
/// result into `c`.
class ScalarVideo<string opcode, string modifiers>
    : Video<opcode, "scalar-video-instructions", [
  Form<!strconcat(opcode, modifiers, " d:b32, ~a:b32, ~b:b32"), VideoSm20>,
  Form<!strconcat(opcode, modifiers, Second, " d:b32, ~a:b32, ~b:b32, c:b32"),
       VideoSm20>,
  Form<!strconcat(opcode, modifiers, " ~d:b32, ~a:b32, ~b:b32, c:b32"),
       VideoSm20>]>;
foreach opcode = ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] in
  def Video_#opcode : ScalarVideo<opcode, !strconcat(Signs, "{.sat}")>;
foreach opcode = ["vshl", "vshr"] in
  def Video_#opcode : ScalarVideo<opcode,
      !strconcat(Sign, Sign, ".u32{.sat}.{clamp|wrap}")>;
def Video_vset : ScalarVideo<"vset", ComparisonSigns>;
class VideoMadForm<string modifiers, string operands>
    : Form<!strconcat("vmad", Signs, modifiers, " d:b32, ", operands),
           VideoSm20>;
def Video_vmad : Video<"vmad", "scalar-video-instructions", [
  VideoMadForm<"{.po}{.sat}{.shr7|shr15}", "~a:b32, ~b:b32, c:b32">,
  VideoMadForm<"{.sat}{.shr7|shr15}", "-~a:b32, ~b:b32, c:b32">,
  VideoMadForm<"{.sat}{.shr7|shr15}", "~a:b32, -~b:b32, c:b32">,
  VideoMadForm<"{.sat}{.shr7|shr15}", "~a:b32, ~b:b32, -c:b32">]>;

//===----------------------------------------------------------------------===//
// SIMD
//===----------------------------------------------------------------------===//

class SimdVideo<string name, string lanes, list<string> modifiers>
    : Video<!strconcat(name, lanes), "simd-video-instructions",
            !foreach(m, modifiers,
                     Form<!strconcat(name, lanes, m, " ~", lanes, "d:b32, ~",
                                     lanes, "a:b32, ~", lanes,
                                     "b:b32, c:b32"), VideoSm30>)>;
foreach lanes = ["2", "4"] in {
  foreach name = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"] in
    def Video_#name#lanes : SimdVideo<name, lanes,
                                      [Signs # "{.sat}", Signs # ".add"]>;
  def Video_vset#lanes : SimdVideo<"vset", lanes,
                                   [ComparisonSigns # "{.add}"]>;
}
#endif
