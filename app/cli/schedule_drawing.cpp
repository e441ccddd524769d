// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/schedule_drawing.h"

#include "app/cli/console.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper::cli {

namespace {

struct Look {
    char letter;
    char fill;
    const char* colour;  ///< told apart with every common colour vision
    const char* later;   ///< of chunks behind a device's first, and of the other direction
    const char* word;
};

Look look(OpKind kind)
{
    switch (kind) {
    case OpKind::forward:
        return {'F', '-', "#56b4e9", "#a9d8f3", "forward"};
    case OpKind::backward:
        return {'B', '=', "#e69f00", "#f3cf80", "backward"};
    case OpKind::backward_input:
        return {'B', '=', "#e69f00", "#f3cf80", "backward, input"};
    case OpKind::backward_weight:
        return {'W', '~', "#009e73", "#7fceb9", "backward, weight"};
    }
    return {'?', '?', "#000000", "#000000", ""};
}

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else
            out += c;
    }
    return out;
}

/// A step of 1, 2 or 5 times a power of ten that gives about ten ticks.
double tick_step(double span)
{
    const double rough = span / 10;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough)
            return factor * power;
    return 10 * power;
}

}  // namespace

namespace {

/// The stage of a device that its first chunk, or the nearer direction, holds.
int first_stage(const StageMap& map, int device)
{
    int stage = 0;
    while (map.device(stage) != device)
        ++stage;
    return stage;
}

/// Whether an op is the second of an overlapped pair: pairs of a row follow each other two by two.
bool is_second(const Timeline& timeline, std::size_t begin, std::size_t i)
{
    std::size_t first = i;
    while (first > begin && timeline.ops[first - 1].overlapped)
        --first;
    return timeline.ops[i].overlapped && (i - first) % 2 == 1;
}

}  // namespace

std::string ascii_drawing(const Timeline& timeline, int columns)
{
    double shortest = std::numeric_limits<double>::infinity();
    double first = shortest;
    for (const TimelineOp& op : timeline.ops) {
        if (op.end_s > op.start_s)
            shortest = std::min(shortest, op.end_s - op.start_s);
        first = std::min(first, op.start_s);
    }
    if (!(timeline.makespan_s > 0))
        return "nothing takes any time\n";
    // Three characters for the shortest op, or the whole in the given width.
    const double scale = std::min(3 / shortest, columns / timeline.makespan_s);
    const auto column = [&](double time) { return static_cast<std::size_t>(std::lround((time - first) * scale)); };

    const bool several = timeline.stages() > timeline.rows();
    const std::string word = several ? "device " : "stage ";
    const std::size_t name_width = std::to_string(timeline.rows() - 1).size();
    std::string out;
    for (int s = 0; s < timeline.rows(); ++s) {
        std::string row(column(first + timeline.makespan_s), '.');
        const auto begin = static_cast<std::size_t>(timeline.first_op[static_cast<std::size_t>(s)]);
        const auto end = static_cast<std::size_t>(timeline.first_op[static_cast<std::size_t>(s) + 1]);
        for (std::size_t i = begin; i < end; ++i) {
            const TimelineOp& op = timeline.ops[i];
            const Look l = look(op.kind);
            // An overlapped pair shares its time on paper.
            const double middle = (op.start_s + op.end_s) / 2;
            const bool second = is_second(timeline, begin, i);
            const std::size_t from = column(op.overlapped && second ? middle : op.start_s);
            const std::size_t to = std::min(column(op.overlapped && !second ? middle : op.end_s), row.size());
            if (to <= from)
                continue;
            const bool later = op.stage != first_stage(timeline.map, s);
            const char letter = later ? static_cast<char>(l.letter - 'A' + 'a') : l.letter;
            std::string text = letter + std::to_string(op.micro_batch);
            if (text.size() > to - from)
                text = std::string(1, letter);
            text.resize(to - from, l.fill);
            row.replace(from, to - from, text);
        }
        const std::string number = std::to_string(s);
        out += word + std::string(name_width - number.size(), ' ') + number + " |" + row + "|\n";
    }
    if (several)
        out += timeline.map.chains == 2 ? "small letters: the direction that ends there\n"
                                        : "small letters: chunks behind the device's first\n";
    return out;
}

std::string svg_drawing(const Timeline& timeline, const std::string& title)
{
    constexpr double left = 76, top = 46, row = 30, whole = 24, bottom = 52, right = 20;
    double first = std::numeric_limits<double>::infinity();
    double shortest = first;
    for (const TimelineOp& op : timeline.ops) {
        first = std::min(first, op.start_s);
        if (op.end_s > op.start_s)
            shortest = std::min(shortest, op.end_s - op.start_s);
    }
    const double span = timeline.makespan_s > 0 ? timeline.makespan_s : 1;
    const double scale = std::clamp(24 / shortest, 800 / span, 6000 / span);
    const double width = left + span * scale + right;
    const double height = top + row * timeline.rows() + bottom;
    const bool several = timeline.stages() > timeline.rows();
    const auto x = [&](double time) { return left + (time - first) * scale; };
    const auto text = [](double at_x, double at_y, const char* anchor, const std::string& words) {
        return "<text x=\"" + fixed(at_x, 2) + "\" y=\"" + fixed(at_y, 2) + "\" text-anchor=\"" + anchor + "\">"
               + escaped(words) + "</text>\n";
    };

    std::string out =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + fixed(width, 0) + "\" height=\"" + fixed(height, 0)
        + "\" viewBox=\"0 0 " + fixed(width, 0) + " " + fixed(height, 0)
        + "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    out += text(left, 24, "start", title);
    for (int s = 0; s < timeline.rows(); ++s) {
        const double y = top + row * s;
        out += text(left - 10, y + 16, "end", (several ? "device " : "stage ") + std::to_string(s));
        out += "<rect x=\"" + fixed(left, 2) + "\" y=\"" + fixed(y, 2) + "\" width=\"" + fixed(span * scale, 2)
               + "\" height=\"" + fixed(whole, 2) + "\" fill=\"#eeeeee\"/>\n";
    }
    for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
        const TimelineOp& op = timeline.ops[i];
        const Look l = look(op.kind);
        const int device = timeline.map.device(op.stage);
        const auto begin = static_cast<std::size_t>(timeline.first_op[static_cast<std::size_t>(device)]);
        const bool second = is_second(timeline, begin, i);
        const double bar = op.overlapped ? whole / 2 : whole;
        const double y = top + row * device + (second ? whole / 2 : 0);
        const double baseline = y + bar / 2 + 4;
        const double w = (op.end_s - op.start_s) * scale;
        const bool later = op.stage != first_stage(timeline.map, device);
        out += "<rect x=\"" + fixed(x(op.start_s), 2) + "\" y=\"" + fixed(y, 2) + "\" width=\"" + fixed(w, 2)
               + "\" height=\"" + fixed(bar, 2) + "\" fill=\"" + (later ? l.later : l.colour)
               + "\" stroke=\"#ffffff\" stroke-width=\"0.5\"><title>" + l.word + " of micro-batch "
               + std::to_string(op.micro_batch) + ", stage " + std::to_string(op.stage % timeline.map.stages)
               + "</title></rect>\n";
        const std::string number = std::to_string(op.micro_batch);
        if (w >= 8.0 * static_cast<double>(number.size()))
            out += text(x(op.start_s) + w / 2, baseline, "middle", number);
    }
    const double axis = top + row * timeline.rows() + 4;
    const double step = tick_step(span);
    const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    for (int i = 0; i * step <= span * (1 + 1e-9); ++i) {
        const double at = left + i * step * scale;
        out += "<path d=\"M" + fixed(at, 2) + " " + fixed(axis, 2) + "v5\" stroke=\"#555555\"/>\n";
        out += text(at, axis + 18, "middle", fixed(i * step, digits));
    }
    out += text(left + span * scale, axis + 36, "end", "time");
    return out + "</svg>\n";
}

}  // namespace nnpiper::cli
