# SPDX-License-Identifier: Apache-2.0
# Variants: the files of variants/FAMILY/ become the library tessera_variants, and
# the one generated source that calls each variant's registration function becomes
# tessera_catalogue.

set_property(GLOBAL PROPERTY TESSERA_VARIANTS "")
set_property(GLOBAL PROPERTY TESSERA_INSTANCES "")

# Finds the variants of the enabled families: each variants/<family>/<name>.cpp but the family's
# formula defines `void tessera::register_<family>_<name>(Registry&)`.
function(tessera_find_variants)
  foreach(family IN LISTS TESSERA_FAMILIES)
    file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/variants/${family}/*.cpp")
    list(FILTER files EXCLUDE REGEX "/formula[.]cpp$")
    foreach(file IN LISTS files)
      get_filename_component(name "${file}" NAME_WE)
      set_property(GLOBAL APPEND PROPERTY TESSERA_VARIANTS "${family}/${name}")
    endforeach()
  endforeach()
endfunction()

# tessera_add_instances(<family>/<variant> [TOGETHER] <stencil type>...): compiles
# variants/<family>/<variant>/instance.cpp.in once for each stencil and precision, as its
# @TESSERA_STENCIL@ and @TESSERA_REAL@; TOGETHER: all in one unit. Nothing where the family is not
# enabled.
function(tessera_add_instances variant)
  get_filename_component(family "${variant}" DIRECTORY)
  if(NOT family IN_LIST TESSERA_FAMILIES)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 instances "TOGETHER" "" "")
  set(folder "${PROJECT_BINARY_DIR}/generated/${variant}")
  set(sources "")
  set(includes "")
  foreach(TESSERA_STENCIL IN LISTS instances_UNPARSED_ARGUMENTS)
    foreach(TESSERA_REAL IN LISTS TESSERA_PRECISIONS)
      set(source "${folder}/${TESSERA_STENCIL}_${TESSERA_REAL}.cpp")
      configure_file("${PROJECT_SOURCE_DIR}/variants/${variant}/instance.cpp.in" "${source}" @ONLY)
      list(APPEND sources "${source}")
      string(APPEND includes "#include \"${source}\"\n")
    endforeach()
  endforeach()
  if(instances_TOGETHER)
    set(sources "${folder}/together.cpp")
    file(CONFIGURE OUTPUT "${sources}" CONTENT "${includes}")
  endif()
  set_property(GLOBAL APPEND PROPERTY TESSERA_INSTANCES "${sources}")
endfunction()

# Generates the registration source and the two libraries. A function that is missing fails at
# link time; nothing depends on static initialisers, which a linker may drop.
function(tessera_add_registry)
  get_property(variants GLOBAL PROPERTY TESSERA_VARIANTS)
  set(TESSERA_REGISTER_DECLARATIONS "")
  set(TESSERA_REGISTER_CALLS "")
  set(sources "")
  foreach(variant IN LISTS variants)
    string(REPLACE "/" "_" function "register_${variant}")
    string(APPEND TESSERA_REGISTER_DECLARATIONS "void ${function}(Registry& registry);\n")
    string(APPEND TESSERA_REGISTER_CALLS "  ${function}(catalogue.variants);\n")
    list(APPEND sources "${PROJECT_SOURCE_DIR}/variants/${variant}.cpp")
  endforeach()
  set(TESSERA_FAMILY_DECLARATIONS "")
  set(calls "")
  foreach(family IN LISTS TESSERA_FAMILIES)
    string(APPEND TESSERA_FAMILY_DECLARATIONS "namespace ${family} { Family family(); }\n")
    list(APPEND calls "${family}::family()")
  endforeach()
  list(JOIN calls ", " TESSERA_FAMILY_CALLS)
  set(generated "${PROJECT_BINARY_DIR}/generated/build_catalogue.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/build_catalogue.cpp.in" "${generated}" @ONLY)

  get_property(instances GLOBAL PROPERTY TESSERA_INSTANCES)
  add_library(tessera_variants STATIC ${sources} ${instances})
  tessera_target(tessera_variants)
  tessera_precompile(tessera_variants REUSE_FROM tessera_kernels)
  target_link_libraries(tessera_variants PUBLIC tessera_kernels)

  add_library(tessera_catalogue STATIC "${generated}")
  tessera_target(tessera_catalogue)
  target_link_libraries(tessera_catalogue PUBLIC tessera_variants tessera_cases)
endfunction()
