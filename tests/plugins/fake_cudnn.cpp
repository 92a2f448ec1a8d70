// A libcudnn that computes nothing: it keeps what it is told and tells it back through
// fake_cudnn_log(). A FAULT_... macro makes it refuse as its name says; VERSION is what it claims.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#ifndef VERSION
#define VERSION 91900
#endif

namespace {

constexpr int kSuccess = 0;
[[maybe_unused]] constexpr int kNotSupported = 3000;
[[maybe_unused]] constexpr int kExecutionFailed = 5000;

/// A backend descriptor: its attributes by number, each as the values it was given.
struct Descriptor {
  int type = 0;
  std::map<int, std::vector<std::int64_t>> values;
};

std::string log_text;
std::string last_error;
[[maybe_unused]] int plans = 0;

std::size_t size_of(int type) {
  switch (type) {
    case 2:  // boolean
      return sizeof(bool);
    case 0:   // handle
    case 3:   // int64
    case 6:   // pointer
    case 15:  // descriptor
      return sizeof(std::int64_t);
    default:
      return sizeof(std::int32_t);
  }
}

std::int64_t first(const Descriptor& descriptor, int attribute) {
  const auto found = descriptor.values.find(attribute);
  return found == descriptor.values.end() ? -1 : found->second.front();
}

const Descriptor& member(const Descriptor& descriptor, int attribute) {
  return *reinterpret_cast<const Descriptor*>(first(descriptor, attribute));
}

/// " b=7": the unique id of the tensor under that attribute.
std::string tensor(const char* name, const Descriptor& descriptor, int attribute) {
  if (first(descriptor, attribute) == -1) return "";
  return std::string(" ") + name + "=" + std::to_string(first(member(descriptor, attribute), 906));
}

std::string list(const Descriptor& descriptor, int attribute) {
  std::string text;
  for (const std::int64_t value : descriptor.values.at(attribute)) {
    text += (text.empty() ? "" : ",") + std::to_string(value);
  }
  return text;
}

void write_down(const Descriptor& descriptor) {
  std::string line;
  if (descriptor.type == 17) {
    line = "tensor " + std::to_string(first(descriptor, 906)) +
           " type=" + std::to_string(first(descriptor, 901)) + " dims=" + list(descriptor, 902) +
           " strides=" + list(descriptor, 903);
    if (first(descriptor, 907) == 1) line += " virtual";
    if (first(descriptor, 908) == 1) line += " host";
  } else if (descriptor.type == 19) {
    line = "matmul" + tensor("a", descriptor, 1520) + tensor("b", descriptor, 1521) +
           tensor("c", descriptor, 1522);
  } else if (descriptor.type == 13) {
    line = "pointwise " + std::to_string(first(member(descriptor, 750), 0)) +
           tensor("x", descriptor, 751) + tensor("b", descriptor, 752) +
           tensor("t", descriptor, 758) + tensor("y", descriptor, 753);
  } else if (descriptor.type == 22) {
    line = "reduce " + std::to_string(first(member(descriptor, 1612), 1600)) +
           tensor("x", descriptor, 1610) + tensor("y", descriptor, 1611);
  } else if (descriptor.type == 15) {
    line = "graph of " + std::to_string(descriptor.values.at(801).size());
  } else if (descriptor.type == 16) {
    line = "launch ids=" + list(descriptor, 1000) + " pointers=" + list(descriptor, 1001) +
           " workspace=" + list(descriptor, 1003);
  } else {
    return;
  }
  log_text += line + "\n";
}

[[maybe_unused]] int refuse(int status, const char* words) {
  last_error = words;
  return status;
}

}  // namespace

extern "C" {

const char* fake_cudnn_log() { return log_text.c_str(); }

std::size_t cudnnGetVersion() {
#ifdef FAULT_EXITS
  std::exit(0);
#endif
  return VERSION;
}

const char* cudnnGetErrorString(int status) {
  return status == 3000 ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_EXECUTION_FAILED";
}

void cudnnGetLastErrorString(char* text, std::size_t size) {
  std::snprintf(text, size, "%s", last_error.c_str());
}

int cudnnCreate(void** handle) {
#ifdef FAULT_NO_HANDLE
  return refuse(kExecutionFailed, "no GPU\n");
#endif
  log_text.clear();
  *handle = &log_text;
  return kSuccess;
}

int cudnnDestroy(void*) { return kSuccess; }

int cudnnSetStream(void*, void*) {
  log_text += "stream\n";
  return kSuccess;
}

int cudnnBackendCreateDescriptor(int type, void** descriptor) {
  *descriptor = new Descriptor{type, {}};
  return kSuccess;
}

int cudnnBackendDestroyDescriptor(void* descriptor) {
  delete static_cast<Descriptor*>(descriptor);
  return kSuccess;
}

int cudnnBackendSetAttribute(void* descriptor, int attribute, int type, std::int64_t count,
                             const void* elements) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t value = 0;
    const std::size_t size = size_of(type);
    std::memcpy(&value, static_cast<const char*>(elements) + static_cast<std::size_t>(i) * size,
                size);
    values.push_back(value);
  }
  static_cast<Descriptor*>(descriptor)->values[attribute] = values;
  return kSuccess;
}

int cudnnBackendGetAttribute(void*, int attribute, int, [[maybe_unused]] std::int64_t room,
                             std::int64_t* count, void* elements) {
  if (attribute == 402) {  // workspace of a plan
    *count = 1;
    *static_cast<std::int64_t*>(elements) = 4096;
    return kSuccess;
  }
#ifdef FAULT_NO_ENGINE
  *count = 0;
#else
  *count = room == 0 ? 2 : room;  // two proposals, their descriptors made by the caller
#endif
  return kSuccess;
}

int cudnnBackendFinalize(void* descriptor) {
  const Descriptor& done = *static_cast<Descriptor*>(descriptor);
#ifdef FAULT_REFUSES_GRAPH
  if (done.type == 15) return refuse(kNotSupported, "no such\tpattern ");
#endif
#ifdef FAULT_REFUSES_PLAN
  if (done.type == 5) return refuse(kNotSupported, "head_dim is odd");
#endif
#ifdef FAULT_REFUSES_FIRST_PLAN
  if (done.type == 5 && ++plans == 1) return refuse(kNotSupported, "not this one");
#endif
  write_down(done);
  return kSuccess;
}

#ifndef FAULT_NO_EXECUTE
int cudnnBackendExecute(void*, void*, void*) {
#ifdef FAULT_REFUSES_LAUNCH
  return refuse(kExecutionFailed, "");
#else
  log_text += "execute\n";
  return kSuccess;
#endif
}
#endif
}
