// See files.h.
#include "fuzz/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace seamfuzz {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxFileBytes = uintmax_t{16} << 20;

Error PathError(const fs::path& path, std::string_view reason) {
  return Error{"", fmt::format("{}: {}", path.string(), reason)};
}
Error PathError(const fs::path& path, const std::error_code& code) {
  return PathError(path, code.message());
}

// A name beside `path` that no other process uses.
fs::path Beside(const fs::path& path) {
  fs::path name = path.filename();
  name += fmt::format(".{}.tmp", getpid());
  return path.parent_path() / name;
}

Status WriteInPlace(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) return PathError(path, std::strerror(errno));
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) return PathError(path, "could not be written whole");
  return Done{};
}

}  // namespace

Result<std::string> ReadFile(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) return PathError(path, "no such file");
  if (fs::is_directory(status)) return PathError(path, "is a folder");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return PathError(path, std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  ssize_t got = 0;
  while ((got = read(descriptor, buffer, sizeof(buffer))) > 0) {
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > kMaxFileBytes) break;
  }
  const int reason = errno;
  close(descriptor);
  if (got < 0) return PathError(path, std::strerror(reason));
  if (text.size() > kMaxFileBytes) return PathError(path, "is over 16 MiB");
  return text;
}

Status WriteFile(const fs::path& path, std::string_view text) {
  // A device or a pipe (-o /dev/stdout) has no place beside it to rename from.
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (fs::is_directory(status)) return PathError(path, "is a folder");
    return WriteInPlace(path, text);
  }
  const fs::path temporary = Beside(path);
  if (Status status = WriteInPlace(temporary, text); !status.ok()) {
    fs::remove(temporary, code);
    return PathError(path, status.error().message.substr(temporary.string().size() + 2));
  }
  fs::rename(temporary, path, code);
  if (code) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return PathError(path, code);
  }
  return Done{};
}

Result<std::vector<std::string>> CollectFiles(const std::vector<std::string>& paths,
                                              std::string_view extension) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status)) return PathError(path, "no such file or folder");
    if (!fs::is_directory(status)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    fs::recursive_directory_iterator it(path, code);
    if (code) return PathError(path, code);
    for (; it != fs::recursive_directory_iterator(); it.increment(code)) {
      if (code) return PathError(path, code);
      if (it->is_regular_file(code) && it->path().extension() == extension) {
        found.push_back(it->path().string());
      }
    }
    if (code) return PathError(path, code);
    if (found.empty()) return PathError(path, fmt::format("holds no {} file", extension));
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Status PrepareOutputFolder(const fs::path& folder, std::string_view marker) {
  std::error_code code;
  const fs::file_status status = fs::status(folder, code);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) return PathError(folder, "exists and is no folder");
    const bool empty = fs::is_empty(folder, code);
    if (code) return PathError(folder, code);
    if (!empty && !fs::exists(folder / marker, code)) {
      return PathError(folder, fmt::format("is not empty and holds no {}: not ours", marker));
    }
  } else {
    fs::create_directories(folder, code);
    if (code) return PathError(folder, code);
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) return PathError(folder, std::strerror(errno));
  return Done{};
}

Status WriteFiles(const fs::path& folder, const std::vector<NamedText>& files) {
  std::error_code code;
  const bool made = fs::create_directories(folder, code);
  if (code) return PathError(folder, code);
  std::vector<fs::path> staged;
  const auto undo = [&](Error error) {
    std::error_code ignored;
    for (const fs::path& path : staged) fs::remove(path, ignored);
    if (made) fs::remove(folder, ignored);
    return error;
  };
  for (const NamedText& file : files) {
    const fs::path path = folder / file.name;
    if (fs::is_directory(path, code)) return undo(PathError(path, "is a folder"));
    staged.push_back(Beside(path));
    if (Status status = WriteInPlace(staged.back(), file.text); !status.ok()) {
      return undo(PathError(path, "could not be written whole"));
    }
  }
  for (size_t i = 0; i < files.size(); ++i) {
    fs::rename(staged[i], folder / files[i].name, code);
    if (code) return undo(PathError(folder / files[i].name, code));
  }
  return Done{};
}

Status WriteFolder(const fs::path& folder, const std::vector<NamedText>& files) {
  const fs::path temporary = Beside(folder);
  std::error_code code;
  fs::create_directory(temporary, code);
  if (code) return PathError(folder, code);
  for (const NamedText& file : files) {
    if (Status status = WriteInPlace(temporary / file.name, file.text); !status.ok()) {
      fs::remove_all(temporary, code);
      return status;
    }
  }
  // rename(2) replaces an empty folder only.
  fs::remove_all(folder, code);
  fs::rename(temporary, folder, code);
  if (code) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    return PathError(folder, code);
  }
  return Done{};
}

}  // namespace seamfuzz
