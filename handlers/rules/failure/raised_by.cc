#include "handlers/rules/failure/raised_by.h"

#include <algorithm>

#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {
namespace {

// The first part of the module of what packages raise that jobs use.
bool is_a_package(std::string_view name) {
  static constexpr auto kPackages = word_list(
      "Amazon.", "Microsoft.", "System.Net.", "accelerate.", "aiobotocore.", "aiohttp.",
      "anthropic.", "azure.", "boto3.", "botocore.", "c10.", "com.amazonaws.", "comet_ml.", "dask.",
      "datasets.", "deepspeed.", "distributed.", "docker.", "fsspec.", "gcsfs.", "google.", "grpc.",
      "horovod.", "http.", "httpcore.", "httpx.", "huggingface_hub.", "io.grpc.", "java.io.",
      "java.net.", "jax.", "jaxlib.", "kubernetes.", "lightning.", "ml.dmlc.", "mlflow.", "mxnet.",
      "neptune.", "openai.", "org.apache.", "psycopg2.", "pyarrow.", "pymongo.",
      "pytorch_lightning.", "ray.", "redis.", "requests.", "s3fs.", "s3transfer.", "sagemaker.",
      "sagemaker_training.", "sky.", "smdebug.", "smdistributed.", "socket.", "software.amazon.",
      "sqlalchemy.", "ssl.", "tensorflow.", "torch.", "transformers.", "urllib.", "urllib3.",
      "wandb.", "xgboost.");
  return starts_with_one(name, kPackages);
}

// The last frame of the traceback that ends at a line; empty where there is none.
std::string_view last_frame(const FailureText& text, std::size_t index) {
  constexpr std::size_t kFar = 8;
  for (std::size_t i = index; i > 0 && index - i < kFar; --i) {
    const Line& before = text.lines()[i - 1];
    if (before.structure != Structure::kFrame) break;
    const std::string_view frame = text.said(before);
    if (frame.starts_with("File ")) return frame;
  }
  return {};
}

// `PIL/Image.py", line …` of a frame of what was installed, or is Python's own; empty of others.
std::string_view in_its_folder(std::string_view frame) {
  constexpr std::string_view kInstalled = "-packages/";
  constexpr std::string_view kOfPython = "/lib/python";
  if (const std::size_t at = frame.rfind(kInstalled); at != frame.npos)
    return frame.substr(at + kInstalled.size());
  const std::size_t at = frame.find(kOfPython);
  if (at == frame.npos) return {};
  return frame.substr(std::min(frame.find('/', at + kOfPython.size()), frame.size() - 1) + 1);
}

}  // namespace

RaisedBy raised_by(const FailureText& text, std::size_t index, std::string_view name) {
  static constexpr auto kInstalled = word_list("site-packages/", "dist-packages/");
  static constexpr auto kOfPython = word_list("/lib/python", "File \"<", "/runpy.py");
  if (is_a_package(name)) return RaisedBy::kPackage;
  if (name.starts_with("__main__.")) return RaisedBy::kProgram;
  const std::string_view frame = last_frame(text, index);
  if (frame.empty()) return RaisedBy::kUnknown;
  if (has_one(frame, kInstalled)) return RaisedBy::kPackage;
  return has_one(frame, kOfPython) ? RaisedBy::kUnknown : RaisedBy::kProgram;
}

bool ends_a_traceback(const FailureText& text, std::size_t index) {
  return index > 0 && text.lines()[index - 1].structure == Structure::kFrame;
}

bool reads_of_another_process(const FailureText& text, std::size_t index) {
  static constexpr auto kPipes =
      word_list("/multiprocessing/connection.py", "\\multiprocessing\\connection.py");
  return has_one(last_frame(text, index), kPipes);
}

bool is_of_a_client(const FailureText& text, std::size_t index, std::string_view name) {
  static constexpr auto kClients = word_list(
      "azure.", "google.", "grpc.", "botocore.", "boto3.", "aiobotocore.", "openai.", "anthropic.",
      "kubernetes.", "docker.", "psycopg2.", "pymongo.", "redis.", "sqlalchemy.", "pynvml.",
      "org.apache.", "py4j.", "pyspark.", "distributed.comm.", "distributed.scheduler.",
      "distributed.nanny.", "airflow.", "ray.exceptions.", "metaflow.", "prefect.", "kfp.");
  static constexpr auto kAnswers = word_list("APIError", "ApiError", "ApiException");
  return starts_with_one(name, kClients) || (name.contains('.') && ends_with_one(name, kAnswers) &&
                                             raised_by(text, index, name) != RaisedBy::kProgram);
}

bool is_of_a_transport(std::string_view name) {
  static constexpr auto kTransports =
      word_list("aiohttp.client_exceptions.", "http.client.", "httpcore.", "httpx.", "paramiko.",
                "requests.exceptions.", "urllib3.exceptions.", "websockets.");
  // What was asked for, and what was answered.
  static constexpr auto kOthers = word_list("Invalid", "Missing", "Unsupported", "JSON", "Status",
                                            "Redirect", "HTTPError", "URL", "ContentType");
  return starts_with_one(name, kTransports) && !has_one(name, kOthers);
}

bool is_of_a_reader(const FailureText& text, std::size_t index, std::string_view name) {
  static constexpr auto kReaders =
      word_list("PIL", "audioread", "av", "decord", "fastavro", "gzip", "h5py", "ijson", "imageio",
                "librosa", "lzma", "nibabel", "pyarrow", "pydicom", "rasterio", "soundfile",
                "tarfile", "tifffile", "torchaudio", "webdataset", "zipfile");
  // What they raise of these is about a file; others may be about what they were called with.
  static constexpr auto kTypes = word_list("IOError", "OSError", "RuntimeError");
  const bool by_folder = is_one(name, kTypes) || name == "KeyError";
  const std::string_view of = by_folder ? in_its_folder(last_frame(text, index)) : name;
  const std::size_t end = of.find_first_of("./");
  // A column that the rows do not have, as the library of Hugging Face looks it up.
  if (name == "KeyError") return of.starts_with("datasets/");
  return end != of.npos && is_one(of.substr(0, end), kReaders);
}

bool has_its_logger(const FailureText& text, const Line& line) {
  static constexpr auto kLoggers =
      word_list("__main__", " train.py", "[train.py", " main.py", "[main.py");
  return has_one(text.shown().substr(line.begin, line.body - line.begin), kLoggers);
}

bool announces_a_panic(std::string_view lower) {
  return lower.ends_with(':') &&
         (lower.starts_with("thread '") || lower.contains("panic => panicked at "));
}

bool said_by_a_program(const FailureText& text, std::size_t index) {
  static constexpr auto kEnds = word_list("panic: ", "error in ", "error using ",
                                          "error: loaderror: ", "what(): ", "uncaught ");
  const Line& line = text.lines()[index];
  const std::string_view lower = text.lower(line);
  if (starts_with_one(lower, kEnds)) return true;
  // Rust says below what it panicked of.
  if (index > 0 && announces_a_panic(text.lower(text.lines()[index - 1]))) return true;
  if (line.structure == Structure::kMessage) {
    // What it goes on with.
    std::size_t head = index;
    while (head > 0 && text.lines()[head].structure == Structure::kMessage) --head;
    return starts_with_one(text.lower(text.lines()[head]), kEnds);
  }
  if (lower.starts_with("thread '") && lower.contains(" panicked at ")) return true;
  if (lower.contains("error: ") && index + 1 < text.lines().size()) {
    const std::string_view next = text.lower(text.lines()[index + 1]);
    if (next.starts_with("at ") && (next.contains('(') || next.contains(".js:"))) return true;
  }
  return line.structure == Structure::kError && line.prefix.level == Level::kError &&
         text.others_speak && has_its_logger(text, line);
}

}  // namespace trainwarden::rules
