// Plugins that are wrong in one way each, told apart by the FAULT_... macro they are built with;
// without one it is sound and supports everything.
#include "src/profile/fa3prof_plugin.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#ifndef NAME
#define NAME "broken"
#endif
#ifndef VERSION
#define VERSION "1.0"
#endif
#ifndef ABI
#define ABI FA3PROF_PLUGIN_ABI_VERSION
#endif
#ifndef SIZE
#define SIZE sizeof(fa3prof_plugin)
#endif
#ifndef SUPPORTS
#define SUPPORTS supports
#endif
#ifndef WORKSPACE
#define WORKSPACE workspace_bytes
#endif
#ifndef LAUNCH
#define LAUNCH launch
#endif
#ifndef PRODUCTS
#define PRODUCTS FA3PROF_PRODUCTS_OF_DTYPE
#endif

#ifdef FAULT_UNRESOLVED
extern "C" void function_that_nobody_defines();
#endif

namespace {

[[maybe_unused]] int32_t supports(const fa3prof_problem* /*problem*/, char* reason, size_t) {
#ifdef FAULT_THROW
  throw std::runtime_error("out of ideas");
#endif
#ifdef FAULT_CRASH
  *static_cast<volatile int*>(nullptr) = 1;
#endif
#ifdef FAULT_EXITS
  std::printf("the plugin's last words\n");
  std::exit(FAULT_EXITS);
#endif
#ifdef FAULT_UNPRINTABLE_REASON
  reason[0] = 'a';
  reason[1] = '\x1b';
  reason[2] = 'z';
  return 0;
#endif
#ifdef FAULT_NO_REASON
  return 0;
#endif
  reason[0] = '\0';
  return 1;
}

[[maybe_unused]] uint64_t workspace_bytes(const fa3prof_problem* /*problem*/) {
#ifdef FAULT_HUGE_WORKSPACE
  return ~uint64_t{0};
#else
  return 0;
#endif
}

[[maybe_unused]] int32_t launch(const fa3prof_problem*, const fa3prof_tensors*, char*, size_t) {
#ifdef FAULT_UNRESOLVED
  function_that_nobody_defines();
#endif
  return 0;
}

}  // namespace

#ifndef FAULT_NO_ENTRY
extern "C" const fa3prof_plugin* fa3prof_plugin_entry(void) {
#ifdef FAULT_ENTRY_EXITS
  std::exit(0);
#endif
#ifdef FAULT_ENTRY_ABORTS
  std::abort();
#endif
#ifdef FAULT_NULL_TABLE
  return nullptr;
#else
  static const fa3prof_plugin plugin = {ABI,      SIZE,      NAME,   VERSION, nullptr,
                                        SUPPORTS, WORKSPACE, LAUNCH, PRODUCTS};
  return &plugin;
#endif
}
#endif
