// How far long work has come. Not: how that is shown (src/cli/terminal.h).
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace fa3prof::core {

/// Called before each piece of work: `done` of `total` pieces are done, `what` is next.
using PieceProgress =
    std::function<void(std::size_t done, std::size_t total, const std::string& what)>;

}  // namespace fa3prof::core
