// SPDX-License-Identifier: Apache-2.0
// The one unit that is compiled with the build's paths.
#include "fixtures/paths.hpp"

namespace tessera {

const char* program_path() { return TESSERA_BINARY; }
const char* source_directory() { return TESSERA_SOURCE_DIR; }

}  // namespace tessera
