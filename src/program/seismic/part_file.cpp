// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/part_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/support/error.hpp"

namespace tessera::io {
namespace {

/// Calls body(byte of the file, byte of the box, bytes) for each piece of a box that lies together
/// in the file: rows do where the box has the array's width, and planes where it has its depth too.
template <class Body>
void for_each_piece(const ArrayPlace& a, const CellBox& box, const Body& body) {
  if (box.empty()) return;
  const bool rows = box.nx() == a.nx;
  const bool planes = rows && box.ny() == a.ny;
  const auto bytes = static_cast<std::uint64_t>(box.nx() * (rows ? box.ny() : 1) *
                                                (planes ? box.nz() : 1) * a.value_bytes);
  std::uint64_t at = 0;
  for (std::int64_t z = box.z0; z < box.z1; z += planes ? box.nz() : 1) {
    for (std::int64_t y = box.y0; y < box.y1; y += rows ? box.ny() : 1, at += bytes) {
      const std::int64_t cell = (z * a.ny + y) * a.nx + box.x0;
      body(a.offset + static_cast<std::uint64_t>(cell * a.value_bytes), at, bytes);
    }
  }
}

/// Calls transfer(byte of the file, bytes done, bytes left) until all is done.
template <class Transfer>
void transfer_all(std::uint64_t offset, std::uint64_t bytes, const std::string& text,
                  const Transfer& transfer) {
  constexpr std::uint64_t kMost = 1U << 30;  // Linux moves less than 2 GiB a call
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t now =
        transfer(static_cast<off_t>(offset + done), done, std::min(bytes - done, kMost));
    if (now < 0 && errno == EINTR) continue;
    require(now != 0, "{}: it ends too early", text);
    require(now > 0, "{}: {}", text, std::generic_category().message(errno));
    done += static_cast<std::uint64_t>(now);
  }
}

}  // namespace

PartFile::PartFile(const std::filesystem::path& path, Mode mode, std::string text)
    : text_(std::move(text)),
      descriptor_(::open(path.c_str(), (mode == read_only ? O_RDONLY : O_WRONLY) | O_CLOEXEC)) {
  require(descriptor_ >= 0, "{}: {}", text_, std::generic_category().message(errno));
}

PartFile::~PartFile() { ::close(descriptor_); }

void PartFile::read(const ArrayPlace& array, const CellBox& box, void* values) const {
  char* const to = static_cast<char*>(values);
  for_each_piece(array, box, [&](std::uint64_t offset, std::uint64_t at, std::uint64_t bytes) {
    transfer_all(offset, bytes, text_, [&](off_t place, std::uint64_t done, std::uint64_t count) {
      return ::pread(descriptor_, to + at + done, count, place);
    });
  });
}

void PartFile::write(const ArrayPlace& array, const CellBox& box, const void* values) const {
  const char* const from = static_cast<const char*>(values);
  for_each_piece(array, box, [&](std::uint64_t offset, std::uint64_t at, std::uint64_t bytes) {
    transfer_all(offset, bytes, text_, [&](off_t place, std::uint64_t done, std::uint64_t count) {
      return ::pwrite(descriptor_, from + at + done, count, place);
    });
  });
}

void PartFile::sync() const {
  const int error = ::fsync(descriptor_) == 0 ? 0 : errno;
  require(error == 0 || error == EINVAL, "{}: {}", text_, std::generic_category().message(error));
}

}  // namespace tessera::io
