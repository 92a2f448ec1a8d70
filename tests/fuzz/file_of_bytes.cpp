#include "tests/fuzz/file_of_bytes.h"

#include <cerrno>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace fa3prof::fuzz {

FileOfBytes::FileOfBytes(std::string_view bytes) : file_(memfd_create("bytes", MFD_CLOEXEC)) {
  const bool is_written =
      file_ >= 0 && write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  if (is_written) return;
  const int error = errno;
  if (file_ >= 0) close(file_);
  throw std::system_error(error, std::generic_category(), "memory file");
}

FileOfBytes::~FileOfBytes() { close(file_); }

std::string FileOfBytes::path() const { return "/proc/self/fd/" + std::to_string(file_); }

}  // namespace fa3prof::fuzz
