//===- PtxVideo.td - video instructions -----------------------------------===//
//
// Known forms: parsed, checked and printed. Nothing executes them yet.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXVIDEO_TD
#define PTXJIT_DIALECT_PTXVIDEO_TD
include "ptxjit/Dialect/PtxBase.td"

def Known_vadd : Known<"vadd",
    "scalar-video-instructions", [
  Form<"vadd.{u32|s32}.{u32|s32}.{u32|s32}{.sat} d:b32, a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vadd.{u32|s32}.{u32|s32}.{u32|s32}{.sat}.{add|min|max} d:b32, a:b32, "
       "b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vadd.u32.s32.u32 d:b32, ~a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vadd.s32.u32.s32.sat d:b32, a:b32, ~b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vadd.s32.s32.s32 ~d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>]>;
def Known_vsub : Known<"vsub",
    "scalar-video-instructions", [
  Form<"vsub.{u32|s32}.{u32|s32}.{u32|s32}{.sat} d:b32, a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vsub.{u32|s32}.{u32|s32}.{u32|s32}{.sat}.{add|min|max} d:b32, a:b32, "
       "b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vsub.u32.s32.u32 d:b32, ~a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vsub.s32.u32.s32.sat d:b32, a:b32, ~b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vsub.s32.s32.s32 ~d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>]>;
def Known_vabsdiff : Known<"vabsdiff",
    "scalar-video-instructions", [
  Form<"vabsdiff.{u32|s32}.{u32|s32}.{u32|s32}{.sat} d:b32, a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vabsdiff.{u32|s32}.{u32|s32}.{u32|s32}{.sat}.{add|min|max} d:b32, "
       "a:b32, b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vabsdiff.u32.s32.u32 d:b32, ~a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vabsdiff.s32.u32.s32.sat d:b32, a:b32, ~b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vabsdiff.s32.s32.s32 ~d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>]>;
def Known_vmin : Known<"vmin",
    "scalar-video-instructions", [
  Form<"vmin.{u32|s32}.{u32|s32}.{u32|s32}{.sat} d:b32, a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmin.{u32|s32}.{u32|s32}.{u32|s32}{.sat}.{add|min|max} d:b32, a:b32, "
       "b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmin.u32.s32.u32 d:b32, ~a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmin.s32.u32.s32.sat d:b32, a:b32, ~b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmin.s32.s32.s32 ~d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>]>;
def Known_vmax : Known<"vmax",
    "scalar-video-instructions", [
  Form<"vmax.{u32|s32}.{u32|s32}.{u32|s32}{.sat} d:b32, a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmax.{u32|s32}.{u32|s32}.{u32|s32}{.sat}.{add|min|max} d:b32, a:b32, "
       "b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmax.u32.s32.u32 d:b32, ~a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmax.s32.u32.s32.sat d:b32, a:b32, ~b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmax.s32.s32.s32 ~d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>]>;
def Known_vshl : Known<"vshl",
    "scalar-video-instructions", [
  Form<"vshl.{u32|s32}.{u32|s32}.u32{.sat}.{clamp|wrap} d:b32, a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vshl.{u32|s32}.{u32|s32}.u32{.sat}.{clamp|wrap}.{add|min|max} d:b32, "
       "a:b32, b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vshl.{u32|s32}.{u32|s32}.u32.{clamp|wrap} ~d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>]>;
def Known_vshr : Known<"vshr",
    "scalar-video-instructions", [
  Form<"vshr.{u32|s32}.{u32|s32}.u32{.sat}.{clamp|wrap} d:b32, a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vshr.{u32|s32}.{u32|s32}.u32{.sat}.{clamp|wrap}.{add|min|max} d:b32, "
       "a:b32, b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vshr.{u32|s32}.{u32|s32}.u32.{clamp|wrap} ~d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>]>;
def Known_vmad : Known<"vmad",
    "scalar-video-instructions", [
  Form<"vmad.{u32|s32}.{u32|s32}.{u32|s32}.{sat|po}.{shr7|shr15} d:b32, a:b32, "
       "b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmad.{u32|s32}.{u32|s32}.{u32|s32}{.sat|po|shr7|shr15} d:b32, a:b32, "
       "b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmad.{u32|s32}.{u32|s32}.{u32|s32}.po.sat{.shr7|shr15} d:b32, a:b32, "
       "b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmad.{u32|s32}.{u32|s32}.{u32|s32}{.sat} d:b32, -a:b32, b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmad.{u32|s32}.{u32|s32}.{u32|s32}{.sat} d:b32, a:b32, -b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmad.{u32|s32}.{u32|s32}.{u32|s32}{.sat} d:b32, a:b32, b:b32, -c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmad.s32.s32.u32 d:b32, ~a:b32, b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vmad.s32.s32.u32 d:b32, a:b32, -~b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>]>;
def Known_vset : Known<"vset",
    "scalar-video-instructions", [
  Form<"vset.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge} d:b32, a:b32, b:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vset.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge} ~d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"2.0", "sm_20+">]>,
  Form<"vset.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}.{add|min|max} d:b32, "
       "~a:b32, ~b:b32, c:b32",
       [Since<"2.0", "sm_20+">]>]>;
def Known_vset2 : Known<"vset2",
    "simd-video-instructions", [
  Form<"vset2.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}{.add} d:b32, a:b32, "
       "b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vset2.u32.u32.lt ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vset4 : Known<"vset4",
    "simd-video-instructions", [
  Form<"vset4.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}{.add} d:b32, a:b32, "
       "b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vset4.u32.u32.lt ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vadd2 : Known<"vadd2",
    "simd-video-instructions", [
  Form<"vadd2.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vadd2.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vadd2.s32.s32.s32 d:b32, ~a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vadd2.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vsub2 : Known<"vsub2",
    "simd-video-instructions", [
  Form<"vsub2.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vsub2.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vsub2.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vavrg2 : Known<"vavrg2",
    "simd-video-instructions", [
  Form<"vavrg2.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vavrg2.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vavrg2.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vabsdiff2 : Known<"vabsdiff2",
    "simd-video-instructions", [
  Form<"vabsdiff2.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vabsdiff2.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vabsdiff2.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vmin2 : Known<"vmin2",
    "simd-video-instructions", [
  Form<"vmin2.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vmin2.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vmin2.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vmax2 : Known<"vmax2",
    "simd-video-instructions", [
  Form<"vmax2.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vmax2.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vmax2.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vadd4 : Known<"vadd4",
    "simd-video-instructions", [
  Form<"vadd4.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vadd4.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vadd4.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vsub4 : Known<"vsub4",
    "simd-video-instructions", [
  Form<"vsub4.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vsub4.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vsub4.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vavrg4 : Known<"vavrg4",
    "simd-video-instructions", [
  Form<"vavrg4.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vavrg4.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vavrg4.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vabsdiff4 : Known<"vabsdiff4",
    "simd-video-instructions", [
  Form<"vabsdiff4.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vabsdiff4.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vabsdiff4.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vmin4 : Known<"vmin4",
    "simd-video-instructions", [
  Form<"vmin4.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vmin4.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vmin4.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
def Known_vmax4 : Known<"vmax4",
    "simd-video-instructions", [
  Form<"vmax4.{u32|s32}.{u32|s32}.{u32|s32}{.add|sat} d:b32, a:b32, b:b32, "
       "c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vmax4.s32.s32.s32 ~d:b32, a:b32, b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>,
  Form<"vmax4.u32.u32.u32 d:b32, ~a:b32, ~b:b32, c:b32",
       [Since<"3.0", "sm_30+">]>]>;
#endif
