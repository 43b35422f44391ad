//===- InterfaceTest.cpp - the C++ interface as programs use it -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/ptxjit.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace ptxjit;

namespace {

const char *const kText = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .u32 counter = 7;
.visible .entry scale(.param .u64 x, .param .f32 a, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p exit;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  ld.global.f32 %f2, [%rd2];
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%rd2], %f2;
  ret;
}
.visible .entry bytes(.param .u64 out, .param .align 4 .b8 pair[12]) {
  .reg .b32 %r<4>; .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  ld.param.u32 %r1, [pair]; ld.param.u32 %r2, [pair+4]; ld.param.u32 %r3, [pair+8];
  add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
  st.global.u32 [%rd], %r1;
  ret;
}
.visible .entry count(.param .u64 out) {
  .reg .b32 %r<2>; .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  atom.global.add.u32 %r1, [counter], 1;
  st.global.u32 [%rd], %r1;
  ret;
}
.visible .entry stop() { trap; }
.visible .entry exact() .reqntid 16, 2 { ret; }
)";

Module load(const char *text = kText) {
  auto module = Module::load(text, "test.ptx");
  EXPECT_TRUE(module) << module.getError().getMessage();
  return *module;
}

Kernel get(const char *name) {
  auto kernel = load().getKernel(name);
  EXPECT_TRUE(kernel) << kernel.getError().getMessage();
  return *kernel;
}

template <typename T> Buffer<T> allocate(size_t count) {
  auto buffer = Buffer<T>::allocate(count);
  EXPECT_TRUE(buffer);
  return *buffer;
}

void expectError(const Error &error, ErrorCode code, const char *text) {
  EXPECT_EQ(error.getCode(), code) << error.getMessage();
  EXPECT_NE(error.getMessage().find(text), std::string::npos)
      << error.getMessage();
}

/// A fat binary in nvcc's form, with one text that is not compressed.
std::string makeFatBinary(const std::string &text, uint32_t arch = 80) {
  std::string entry(64, 0), header(16, 0);
  auto put = [](std::string &bytes, size_t at, auto value) {
    std::memcpy(&bytes[at], &value, sizeof(value));
  };
  put(entry, 0, uint16_t(1)); // PTX
  put(entry, 4, uint32_t(entry.size()));
  put(entry, 8, uint64_t(text.size() + 1));
  put(entry, 28, arch);
  put(header, 0, 0xba55ed50u);
  put(header, 4, uint16_t(1));
  put(header, 6, uint16_t(header.size()));
  put(header, 8, uint64_t(entry.size() + text.size() + 1));
  return header + entry + text + '\0';
}

} // namespace

TEST(Interface, RunsAKernel) {
  Kernel scale = get("scale");
  auto x = allocate<float>(100);
  for (float &value : x)
    value = 3;
  EXPECT_FALSE(scale.launch(1, 128, x, 0.5f, 99));
  EXPECT_EQ(x[98], 1.5f);
  EXPECT_EQ(x[99], 3.0f);
  // Other memory will do, and so will unsigned numbers and enumerators.
  std::vector<float> plain(4, 2.0f);
  enum Count { Four = 4 };
  EXPECT_FALSE(scale.launch(1, 32, plain.data(), 2.0f, Four));
  EXPECT_EQ(plain[3], 4.0f);
}

TEST(Interface, HandlesKeepWhatTheyReferTo) {
  auto x = allocate<float>(1);
  Buffer<float> same = x;
  x[0] = 1;
  Kernel kernel = get("scale"); // the module's own handle is gone
  EXPECT_FALSE(kernel.launch(1, 1, same, 4.0f, 1));
  EXPECT_EQ(x[0], 4.0f);
}

TEST(Interface, ArgumentsHaveToFit) {
  Kernel scale = get("scale");
  auto x = allocate<float>(1);
  expectError(scale.launch(1, 1, x, 1.0f), ErrorCode::InvalidArgument,
              "kernel 'scale' takes 3 arguments, 2 are given: .u64 x, .f32 a, "
              ".u32 n");
  expectError(scale.launch(1, 1, x, 1, 1), ErrorCode::InvalidArgument,
              "parameter 2 is .f32 a, the argument an integer of 4 bytes");
  expectError(scale.launch(1, 1, x, 1.0, 1), ErrorCode::InvalidArgument,
              "a floating-point number of 8 bytes");
  expectError(scale.launch(1, 1, x, 1.0f, x), ErrorCode::InvalidArgument,
              "parameter 3 is .u32 n, the argument a pointer of 8 bytes");
  expectError(scale.launch(1, 1, x, 1.0f, 1.0f), ErrorCode::InvalidArgument,
              "parameter 3");
}

TEST(Interface, StructsGoByValue) {
  Kernel bytes = get("bytes");
  struct {
    uint32_t a = 1, b = 20, c = 300;
  } three;
  auto out = allocate<uint32_t>(1);
  EXPECT_FALSE(bytes.launch(1, 1, out, three));
  EXPECT_EQ(out[0], 321u);
  struct {
    uint32_t a, b;
  } two = {};
  expectError(bytes.launch(1, 1, out, two), ErrorCode::InvalidArgument,
              "is .b8 pair[12], the argument a struct of 8 bytes");
}

TEST(Interface, TypesAtRunTime) {
  Kernel scale = get("scale");
  auto x = allocate<float>(1);
  x[0] = 3;
  float factor = 2;
  uint32_t count = 1;
  using Kind = Argument::Kind;
  EXPECT_FALSE(scale.launch(1, 1, x, Argument(Kind::Float, &factor, 4),
                            Argument(Kind::Integer, &count, 4)));
  EXPECT_EQ(x[0], 6.0f);
  // Bytes have no type, only a size.
  Argument bits(Kind::Bytes, &factor, 4);
  EXPECT_FALSE(scale.launch(1, 1, x, bits, bits));
  EXPECT_EQ(x[0], 12.0f);
  expectError(scale.launch(1, 1, x, Argument(Kind::Integer, &factor, 4), 1),
              ErrorCode::InvalidArgument, "parameter 2 is .f32 a");
}

TEST(Interface, Extents) {
  Kernel scale = get("scale"), exact = get("exact");
  auto x = allocate<float>(1);
  expectError(scale.launch(1, {1024, 2}, x, 1.0f, 1),
              ErrorCode::InvalidArgument, "1024");
  expectError(scale.launch({1, 0}, 1, x, 1.0f, 1), ErrorCode::InvalidArgument,
              "");
  expectError(exact.launch(1, 32), ErrorCode::InvalidArgument, "exact");
  EXPECT_FALSE(exact.launch(1, {16, 2}));
  EXPECT_EQ(exact.getRequiredBlock().y, 2u);
  EXPECT_EQ(scale.getMaxBlock().x, 0u);
}

TEST(Interface, FaultsNameTheThread) {
  Kernel scale = get("scale");
  auto x = allocate<float>(64);
  expectError(scale.launch(1, 256, x, 1.0f, 70), ErrorCode::IllegalAddress,
              "thread (64,0,0)");
  expectError(
      scale.launch(1, 1, reinterpret_cast<char *>(x.data()) + 2, 1.0f, 1),
      ErrorCode::MisalignedAddress, "test.ptx:12");
  expectError(get("stop").launch(1, 1), ErrorCode::Trap, "trap");
  // Nothing is left of it.
  EXPECT_FALSE(scale.launch(1, 64, x, 1.0f, 64));
}

TEST(Interface, EdgesOfBuffers) {
  auto x = allocate<float>(10);
  EXPECT_FALSE(x.checkEdges());
  EXPECT_FALSE(get("scale").launch(1, 32, x, 2.0f, 11));
  expectError(x.checkEdges(), ErrorCode::IllegalAddress,
              "something wrote behind a buffer, which has 40 bytes: at offset "
              "4"); // or one of the next bytes
  expectError(x.checkEdges("'scale'", "x"), ErrorCode::IllegalAddress,
              "'scale' wrote behind x, which has 40 bytes: at offset 4");
  Buffer<int> none;
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_FALSE(none.checkEdges());
  auto empty = allocate<double>(0);
  EXPECT_EQ(empty.begin(), empty.end());
  EXPECT_FALSE(empty.checkEdges());
  EXPECT_EQ(Buffer<double>::allocate(SIZE_MAX / 2).getError().getCode(),
            ErrorCode::OutOfMemory);
}

TEST(Interface, Variables) {
  Module module = load();
  auto counter = module.getVariable("counter");
  ASSERT_TRUE(counter);
  auto out = allocate<uint32_t>(1);
  EXPECT_FALSE(module.getKernel("count")->launch(1, 1, out));
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(*static_cast<uint32_t *>(*counter), 8u);
  expectError(module.getVariable("conter").getError(), ErrorCode::NotFound,
              "there is no variable 'conter'");
}

TEST(Interface, WhatIsNotThere) {
  Module module = load();
  expectError(module.getKernel("scala").getError(), ErrorCode::NotFound,
              "there is no kernel 'scala'; the module has: scale, bytes, ");
  expectError(Module::loadFile("/nowhere.ptx").getError(), ErrorCode::NotFound,
              "/nowhere.ptx: No such file or directory");
  expectError(Module::loadFile("/").getError(), ErrorCode::NotFound, "/: ");
  Error error =
      Module::load(".version 8.0 .target sm_80 rubbish", "x.ptx").getError();
  expectError(error, ErrorCode::InvalidPtx, "x.ptx:1:");
  EXPECT_NE(error.getMessage().back(), '\n');
  expectError(module.getKernel("scale")->emit("soup", {}).getError(),
              ErrorCode::CompilerFailed, "soup");
}

TEST(Interface, Parameters) {
  std::vector<Parameter> list = get("bytes").getParameters();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "out");
  EXPECT_EQ(list[0].type, "u64");
  EXPECT_EQ(list[1].type, "b8");
  EXPECT_EQ(list[1].count, 12u);
  EXPECT_EQ(list[1].bytes, 12u);
  EXPECT_EQ(load().getKernelNames().size(), 5u);
}

TEST(Interface, Options) {
  CompileOptions options;
  options.chunk = 4;
  options.mode = CompileOptions::Mode::Fibers;
  Kernel scale = get("scale").withOptions(options);
  LaunchConfig config{1, 64};
  auto info = scale.compile(config);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->chunk, 4u);
  EXPECT_EQ(info->mode, "fibers");
  EXPECT_GT(info->codeBytes, 0u);
  EXPECT_FALSE(info->isDegraded);
  auto x = allocate<float>(64);
  x[63] = 2;
  EXPECT_FALSE(scale.launch(config, x, 2.0f, 64));
  EXPECT_FALSE(scale.interpret(config, {x, 2.0f, 64}));
  EXPECT_EQ(x[63], 8.0f);
  auto text = scale.emit("ptx", config);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("@scale"), std::string::npos);
  options.chunk = 3;
  expectError(get("scale").withOptions(options).launch(config, x, 2.0f, 64),
              ErrorCode::CompilerFailed, "chunk must be 1, 4, 8 or 16");
  options.chunk = 0;
  options.cpu = "z80";
  expectError(get("scale").withOptions(options).launch(config, x, 2.0f, 64),
              ErrorCode::CompilerFailed, "z80");
}

TEST(Interface, WhatTheCompilerDid) {
  LaunchConfig config{1, 64};
  auto report = get("scale").emit("explain", config);
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("contiguous load"), std::string::npos) << *report;
  CompileOptions options;
  options.failAt = "optimize";
  Kernel scale = get("scale").withOptions(options);
  auto info = scale.compile(config);
  ASSERT_TRUE(info);
  EXPECT_TRUE(info->isDegraded);
  auto x = allocate<float>(64);
  x[63] = 2;
  EXPECT_FALSE(scale.launch(config, x, 2.0f, 64));
  EXPECT_EQ(x[63], 4.0f);
}

TEST(Interface, CompilesForABlock) {
  auto info = get("scale").compileForBlock(64);
  ASSERT_TRUE(info) << info.getError().getMessage();
  EXPECT_GT(info->codeBytes, 0u);
  EXPECT_TRUE(get("exact").compileForBlock({16, 2}));
  expectError(get("exact").compileForBlock(32).getError(),
              ErrorCode::InvalidArgument, "requires blocks of 16,2,1 threads");
  expectError(get("scale").compileForBlock(0).getError(),
              ErrorCode::InvalidArgument,
              "a block must have 1 to 1024 threads");
}

TEST(Interface, TexturesHaveLimits) {
  using Shape = TextureConfig::Shape;
  auto count = [](auto change) {
    TextureConfig config;
    change(config);
    return Texture::countBytes(config);
  };
  EXPECT_EQ(count([](TextureConfig &c) { c.width = c.height = 1 << 17; }),
            size_t(4) << 34);
  EXPECT_EQ(count([](TextureConfig &c) { c.width = (1 << 17) + 1; }), 0u);
  EXPECT_EQ(count([](TextureConfig &c) { c.height = 0; }), 0u);
  EXPECT_EQ(count([](TextureConfig &c) {
              c.shape = Shape::Linear;
              c.width = 1 << 27;
            }),
            size_t(4) << 27);
  EXPECT_EQ(count([](TextureConfig &c) {
              c.shape = Shape::D3;
              c.width = c.height = c.depth = 1 << 17;
            }),
            0u);
  // Samples are up to 4 GB apart.
  EXPECT_EQ(count([](TextureConfig &c) {
              c.samples = 4;
              c.width = 1 << 15;
              c.height = 1 << 14;
            }),
            size_t(16) << 29);
  EXPECT_EQ(count([](TextureConfig &c) {
              c.samples = 4;
              c.width = c.height = 1 << 15;
            }),
            0u);
  EXPECT_EQ(count([](TextureConfig &c) { c.shape = Shape(5); }), 0u);
  EXPECT_EQ(count([](TextureConfig &c) { c.shape = Shape(-1); }), 0u);
  EXPECT_EQ(
      count([](TextureConfig &c) { c.address[1] = TextureConfig::Address(9); }),
      0u);
  TextureConfig wide;
  wide.width = 1 << 24;
  expectError(Texture::create(nullptr, wide).getError(),
              ErrorCode::InvalidArgument, "too large");
}

TEST(Interface, Multicast) {
  EXPECT_EQ(Multicast().getAddress(), 0u);
  auto memory = Buffer<uint32_t>::allocate(8);
  ASSERT_TRUE(memory);
  void *first = memory->data(), *second = memory->data() + 4;
  auto made = Multicast::create({first, second}, 16);
  ASSERT_TRUE(made);
  EXPECT_NE(made->getAddress(), 0u);
  auto expectInvalid = [](const std::vector<void *> &memories, size_t bytes) {
    expectError(Multicast::create(memories, bytes).getError(),
                ErrorCode::InvalidArgument, "");
  };
  expectInvalid({}, 16);
  expectInvalid(std::vector<void *>(65, first), 16);
  expectInvalid({first}, 0);
  expectInvalid({first}, 8);
  expectInvalid({first, nullptr}, 16);
  expectInvalid({first, memory->data() + 1}, 16);
  expectError(Multicast::create({first}, SIZE_MAX - 15).getError(),
              ErrorCode::OutOfMemory, "");
}

TEST(Interface, DeviceCodeIsListed) {
  std::vector<DeviceImage> images;
  auto list = [&](std::string_view file, bool isThorough = true) {
    images.clear();
    return listDeviceCode(file, isThorough, [&](const DeviceImage &image) {
      images.push_back(image);
    });
  };
  std::string fat = makeFatBinary(kText), newer = makeFatBinary(kText, 90);
  EXPECT_FALSE(list("in front\1" + fat + newer));
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].kind, DeviceImage::Kind::Ptx);
  EXPECT_EQ(images[0].architecture, "compute_80");
  EXPECT_TRUE(images[0].isInFatBinary && images[0].isUsable);
  EXPECT_EQ(images[0].fatBinaryOffset, 9u);
  EXPECT_EQ(images[0].kernels, load().getKernelNames());
  EXPECT_EQ(images[1].fatBinaryOffset, 9 + fat.size());
  EXPECT_FALSE(images[1].isUsable);
  EXPECT_FALSE(list(kText));
  ASSERT_EQ(images.size(), 1u);
  EXPECT_FALSE(images[0].isInFatBinary);
  // Large images are read only if that is asked for.
  std::string large = makeFatBinary(kText + std::string(20000, ' '));
  EXPECT_FALSE(list(large, false));
  EXPECT_FALSE(images.at(0).isRead);
  EXPECT_FALSE(list(large));
  EXPECT_TRUE(images.at(0).isRead);
  for (std::string_view none : {"", "text", "\1\2\3"}) {
    EXPECT_FALSE(list(none));
    EXPECT_TRUE(images.empty());
  }
  expectError(list(fat.substr(0, fat.size() - 1)), ErrorCode::InvalidArgument,
              "the fat binary at 0x0 is damaged");
  EXPECT_EQ(getDeviceName(), "sm_80");
}

TEST(Interface, FatBinaries) {
  std::string first = makeFatBinary(kText) + "rubbish behind the end";
  auto module = Module::loadFatBinaries({first});
  ASSERT_TRUE(module) << module.getError().getMessage();
  EXPECT_TRUE(module->getKernel("scale"));

  std::string second = makeFatBinary(".version 8.0\n.target sm_80\n"
                                     ".address_size 64\n"
                                     ".visible .entry other() { ret; }\n");
  module = Module::loadFatBinaries({first, second});
  ASSERT_TRUE(module) << module.getError().getMessage();
  EXPECT_TRUE(module->getKernel("scale"));
  EXPECT_TRUE(module->getKernel("other"));

  std::string newer = makeFatBinary(kText, 90);
  expectError(Module::loadFatBinaries({newer}).getError(), ErrorCode::NotFound,
              "no PTX for sm_80, but PTX for sm_90");
  for (size_t bytes : {0, 10, 16, 40, 100})
    expectError(
        Module::loadFatBinaries({std::string_view(first).substr(0, bytes)})
            .getError(),
        ErrorCode::NotFound, "damaged");
  expectError(Module::loadFatBinaries({makeFatBinary("rubbish")}).getError(),
              ErrorCode::InvalidPtx, "<image>:1:1");
}

TEST(Interface, Caches) {
  char name[] = "/tmp/ptxjit-cache-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  std::string folder = name;
  auto cache = Cache::openShared(folder);
  ASSERT_TRUE(cache) << cache.getError().getMessage();
  EXPECT_EQ(cache->getFolder(), folder);
  EXPECT_TRUE(cache->list().empty());
  CacheEntry entry{};
  entry.file = "kernel." + std::string(32, '0');
  expectError(cache->remove(entry), ErrorCode::NotFound,
              (folder + "/kernel.0").c_str());
  std::ofstream(folder + "/" + entry.file) << "damaged";
  ASSERT_EQ(cache->list().size(), 1u);
  EXPECT_EQ(cache->list()[0].state, CacheEntry::State::Damaged);
  EXPECT_EQ(cache->list()[0].bytes, 7u);
  EXPECT_FALSE(cache->remove(cache->list()[0]));
  EXPECT_TRUE(cache->list().empty());
  ASSERT_EQ(rmdir(name), 0);
  expectError(Cache::openShared(folder).getError(), ErrorCode::InvalidArgument,
              "is refused: No such file or directory");
  // The cache of this process has been chosen with the first module.
  load();
  expectError(Cache::fillShared(folder), ErrorCode::InvalidArgument,
              "this process uses another cache already");
}

TEST(Interface, Streams) {
  Kernel scale = get("scale"), stop = get("stop");
  auto x = allocate<float>(32);
  x[31] = 1;
  Stream stream;
  LaunchConfig config{1, 32};
  float seen = 0;
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(stream.launch(scale, config, x, 2.0f, 32));
  stream.run([&] { seen = x[31]; });
  EXPECT_FALSE(stream.synchronize());
  EXPECT_EQ(seen, 8.0f);
  expectError(stream.launch(scale, config), ErrorCode::InvalidArgument,
              "takes 3 arguments");
  // After an error all is dropped, until it was returned.
  EXPECT_FALSE(stream.launch(stop, config));
  EXPECT_FALSE(stream.launch(scale, config, x, 2.0f, 32));
  stream.run([&] { seen = 0; });
  expectError(stream.synchronize(), ErrorCode::Trap, "stop");
  EXPECT_EQ(x[31], 8.0f);
  EXPECT_EQ(seen, 8.0f);
  EXPECT_FALSE(stream.launch(scale, config, x, 2.0f, 32));
  EXPECT_FALSE(stream.synchronize());
  EXPECT_EQ(x[31], 16.0f);
}

TEST(Interface, TheEndOfAStreamWaits) {
  std::atomic<int> done{0};
  {
    Stream stream;
    Stream same = stream;
    same.run([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++done;
    });
  }
  EXPECT_EQ(done, 1);
}

TEST(Interface, ManyThreads) {
  Kernel scale = get("scale");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      auto x = Buffer<float>::allocate(64);
      (*x)[1] = 1;
      for (int i = 0; i < 10; ++i)
        wrong += bool(scale.launch(1, 32 * (t % 3 + 1), *x, 2.0f, 64));
      wrong += (*x)[1] != 1024.0f;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Interface, OldModulesNeedLowMemory) {
  Module module = load(R"(.version 8.0
.target sm_80
.address_size 32
.visible .entry set(.param .u32 p) {
  .reg .b32 %r;
  ld.param.u32 %r, [p];
  st.global.u32 [%r], 5;
  ret;
}
.visible .entry set_wide(.param .u64 p) {
  .reg .b32 %r;
  ld.param.u32 %r, [p];
  st.global.u32 [%r], 6;
  ret;
})");
  EXPECT_TRUE(module.needsLowMemory());
  EXPECT_FALSE(load().needsLowMemory());
  auto low = Buffer<uint32_t>::allocate(1, module.needsLowMemory());
  ASSERT_TRUE(low);
  EXPECT_FALSE(module.getKernel("set")->launch(1, 1, *low));
  EXPECT_EQ((*low)[0], 5u);
  EXPECT_FALSE(module.getKernel("set_wide")->launch(1, 1, *low));
  EXPECT_EQ((*low)[0], 6u);
}

TEST(Interface, Version) { EXPECT_STREQ(getVersion(), PTXJIT_EXPECTED); }
