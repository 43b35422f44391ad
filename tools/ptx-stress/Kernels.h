//===- Kernels.h - kernels that change buffers in known ways ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXSTRESS_KERNELS_H
#define PTXJIT_TOOLS_PTXSTRESS_KERNELS_H

namespace stress {

/// Kernels on buffers of kWords (512) words. Those of `data` alone are launched
/// with 4 blocks of 128 threads, if nothing else is said.
inline const char *const kKernels = R"(.version 8.3
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 a,
  .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2_ptsz(
  .param .b64 a, .param .b64 b);
.global .align 1 .b8 format[4] = {37, 117, 10, 0};
.visible .global .align 4 .u32 counter;

// data[i] += value
.visible .entry add(.param .u64 data, .param .u32 value)
{
  .reg .b32 %r<5>; .reg .b64 %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %p, [data]; ld.param.u32 %r1, [value];
  mad.wide.u32 %p, %r4, 4, %p;
  ld.global.u32 %r2, [%p];
  add.u32 %r2, %r2, %r1;
  st.global.u32 [%p], %r2;
  ret;
}
// data[i] += i * value
.visible .entry ramp(.param .u64 data, .param .u32 value)
{
  .reg .b32 %r<5>; .reg .b64 %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %p, [data]; ld.param.u32 %r1, [value];
  mad.wide.u32 %p, %r4, 4, %p;
  ld.global.u32 %r2, [%p];
  mad.lo.u32 %r2, %r4, %r1, %r2;
  st.global.u32 [%p], %r2;
  ret;
}
// Turns the buffer around. One block of 512 threads.
.visible .entry reverse(.param .u64 data)
{
  .reg .b32 %i, %v, %s; .reg .b64 %p;
  .shared .align 4 .b8 tile[2048];
  mov.u32 %i, %tid.x;
  ld.param.u64 %p, [data];
  mad.wide.u32 %p, %i, 4, %p;
  ld.global.u32 %v, [%p];
  mov.u32 %s, tile;
  mad.lo.u32 %s, %i, 4, %s;
  st.shared.u32 [%s], %v;
  bar.sync 0;
  mov.u32 %s, tile;
  sub.u32 %i, 511, %i;
  mad.lo.u32 %s, %i, 4, %s;
  ld.shared.u32 %v, [%s];
  st.global.u32 [%p], %v;
  ret;
}
// data[i] += 2 * value, by atomics. 8 blocks of 128 threads.
.visible .entry vote(.param .u64 data, .param .u32 value)
{
  .reg .b32 %r<5>; .reg .b64 %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  and.b32 %r4, %r4, 511;
  ld.param.u64 %p, [data]; ld.param.u32 %r1, [value];
  mad.wide.u32 %p, %r4, 4, %p;
  red.global.add.u32 [%p], %r1;
  ret;
}
// Each word of `to` becomes the sum of all words of `from`. `scratch` has two
// words, 0 before and after.
.visible .entry total(.param .u64 from, .param .u64 scratch, .param .u64 to)
{
  .reg .b32 %r<6>; .reg .b64 %f, %s, %t; .reg .pred %first, %p;
  .shared .align 4 .u32 sum;
  .shared .align 4 .u32 ticket;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %f, [from]; ld.param.u64 %s, [scratch]; ld.param.u64 %t, [to];
  setp.eq.u32 %first, %r3, 0;
  @%first st.shared.u32 [sum], 0;
  bar.sync 0;
  mad.wide.u32 %f, %r4, 4, %f;
  ld.global.u32 %r5, [%f];
  red.shared.add.u32 [sum], %r5;
  bar.sync 0;
  @!%first bra WAIT;
  ld.shared.u32 %r5, [sum];
  red.global.add.u32 [%s], %r5;
  membar.gl;
  mov.u32 %r5, %nctaid.x;
  sub.u32 %r5, %r5, 1;
  atom.global.inc.u32 %r5, [%s+4], %r5;
  membar.gl;
  st.shared.u32 [ticket], %r5;
WAIT:
  bar.sync 0;
  ld.shared.u32 %r5, [ticket];
  setp.ne.u32 %p, %r5, 3;
  @%p ret;
  ld.volatile.global.u32 %r5, [%s];
  mad.wide.u32 %t, %r3, 16, %t;
  st.global.u32 [%t], %r5; st.global.u32 [%t+4], %r5;
  st.global.u32 [%t+8], %r5; st.global.u32 [%t+12], %r5;
  bar.sync 0;
  @%first st.global.u32 [%s], 0;
  ret;
}
// data[i] += value, by a kernel that this one launches. One thread.
.visible .entry parent(.param .u64 data, .param .u32 value)
{
  .reg .b64 %k, %b, %d; .reg .b32 %v; .reg .pred %p;
  .param .b64 a, stream, buffer; .param .b32 c, r;
  .param .align 4 .b8 grid[12], block[12];
  mov.u64 %k, add; st.param.b64 [a], %k;
  st.param.b32 [grid], 4; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
  st.param.b32 [block], 128; st.param.b32 [block+4], 1;
  st.param.b32 [block+8], 1;
  st.param.b32 [c], 0;
  call (buffer), __cudaCDP2GetParameterBufferV2, (a, grid, block, c);
  ld.param.b64 %b, [buffer];
  ld.param.u64 %d, [data]; ld.param.u32 %v, [value];
  st.u64 [%b], %d; st.u32 [%b+8], %v;
  st.param.b64 [a], %b; st.param.b64 [stream], 0;
  call (r), __cudaCDP2LaunchDeviceV2_ptsz, (a, stream);
  ld.param.b32 %v, [r];
  setp.ne.u32 %p, %v, 0;
  @%p trap;
  ret;
}
// Prints a number for each thread, and counts.
.visible .entry print(.param .u32 value)
{
  .local .align 8 .b8 arguments[8];
  .reg .b64 %f, %a; .reg .b32 %v;
  .param .b64 p0, p1; .param .b32 r;
  ld.param.u32 %v, [value];
  st.local.u32 [arguments], %v;
  mov.u64 %a, arguments; cvta.local.u64 %a, %a;
  mov.u64 %f, format; cvta.global.u64 %f, %f;
  st.param.b64 [p0], %f; st.param.b64 [p1], %a;
  call (r), vprintf, (p0, p1);
  red.global.add.u32 [counter], 1;
  ret;
}
// Sets the condition to --*left. One thread.
.visible .entry countdown(.param .u64 left, .param .u64 handle)
{
  .reg .b32 %v; .reg .b64 %p, %h;
  .param .b64 a; .param .b32 b;
  ld.param.u64 %p, [left]; ld.param.u64 %h, [handle];
  ld.global.u32 %v, [%p];
  sub.u32 %v, %v, 1;
  st.global.u32 [%p], %v;
  st.param.b64 [a], %h; st.param.b32 [b], %v;
  call.uni cudaGraphSetConditional, (a, b);
  ret;
}
.visible .entry crash() { trap; }
// data[i] = texel i % 32 of row i / 32
.visible .entry texels(.param .u64 data, .param .u64 texture)
{
  .reg .b32 %r<9>; .reg .b64 %p, %t;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %p, [data]; ld.param.u64 %t, [texture];
  mad.wide.u32 %p, %r4, 4, %p;
  and.b32 %r1, %r4, 31; shr.u32 %r2, %r4, 5;
  tex.2d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%t, {%r1, %r2}];
  st.global.u32 [%p], %r5;
  ret;
}
)";

/// A module of its own: `bump` adds 1 to the word at `data`, and to `calls`.
inline const char *const kSmallModule = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 calls;
.visible .entry bump(.param .u64 data)
{
  .reg .b64 %p;
  ld.param.u64 %p, [data];
  red.global.add.u32 [%p], 1;
  red.global.add.u32 [calls], 1;
  ret;
}
)";

} // namespace stress

#endif
