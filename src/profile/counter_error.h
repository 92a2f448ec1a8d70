// Why counters could not be read, in the two parts that a report shows.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace fa3prof::profile {

/// Thrown inside the counter code and caught at its door: a run goes on without counters.
class CounterError : public std::runtime_error {
 public:
  CounterError(const std::string& reason, std::string cure)
      : std::runtime_error(reason), cure_(std::move(cure)) {}

  [[nodiscard]] const std::string& cure() const noexcept { return cure_; }

 private:
  std::string cure_;
};

}  // namespace fa3prof::profile
