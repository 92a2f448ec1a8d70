// Spreads independent work over the hardware threads.
#pragma once

#include <cstdint>
#include <functional>

namespace fa3prof::numerics {

/// Calls body(begin, end) once for each chunk of [0, count), at most `chunk` indices long, from all
/// hardware threads; chunks go to whichever thread is free. Returns when all are done. An exception
/// of a body ends that thread's work and is rethrown here after the others have finished.
void for_each_chunk(std::int64_t count, std::int64_t chunk,
                    const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace fa3prof::numerics
