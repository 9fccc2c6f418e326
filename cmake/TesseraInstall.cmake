# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. The program looks for its data relative to itself, so that an
# installed tree may be moved as a whole.

# HDF5 may lie outside the loader's path.
set_target_properties(tessera PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS tessera RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
# Decks, machine files, published tables, and the programs that read results; not those that work on
# the source tree.
set(data_folder "${CMAKE_INSTALL_DATADIR}/tessera")
install(DIRECTORY inputs schemas DESTINATION "${data_folder}" PATTERN "*.md" EXCLUDE)
install(DIRECTORY tools DESTINATION "${data_folder}" USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE
  PATTERN compiler_resources.py EXCLUDE
  PATTERN device_compile.py EXCLUDE
  PATTERN resource_reports.py EXCLUDE
  PATTERN resource_rows.py EXCLUDE
  PATTERN docs_tables.py EXCLUDE
  PATTERN volumes.py EXCLUDE
  PATTERN doc_tables EXCLUDE)
# Tables that decks name.
install(FILES results/nvidia-h100/traffic-model/registers.csv
  DESTINATION "${data_folder}/results/nvidia-h100/traffic-model")
# Pages and what they link to, as in the source tree, so that links lead on.
install(DIRECTORY docs packaging DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  PATTERN Doxyfile EXCLUDE PATTERN __pycache__ EXCLUDE)
install(DIRECTORY variants DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp" PATTERN "*.md" PATTERN __pycache__ EXCLUDE)
install(FILES README.md CONTRIBUTING.md LICENSE CHANGELOG.md CITATION.cff
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
file(GLOB_RECURSE folder_pages CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
  inputs/*.md results/*.md)
foreach(page IN LISTS folder_pages)
  get_filename_component(folder "${page}" DIRECTORY)
  install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/${folder}")
endforeach()
