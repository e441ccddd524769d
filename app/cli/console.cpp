// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"

#include "core/formats/files.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <thread>

namespace nnpiper::cli {

std::stop_token interruptible()
{
    // Lives as long as the program: the watching thread may ask for a stop at any time.
    static std::stop_source* const source = [] {
        auto* fresh = new std::stop_source;
        sigset_t interrupt;
        sigemptyset(&interrupt);
        sigaddset(&interrupt, SIGINT);
        pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
        std::thread([fresh, interrupt] {
            int signal = 0;
            sigwait(&interrupt, &signal);
            fresh->request_stop();
            sigwait(&interrupt, &signal);
            ::_exit(130);
        }).detach();
        return fresh;
    }();
    return source->get_token();
}

void deliver(std::string_view text, const std::filesystem::path& path)
{
    if (path.empty() || path == "-")
        std::fwrite(text.data(), 1, text.size(), stdout);
    else
        write_text(path, text);
}

void say(const std::string& sentence)
{
    std::fprintf(stderr, "nnpiper: %s\n", sentence.c_str());
}

void say(const std::vector<std::string>& sentences)
{
    for (const std::string& sentence : sentences)
        say(sentence);
}

std::string fixed(double value, int digits)
{
    char buffer[400];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits);
    return end.ec == std::errc() ? std::string(buffer, end.ptr) : "-";
}

std::string percent(double fraction)
{
    return fixed(fraction * 100, 1) + " %";
}

namespace {
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}
}  // namespace

Table::Table(std::vector<std::string> titles, std::vector<std::size_t> left)
    : rows_{std::move(titles)}
    , left_(std::move(left))
{
}

void Table::add(std::vector<std::string> cells)
{
    cells.resize(rows_.front().size());
    rows_.push_back(std::move(cells));
}

std::string Table::text() const
{
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c)
            widths[c] = std::max(widths[c], width(row[c]));
    std::string out;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string space(widths[c] - width(row[c]), ' ');
            const bool left = std::find(left_.begin(), left_.end(), c) != left_.end();
            line += (c > 0 ? "  " : "") + (left ? row[c] + space : space + row[c]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
        if (&row == &rows_.front()) {
            std::string rule;
            for (std::size_t c = 0; c < widths.size(); ++c)
                rule += (c > 0 ? "  " : "") + std::string(widths[c], '-');
            out += rule + "\n";
        }
    }
    return out;
}

}  // namespace nnpiper::cli
