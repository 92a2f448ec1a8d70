#include "src/profile/shared_object.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <system_error>

namespace fa3prof::profile {
namespace {

using Header = ElfW(Ehdr);

constexpr const char* kGiveLibrary = "give the path of a shared library (lib*.so)";

std::optional<Header> read_header(const std::string& path) {
  Header header{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(&header), sizeof header);
  return stream ? std::optional<Header>(header) : std::nullopt;
}

bool is_elf(const Header& header) { return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0; }

/// Machine, word size and byte order: what two files must share to run in one process.
bool is_same_architecture(const Header& a, const Header& b) {
  return a.e_machine == b.e_machine && a.e_ident[EI_CLASS] == b.e_ident[EI_CLASS] &&
         a.e_ident[EI_DATA] == b.e_ident[EI_DATA];
}

}  // namespace

std::optional<SharedObjectFault> find_shared_object_fault(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return SharedObjectFault{"does not exist", kGiveLibrary};
  if (!std::filesystem::is_regular_file(status)) {
    return SharedObjectFault{"is no regular file", kGiveLibrary};
  }
  if (!std::ifstream(path)) {
    return SharedObjectFault{"cannot be read: " + std::generic_category().message(errno),
                             "allow this user to read it"};
  }
  const auto header = read_header(path);
  if (!header || !is_elf(*header)) {
    return SharedObjectFault{"is no shared library: it has no ELF header", kGiveLibrary};
  }
  const auto own = read_header("/proc/self/exe");
  if (own && !is_same_architecture(*header, *own)) {
    return SharedObjectFault{
        fmt::format("is built for another architecture: ELF machine {}, fa3prof is {}",
                    header->e_machine, own->e_machine),
        "build it on a machine of this kind"};
  }
  if (header->e_type != ET_DYN) {
    return SharedObjectFault{"is no shared library, but an object or program",
                             "link it with -shared -fPIC"};
  }
  return std::nullopt;
}

}  // namespace fa3prof::profile
