// The entries through which the fuzzers and the replay of their findings feed every kind of file
// that the program reads: each takes the bytes of one file, reads it and does with it what a verb
// would.
#pragma once

#include "src/core/error.h"

#include <string_view>

namespace fa3prof::fuzz {

/// Throws core::Error where the file is refused. Anything else (another exception, undefined
/// behaviour, minutes of work, gigabytes) is a defect of the program.
using Take = void (*)(std::string_view bytes);

void take_machine(std::string_view bytes);
void take_model(std::string_view bytes);
void take_npy(std::string_view bytes);
void take_pipeline(std::string_view bytes);
void take_report(std::string_view bytes);
void take_safetensors(std::string_view bytes);
void take_scenario(std::string_view bytes);

/// Runs `take` and swallows what the program would tell its user.
inline void take_or_refuse(Take take, std::string_view bytes) {
  try {
    take(bytes);
  } catch (const core::Error&) {  // a refusal is as good as a success
  }
}

}  // namespace fa3prof::fuzz
