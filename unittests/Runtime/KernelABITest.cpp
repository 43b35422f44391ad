//===- KernelABITest.cpp - the layout that compiled code relies on --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a line here must change, so must PTXJIT_KERNEL_ABI_VERSION.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/KernelABI.h"

#include <gtest/gtest.h>

TEST(KernelABI, Layout) {
  EXPECT_EQ(PTXJIT_KERNEL_ABI_VERSION, 27u);
  EXPECT_EQ(PTXJIT_SHARED_BASE, 1024u);
  EXPECT_EQ(sizeof(PtxjitKernelContext), 208u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, abiVersion), 0u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, status), 4u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, ctaid), 8u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, nctaid), 20u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, params), 32u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, globals), 40u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, shared), 48u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, local), 56u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, gridid), 64u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, dynamicShared), 72u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, totalShared), 76u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, smid), 80u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, nsmid), 84u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, helpers), 88u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, runtime), 96u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, localStride), 104u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, gridWorkspace), 112u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, frame), 120u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, clusterDim), 128u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, clusterRank), 140u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, explicitCluster), 144u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, tensorCore), 152u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, launch), 160u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, largeArrays), 168u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, sweptCtas), 176u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, sweptCta), 180u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, graphExec), 184u);
  EXPECT_EQ(offsetof(PtxjitKernelContext, ntid), 192u);
  EXPECT_EQ(offsetof(PtxjitGridWorkspace, barrier), 4u);
  EXPECT_EQ(sizeof(PtxjitHelpers), 168u);
  EXPECT_EQ(offsetof(PtxjitHelpers, barrier), 0u);
  EXPECT_EQ(offsetof(PtxjitHelpers, yield), 8u);
  EXPECT_EQ(offsetof(PtxjitHelpers, gather), 16u);
  EXPECT_EQ(offsetof(PtxjitHelpers, leave), 24u);
  EXPECT_EQ(offsetof(PtxjitHelpers, fault), 32u);
  EXPECT_EQ(offsetof(PtxjitHelpers, system), 40u);
  EXPECT_EQ(offsetof(PtxjitHelpers, mbarrier), 48u);
  EXPECT_EQ(offsetof(PtxjitHelpers, clusterBarrier), 56u);
  EXPECT_EQ(offsetof(PtxjitHelpers, time), 64u);
  EXPECT_EQ(offsetof(PtxjitHelpers, copyTensor), 72u);
  EXPECT_EQ(offsetof(PtxjitHelpers, replaceInTensorMap), 80u);
  EXPECT_EQ(offsetof(PtxjitHelpers, warpgroupBarrier), 88u);
  EXPECT_EQ(offsetof(PtxjitHelpers, manageTensorMemory), 96u);
  EXPECT_EQ(offsetof(PtxjitHelpers, findCells), 104u);
  EXPECT_EQ(offsetof(PtxjitHelpers, multiplyTensors), 112u);
  EXPECT_EQ(offsetof(PtxjitHelpers, copyCells), 120u);
  EXPECT_EQ(offsetof(PtxjitHelpers, shiftCells), 128u);
  EXPECT_EQ(offsetof(PtxjitHelpers, commitTensors), 136u);
  EXPECT_EQ(offsetof(PtxjitHelpers, cancelCluster), 144u);
  EXPECT_EQ(offsetof(PtxjitHelpers, accessTexture), 152u);
  EXPECT_EQ(offsetof(PtxjitHelpers, accessMultimem), 160u);
  EXPECT_EQ(offsetof(PtxjitMultimemAccess, active), 20u);
  EXPECT_EQ(offsetof(PtxjitMultimemAccess, action), 24u);
  EXPECT_EQ(sizeof(PtxjitMultimemAccess), 32u);
  EXPECT_EQ(sizeof(PtxjitTextureAccess), 40u);
  EXPECT_EQ(offsetof(PtxjitTextureAccess, rows), 16u);
  EXPECT_EQ(offsetof(PtxjitTextureAccess, lanes), 24u);
  EXPECT_EQ(offsetof(PtxjitTextureAccess, action), 32u);
  EXPECT_EQ(sizeof(PtxjitTensorMultiply), 88u);
  EXPECT_EQ(offsetof(PtxjitTensorMultiply, d), 32u);
  EXPECT_EQ(offsetof(PtxjitTensorMultiply, disabledLanes), 52u);
  EXPECT_EQ(offsetof(PtxjitTensorMultiply, flags), 87u);
  EXPECT_EQ(sizeof(PtxjitCellCopy), 16u);
  EXPECT_EQ(offsetof(PtxjitCellCopy, isForPair), 15u);
  EXPECT_EQ(sizeof(PtxjitTensorCopy), 56u);
  EXPECT_EQ(offsetof(PtxjitTensorCopy, mbarrier), 16u);
  EXPECT_EQ(offsetof(PtxjitTensorCopy, at), 24u);
  EXPECT_EQ(offsetof(PtxjitTensorCopy, offsets), 44u);
  EXPECT_EQ(offsetof(PtxjitTensorCopy, ctas), 50u);
  EXPECT_EQ(offsetof(PtxjitTensorCopy, to), 55u);
  EXPECT_EQ(PTXJIT_MBARRIER_TX_SHIFT + PTXJIT_MBARRIER_TX_BITS,
            PTXJIT_MBARRIER_PHASE_SHIFT);
  EXPECT_EQ(sizeof(PtxjitGathered), 264u);
  EXPECT_EQ(offsetof(PtxjitGathered, yes), 4u);
  EXPECT_EQ(offsetof(PtxjitGathered, values), 8u);
  EXPECT_EQ(PTXJIT_FUNCTION_ADDRESS(2), 288u);
}
