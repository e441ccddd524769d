// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/order_text.h"

#include "core/base/error.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace nnpiper {

namespace {

constexpr int largest_number = 10000000;

std::string_view trimmed(std::string_view text)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
    while (!text.empty() && blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && blank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Takes a whole number off the front; -1 when there is none or it is too large.
int take_number(std::string_view& text)
{
    int value = -1;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || value < 0 || value > largest_number)
        return -1;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

Op single_op(std::string_view cell, const std::string& place)
{
    std::string_view rest = cell;
    Op op;
    op.stage = take_number(rest);
    std::size_t letters = 0;
    while (letters < rest.size() && rest[letters] >= 'A' && rest[letters] <= 'Z')
        ++letters;
    const std::string_view kind = rest.substr(0, letters);
    rest.remove_prefix(letters);
    op.micro_batch = take_number(rest);
    const bool known = kind == "F" || kind == "I" || kind == "W" || kind == "B" || kind == "BW";
    if (op.stage < 0 || op.micro_batch < 0 || !known || !rest.empty())
        throw Error(place, "\"" + std::string(cell) + "\" is not an op",
                    "a stage, F, B, I or W, and a micro-batch are expected, for example 0F3");
    op.kind = kind == "F"   ? OpKind::forward
              : kind == "I" ? OpKind::backward_input
              : kind == "W" ? OpKind::backward_weight
                            : OpKind::backward;
    return op;
}

}  // namespace

std::string order_cell(const Op& op)
{
    static constexpr char letters[] = {'F', 'B', 'I', 'W'};
    return std::to_string(op.stage) + letters[static_cast<int>(op.kind)] + std::to_string(op.micro_batch);
}

std::vector<Op> ops_of_cell(std::string_view cell, const std::string& place)
{
    cell = trimmed(cell);
    if (cell.empty())
        return {};
    if (cell.front() != '(')
        return {single_op(cell, place)};
    // What may follow the bracket names the kind of overlap and says nothing new.
    const std::size_t close = cell.find(')');
    const std::size_t middle = cell.find(';');
    if (close == std::string_view::npos || middle == std::string_view::npos || middle > close)
        throw Error(place, "\"" + std::string(cell) + "\" is not a pair", "two ops are expected, for example (0F1;1B0)");
    Op first = single_op(trimmed(cell.substr(1, middle - 1)), place);
    first.paired = true;
    return {first, single_op(trimmed(cell.substr(middle + 1, close - middle - 1)), place)};
}

OpOrder read_order_csv(std::string_view text, const std::string& place)
{
    OpOrder order;
    int line = 0;
    if (text.substr(0, 3) == "\xEF\xBB\xBF")
        text.remove_prefix(3);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view row = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (row.empty() || row.front() == '#')
            continue;
        std::vector<Op> ops;
        for (int column = 1; !row.empty(); ++column) {
            const std::size_t comma = std::min(row.find_first_of(",\t"), row.size());
            const std::string where =
                place + ": line " + std::to_string(line) + ", cell " + std::to_string(column);
            for (const Op& op : ops_of_cell(row.substr(0, comma), where))
                ops.push_back(op);
            row.remove_prefix(std::min(comma + 1, row.size()));
        }
        if (!ops.empty())
            order.push_back(std::move(ops));
    }
    if (order.empty())
        throw Error(place, "there is no op in it", "a row a device with cells like 0F3 is expected");
    return order;
}

std::vector<std::string> order_cells(const std::vector<Op>& ops)
{
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const bool pair = ops[i].paired && i + 1 < ops.size();
        cells.push_back(pair ? "(" + order_cell(ops[i]) + ";" + order_cell(ops[i + 1]) + ")" : order_cell(ops[i]));
        i += pair ? 1 : 0;
    }
    return cells;
}

std::string write_order_csv(const OpOrder& order)
{
    std::string text;
    for (const auto& ops : order) {
        std::string row;
        for (const std::string& cell : order_cells(ops))
            row += (row.empty() ? "" : ",") + cell;
        text += row + "\n";
    }
    return text;
}

}  // namespace nnpiper
