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
    const char* word;
};

Look look(OpKind kind)
{
    switch (kind) {
    case OpKind::forward:
        return {'F', '-', "#56b4e9", "forward"};
    case OpKind::backward:
        return {'B', '=', "#e69f00", "backward"};
    case OpKind::backward_input:
        return {'B', '=', "#e69f00", "backward, input"};
    case OpKind::backward_weight:
        return {'W', '~', "#009e73", "backward, weight"};
    }
    return {'?', '?', "#000000", ""};
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

    const std::size_t name_width = std::to_string(timeline.stages - 1).size();
    std::string out;
    for (int s = 0; s < timeline.stages; ++s) {
        std::string row(column(first + timeline.makespan_s), '.');
        const auto begin = static_cast<std::size_t>(timeline.first_op[static_cast<std::size_t>(s)]);
        const auto end = static_cast<std::size_t>(timeline.first_op[static_cast<std::size_t>(s) + 1]);
        for (std::size_t i = begin; i < end; ++i) {
            const TimelineOp& op = timeline.ops[i];
            const Look l = look(op.kind);
            const std::size_t from = column(op.start_s);
            const std::size_t to = std::min(column(op.end_s), row.size());
            if (to <= from)
                continue;
            std::string text = l.letter + std::to_string(op.micro_batch);
            if (text.size() > to - from)
                text = std::string(1, l.letter);
            text.resize(to - from, l.fill);
            row.replace(from, to - from, text);
        }
        const std::string number = std::to_string(s);
        out += "stage " + std::string(name_width - number.size(), ' ') + number + " |" + row + "|\n";
    }
    return out;
}

std::string svg_drawing(const Timeline& timeline, const std::string& title)
{
    constexpr double left = 70, top = 46, row = 30, bar = 24, bottom = 52, right = 20;
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
    const double height = top + row * timeline.stages + bottom;
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
    for (int s = 0; s < timeline.stages; ++s) {
        const double y = top + row * s;
        out += text(left - 10, y + 16, "end", "stage " + std::to_string(s));
        out += "<rect x=\"" + fixed(left, 2) + "\" y=\"" + fixed(y, 2) + "\" width=\"" + fixed(span * scale, 2)
               + "\" height=\"" + fixed(bar, 2) + "\" fill=\"#eeeeee\"/>\n";
    }
    for (const TimelineOp& op : timeline.ops) {
        const Look l = look(op.kind);
        const double y = top + row * op.stage;
        const double w = (op.end_s - op.start_s) * scale;
        out += "<rect x=\"" + fixed(x(op.start_s), 2) + "\" y=\"" + fixed(y, 2) + "\" width=\"" + fixed(w, 2)
               + "\" height=\"" + fixed(bar, 2) + "\" fill=\"" + l.colour
               + "\" stroke=\"#ffffff\" stroke-width=\"0.5\"><title>" + l.word + " of micro-batch "
               + std::to_string(op.micro_batch) + ", stage " + std::to_string(op.stage) + "</title></rect>\n";
        const std::string number = std::to_string(op.micro_batch);
        if (w >= 8.0 * static_cast<double>(number.size()))
            out += text(x(op.start_s) + w / 2, y + 16, "middle", number);
    }
    const double axis = top + row * timeline.stages + 4;
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
