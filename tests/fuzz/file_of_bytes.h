// Bytes under a path, for readers that take files: in memory, so that no disk slows a fuzzer down.
#pragma once

#include <string>
#include <string_view>

namespace fa3prof::fuzz {

class FileOfBytes {
 public:
  /// Throws std::system_error where the kernel gives no memory file.
  explicit FileOfBytes(std::string_view bytes);
  ~FileOfBytes();
  FileOfBytes(const FileOfBytes&) = delete;
  FileOfBytes& operator=(const FileOfBytes&) = delete;

  /// Valid while it lives.
  [[nodiscard]] std::string path() const;

 private:
  int file_;
};

}  // namespace fa3prof::fuzz
