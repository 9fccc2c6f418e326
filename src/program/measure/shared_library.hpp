// SPDX-License-Identifier: Apache-2.0
// A vendor's library that may be there at run time, so that nothing of it is needed to build.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace tessera::measure {

/// Opened for the life of the process: such libraries keep threads, and closing them is not safe.
class SharedLibrary {
 public:
  /// The first of the names that the loader finds.
  SharedLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    }
  }

  /// Sets `function` to the symbol; returns whether there is one.
  template <class Function>
  bool find(const char* symbol, Function*& function) const {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, symbol));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace tessera::measure
