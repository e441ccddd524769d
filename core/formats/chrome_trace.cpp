// SPDX-License-Identifier: GPL-3.0-or-later
// Trace Event Format as chrome://tracing and Perfetto read it: "X" slices, "M" names and sort indices, "s"/"t"/"f"
// flows (bound to the enclosing slice), "C" counters. Times are microseconds with nanosecond precision.
#include "core/formats/chrome_trace.h"

#include "core/formats/json_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace nnpiper {

using nlohmann::ordered_json;

namespace {

enum Track { compute_track = 0, forward_track = 1, backward_track = 2 };

/// Whole nanoseconds keep neighbours on a track from overlapping by a rounding error.
std::int64_t nanoseconds(double seconds)
{
    return std::llround(seconds * 1e9);
}

ordered_json microseconds(std::int64_t ns)
{
    return json_number(static_cast<double>(ns) / 1e3);
}

struct Words {
    const char* letter;
    const char* category;
    const char* colour;  ///< one of the viewer's reserved names
};

Words words(OpKind kind)
{
    switch (kind) {
    case OpKind::forward:
        return {"F", "forward", "rail_response"};
    case OpKind::backward:
        return {"B", "backward", "thread_state_running"};
    case OpKind::backward_input:
        return {"B", "backward_input", "thread_state_running"};
    case OpKind::backward_weight:
        return {"W", "backward_weight", "rail_load"};
    }
    return {"", "", ""};
}

class Writer {
public:
    explicit Writer(const Timeline& timeline)
        : timeline_(timeline)
    {
        for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
            const TimelineOp& op = timeline.ops[i];
            // What a message leads to: a forward, or the backward's (input) part.
            if (op.kind != OpKind::backward_weight)
                consumers_[{op.stage, op.kind != OpKind::forward, op.micro_batch}] = i;
        }
    }

    ordered_json events()
    {
        names();
        for (const TimelineOp& op : timeline_.ops)
            compute(op);
        for (std::size_t i = 0; i < timeline_.transfers.size(); ++i)
            transfer(i);
        counters();
        return std::move(events_);
    }

private:
    void name(const char* what, int stage, int track, const char* key, ordered_json value)
    {
        ordered_json event;
        event["ph"] = "M";
        event["name"] = what;
        event["pid"] = stage;
        event["tid"] = track;
        event["args"][key] = std::move(value);
        events_.push_back(std::move(event));
    }

    void names()
    {
        for (int s = 0; s < timeline_.stages; ++s) {
            std::string title = "Stage " + std::to_string(s);
            if (static_cast<std::size_t>(s) < timeline_.devices.size()) {
                std::string list;
                for (const std::string& id : timeline_.devices[static_cast<std::size_t>(s)])
                    list += (list.empty() ? ": " : ", ") + id;
                title += list;
            }
            name("process_name", s, compute_track, "name", title);
            name("process_sort_index", s, compute_track, "sort_index", s);
            const auto track = [&](Track id, const std::string& text) {
                name("thread_name", s, id, "name", text);
                name("thread_sort_index", s, id, "sort_index", static_cast<int>(id));
            };
            track(compute_track, "compute");
            if (s + 1 < timeline_.stages)
                track(forward_track, "activations to stage " + std::to_string(s + 1));
            if (s > 0)
                track(backward_track, "gradients to stage " + std::to_string(s - 1));
        }
    }

    void slice(const std::string& text, const char* category, const char* colour, int stage, Track track,
               std::int64_t start, std::int64_t end, ordered_json args)
    {
        ordered_json event;
        event["ph"] = "X";
        event["name"] = text;
        event["cat"] = category;
        event["pid"] = stage;
        event["tid"] = static_cast<int>(track);
        event["ts"] = microseconds(start);
        event["dur"] = microseconds(end - start);
        event["cname"] = colour;
        event["args"] = std::move(args);
        events_.push_back(std::move(event));
    }

    void compute(const TimelineOp& op)
    {
        const Words w = words(op.kind);
        ordered_json args;
        args["micro_batch"] = op.micro_batch;
        args["waited_for"] = op.waited == TimelineOp::Waited::transfer ? "transfer"
                             : op.waited == TimelineOp::Waited::device ? "device"
                                                                       : "nothing";
        slice(w.letter + std::to_string(op.micro_batch), w.category, w.colour, op.stage, compute_track,
              nanoseconds(op.start_s), nanoseconds(op.end_s), std::move(args));
    }

    void flow(const char* phase, std::size_t message, int stage, Track track, std::int64_t at)
    {
        ordered_json event;
        event["ph"] = phase;
        event["name"] = "message";
        event["cat"] = "flow";
        event["id"] = message + 1;
        event["pid"] = stage;
        event["tid"] = static_cast<int>(track);
        event["ts"] = microseconds(at);
        event["bp"] = "e";
        events_.push_back(std::move(event));
    }

    void transfer(std::size_t index)
    {
        const TimelineTransfer& message = timeline_.transfers[index];
        const int sender = message.backward ? message.boundary + 1 : message.boundary;
        const int receiver = message.backward ? message.boundary : message.boundary + 1;
        const Track track = message.backward ? backward_track : forward_track;
        ordered_json args;
        args["micro_batch"] = message.micro_batch;
        args["arrives_us"] = microseconds(nanoseconds(message.arrive_s));
        args["waited_for_channel"] = message.waited_for_channel;
        slice((message.backward ? "grad " : "act ") + std::to_string(message.micro_batch),
              message.backward ? "send_gradient" : "send_activation", "generic_work", sender, track,
              nanoseconds(message.start_s), nanoseconds(message.sent_s), std::move(args));

        const auto consumer = consumers_.find({receiver, message.backward, message.micro_batch});
        if (message.producer < 0 || consumer == consumers_.end())
            return;
        const TimelineOp& from = timeline_.ops[static_cast<std::size_t>(message.producer)];
        const TimelineOp& to = timeline_.ops[consumer->second];
        // A flow's ends must lie inside the slices that they bind to: the start just before the producer's end.
        const std::int64_t leave = std::max(nanoseconds(from.start_s), nanoseconds(from.end_s) - 1);
        flow("s", index, from.stage, compute_track, leave);
        flow("t", index, sender, track, nanoseconds(message.start_s));
        flow("f", index, to.stage, compute_track, nanoseconds(to.start_s));
    }

    /// Micro-batches whose activations a stage holds: taken at a forward's start, given back at the backward's end.
    void counters()
    {
        for (int s = 0; s < timeline_.stages; ++s) {
            const auto begin = timeline_.ops.begin() + timeline_.first_op[static_cast<std::size_t>(s)];
            const auto end = timeline_.ops.begin() + timeline_.first_op[static_cast<std::size_t>(s) + 1];
            const bool split =
                std::any_of(begin, end, [](const TimelineOp& op) { return op.kind == OpKind::backward_weight; });
            int held = 0;
            for (auto op = begin; op != end; ++op) {
                const bool takes = op->kind == OpKind::forward;
                const bool gives = op->kind == OpKind::backward || op->kind == OpKind::backward_weight
                                   || (op->kind == OpKind::backward_input && !split);
                if (!takes && !gives)
                    continue;
                held += takes ? 1 : -1;
                ordered_json event;
                event["ph"] = "C";
                event["name"] = "micro-batches in flight";
                event["pid"] = s;
                event["tid"] = static_cast<int>(compute_track);
                event["ts"] = microseconds(nanoseconds(takes ? op->start_s : op->end_s));
                event["args"]["held"] = held;
                events_.push_back(std::move(event));
            }
        }
    }

    const Timeline& timeline_;
    std::map<std::tuple<int, bool, int>, std::size_t> consumers_;  ///< (stage, backward, micro-batch) -> op
    ordered_json events_ = ordered_json::array();
};

}  // namespace

std::string chrome_trace(const Timeline& timeline, const std::string& title)
{
    const ordered_json events = Writer(timeline).events();
    ordered_json data;
    data["title"] = title;
    data["makespan_s"] = json_number(timeline.makespan_s);
    data["iteration_s"] = json_number(timeline.iteration_s);
    data["bubble_fraction"] = json_number(timeline.bubble_fraction);

    // One event a line: large traces stay readable and cheap to write.
    std::string text = "{\"displayTimeUnit\": \"ms\",\n\"otherData\": ";
    text += data.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    text += ",\n\"traceEvents\": [";
    bool first = true;
    for (const ordered_json& event : events) {
        text += first ? "\n" : ",\n";
        first = false;
        text += event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    }
    return text + "\n]}\n";
}

}  // namespace nnpiper
