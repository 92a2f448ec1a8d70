#include "src/numerics/parallel.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace fa3prof::numerics {

void for_each_chunk(std::int64_t count, std::int64_t chunk,
                    const std::function<void(std::int64_t, std::int64_t)>& body) {
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t begin = next.fetch_add(chunk); begin < count; begin = next.fetch_add(chunk)) {
      body(begin, std::min(begin + chunk, count));
    }
  };
  const std::int64_t chunks = (count + chunk - 1) / chunk;
  const std::int64_t threads = std::min<std::int64_t>(chunks, std::thread::hardware_concurrency());
  // The destructor of a future of async waits for its thread, so an exception below leaves none.
  std::vector<std::future<void>> others;
  for (std::int64_t i = 1; i < threads; ++i) {
    others.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& other : others) other.get();
}

}  // namespace fa3prof::numerics
