# The system's package first (Debian 12, Ubuntu 24.04), else a pinned release.
include(FetchContent)

FetchContent_Declare(fmt
  URL https://github.com/fmtlib/fmt/releases/download/11.0.2/fmt-11.0.2.zip
  FIND_PACKAGE_ARGS)
FetchContent_Declare(nlohmann_json
  URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  FIND_PACKAGE_ARGS 3.10)
FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
  FIND_PACKAGE_ARGS 2.1)
FetchContent_MakeAvailable(fmt nlohmann_json CLI11)

if(FA3PROF_TESTS)
  FetchContent_Declare(Catch2
    URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
    FIND_PACKAGE_ARGS)
  FetchContent_MakeAvailable(Catch2)
endif()
