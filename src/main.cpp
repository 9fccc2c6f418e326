// SPDX-License-Identifier: Apache-2.0
#include "program/cli/program.hpp"

int main(int argc, char** argv) {
  return tessera::run_program(argc, argv, tessera::build_catalogue());
}
