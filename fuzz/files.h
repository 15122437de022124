// Files and folders as the commands use them: whole reads, atomic writes, collections of cases.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "generator/ir/result.h"

namespace seamfuzz {

// Error messages name the path and the reason ("DIR/x.seam: Permission denied"); the rule is empty.
// Files over 16 MiB are refused.
Result<std::string> ReadFile(const std::filesystem::path& path);
// Through a temporary file beside it and a rename, so that a reader sees the old text or the new
// one.
Status WriteFile(const std::filesystem::path& path, std::string_view text);

// Files with the extension below the paths, recursively, sorted by path within each argument; a
// path that is a file stands for itself whatever its name. Errors: a path that does not exist, a
// folder without such files.
Result<std::vector<std::string>> CollectFiles(const std::vector<std::string>& paths,
                                              std::string_view extension);

// Makes the folder (and its parents) ready to be written to. An existing folder is taken when it is
// empty or holds a file named `marker`, so that nobody's own files are mixed with ours. Nothing is
// left behind on an error.
Status PrepareOutputFolder(const std::filesystem::path& folder, std::string_view marker);

struct NamedText {
  std::string name;
  std::string text;
};

// Writes all files into a folder, made if it is not there, or none: each goes to a temporary file
// first, and only when all of them are whole are they renamed. Files with other names stay.
Status WriteFiles(const std::filesystem::path& folder, const std::vector<NamedText>& files);

// Writes a folder with all its files at once: into a temporary folder beside it, then a rename.
// Replaces an existing one.
Status WriteFolder(const std::filesystem::path& folder, const std::vector<NamedText>& files);

}  // namespace seamfuzz
