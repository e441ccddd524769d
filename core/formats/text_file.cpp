// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"
#include "core/problem/compile.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace nnpiper {

namespace fs = std::filesystem;

namespace {

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string why(int code)
{
    return std::generic_category().message(code);
}

/// False with errno set when any of it failed, the close included.
bool write_whole(const fs::path& path, std::string_view text, bool to_disk)
{
    File file(std::fopen(path.c_str(), "wb"));
    if (!file)
        return false;
    bool good = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
    if (good && to_disk)
        good = ::fsync(::fileno(file.get())) == 0 || errno == EINVAL || errno == ENOTSUP;
    const int code = errno;
    if (std::fclose(file.release()) != 0)
        return false;
    errno = code;
    return good;
}

}  // namespace

std::string read_text(const fs::path& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        throw Error(path.string(), "is a folder", "a file is expected");
    File file(std::fopen(path.c_str(), "rb"));
    if (!file)
        throw Error(path.string(), errno == ENOENT ? "no such file" : "cannot be opened (" + why(errno) + ")");
    std::string text;
    char block[1 << 16];
    while (const std::size_t count = std::fread(block, 1, sizeof block, file.get()))
        text.append(block, count);
    if (std::ferror(file.get()))
        throw Error(path.string(), "cannot be read (" + why(errno) + ")");
    return text;
}

void write_text(const fs::path& path, std::string_view text)
{
    // A link keeps pointing at its target, so the target is what is replaced.
    std::error_code error;
    fs::path target = path;
    if (fs::is_symlink(path, error)) {
        const fs::path followed = fs::canonical(path, error);
        if (!error)
            target = followed;
    }
    const fs::file_status before = fs::status(target, error);
    const bool regular = fs::is_regular_file(before) || !fs::exists(before);
    if (fs::is_directory(before))
        throw Error(path.string(), "is a folder", "a file name is expected");
    if (regular) {
        fs::path temporary = target;
        temporary += "." + std::to_string(::getpid()) + ".part";
        if (write_whole(temporary, text, true)) {
            if (fs::exists(before))
                fs::permissions(temporary, before.permissions(), error);
            fs::rename(temporary, target, error);
            if (!error)
                return;
        }
        fs::remove(temporary, error);
    }
    // No room for a neighbour (a folder that may not be written, a pipe): the file itself.
    if (!write_whole(target, text, false))
        throw Error(path.string(), "cannot be written (" + why(errno) + ")");
}

FileKind file_kind(std::string_view text, const std::string& place)
{
    const nlohmann::json document = parse_json(text, place);
    const std::string allowed = "\"nnpiper-project\", \"nnpiper-problem\" or \"nnpiper-plan\" is allowed";
    const auto format = document.is_object() ? document.find("format") : document.end();
    if (!document.is_object())
        throw Error(place + ": /", "is " + shown(document), "an object with a \"format\" is expected");
    if (format == document.end())
        throw Error(place + ": /format", "missing", allowed);
    if (*format == "nnpiper-project")
        return FileKind::project;
    if (*format == "nnpiper-problem")
        return FileKind::problem;
    if (*format == "nnpiper-plan")
        return FileKind::plan;
    throw Error(place + ": /format", "is " + shown(*format), allowed);
}

Problem load_problem(const fs::path& path, std::vector<std::string>* warnings)
{
    const std::string text = read_text(path);
    const std::string place = path.string();
    switch (file_kind(text, place)) {
    case FileKind::project:
        try {
            return compile(read_project(text, place, warnings));
        } catch (const Error& error) {
            // The reader's places begin with the file already; those of the cost model do not.
            if (error.place().starts_with(place))
                throw;
            throw error.within(place);
        }
    case FileKind::problem:
        return read_problem(text, place, warnings);
    case FileKind::plan:
        break;
    }
    throw Error(place + ": /format", "is \"nnpiper-plan\"", "a project or a problem is expected");
}

}  // namespace nnpiper
