//===- PtxVideo.td - video instructions -----------------------------------===//
//
// What they mean: Video.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXVIDEO_TD
#define PTXJIT_DIALECT_PTXVIDEO_TD
include "ptxjit/Dialect/PtxBase.td"

//===----------------------------------------------------------------------===//
// Scalar
//===----------------------------------------------------------------------===//

defvar Sign = ".{u32|s32}";
defvar Signs = ".{u32|s32}.{u32|s32}.{u32|s32}";
defvar ComparisonSigns = ".{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}";
defvar Second = ".{add|min|max}";
defvar VideoSm20 = [Since<"2.0", "sm_20+">];
defvar VideoSm30 = [Since<"3.0", "sm_30+">];

/// With a second operation, or merged into `c`.
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

class SimdVideo<string name, string lanes, string modifiers>
    : Video<!strconcat(name, lanes), "simd-video-instructions", [
  Form<!strconcat(name, lanes, modifiers, " ~", lanes, "d:b32, ~", lanes,
                  "a:b32, ~", lanes, "b:b32, c:b32"), VideoSm30>]>;
foreach lanes = ["2", "4"] in {
  foreach name = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"] in
    def Video_#name#lanes : SimdVideo<name, lanes,
                                      !strconcat(Signs, "{.add|sat}")>;
  def Video_vset#lanes : SimdVideo<"vset", lanes,
                                   !strconcat(ComparisonSigns, "{.add}")>;
}
#endif
