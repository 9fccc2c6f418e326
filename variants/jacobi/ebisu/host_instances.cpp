// SPDX-License-Identifier: Apache-2.0
// All instances in one unit, for hosts: their binaries plan the streams of devices and never launch
// them, so that no kernel is compiled.
#include "variants/jacobi/ebisu/instance_definitions.hpp"

namespace tessera::jacobi {
template struct EbisuInstance<J2d5pt, float>;
template struct EbisuInstance<J2d9pt, float>;
template struct EbisuInstance<J2d9ptGol, float>;
template struct EbisuInstance<J2d25pt, float>;
template struct EbisuInstance<J3d7pt, float>;
template struct EbisuInstance<J3d13pt, float>;
template struct EbisuInstance<J3d17pt, float>;
template struct EbisuInstance<J3d27pt, float>;
template struct EbisuInstance<Poisson, float>;
template struct EbisuInstance<J2d5pt, double>;
template struct EbisuInstance<J2d9pt, double>;
template struct EbisuInstance<J2d9ptGol, double>;
template struct EbisuInstance<J2d25pt, double>;
template struct EbisuInstance<J3d7pt, double>;
template struct EbisuInstance<J3d13pt, double>;
template struct EbisuInstance<J3d17pt, double>;
template struct EbisuInstance<J3d27pt, double>;
template struct EbisuInstance<Poisson, double>;
}  // namespace tessera::jacobi
