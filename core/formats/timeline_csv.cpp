// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/timeline_csv.h"

#include <array>
#include <charconv>

namespace nnpiper {

namespace {

/// Shortest text that reads back as the same number.
std::string number(double value)
{
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
}

std::string cell(const std::string& text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

const char* name_of(OpKind kind)
{
    switch (kind) {
    case OpKind::forward: return "forward";
    case OpKind::backward: return "backward";
    case OpKind::backward_input: return "backward-input";
    case OpKind::backward_weight: return "backward-weight";
    }
    return "";
}

const char* name_of(TimelineOp::Waited waited)
{
    switch (waited) {
    case TimelineOp::Waited::nothing: return "nothing";
    case TimelineOp::Waited::device: return "device";
    case TimelineOp::Waited::transfer: return "transfer";
    case TimelineOp::Waited::sending: return "sending";
    }
    return "";
}

std::string devices_of(const Timeline& t, int group)
{
    std::string text;
    if (static_cast<std::size_t>(group) < t.devices.size())
        for (const std::string& id : t.devices[static_cast<std::size_t>(group)])
            text += (text.empty() ? "" : " ") + id;
    return cell(text);
}

}  // namespace

std::string timeline_csv(const Timeline& t)
{
    std::vector<std::string> groups;
    for (int d = 0; d < t.rows(); ++d)
        groups.push_back(std::to_string(d) + "," + devices_of(t, d));
    const auto group = [&](int stage) { return groups[static_cast<std::size_t>(t.map.device(stage))]; };
    std::string text = "what,device_group,devices,stage,to_stage,micro_batch,start_s,end_s,arrive_s,waited_for\n";
    for (const TimelineOp& op : t.ops)
        text += std::string(name_of(op.kind)) + "," + group(op.stage) + "," + std::to_string(op.stage % t.map.stages) + ",,"
                + std::to_string(op.micro_batch) + "," + number(op.start_s) + "," + number(op.end_s) + ",,"
                + name_of(op.waited) + "\n";
    for (const TimelineTransfer& message : t.transfers) {
        // Behind the last stage lies the way back to the first, which decode takes.
        const int behind = message.boundary + 1 < t.stages() ? message.boundary + 1 : 0;
        const int from = message.backward ? behind : message.boundary;
        const int to = message.backward ? message.boundary : behind;
        text += std::string(message.backward ? "send-gradient," : "send-activation,") + group(from) + ","
                + std::to_string(from % t.map.stages) + "," + std::to_string(to % t.map.stages) + ","
                + std::to_string(message.micro_batch) + "," + number(message.start_s) + "," + number(message.sent_s) + ","
                + number(message.arrive_s) + "," + (message.waited_for_channel ? "channel" : "nothing") + "\n";
    }
    return text;
}

}  // namespace nnpiper
