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
#include <vector>

namespace nnpiper {

using nlohmann::ordered_json;

namespace {

constexpr int compute_track = 0;

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
        : timeline_(timeline), map_(timeline.map)
    {
        for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
            const TimelineOp& op = timeline.ops[i];
            // What a message leads to: a forward, or the backward's (input) part.
            if (op.kind != OpKind::backward_weight)
                consumers_[{op.stage, op.kind != OpKind::forward, op.micro_batch}] = i;
        }
    }

    std::vector<ordered_json> events()
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
        for (int d = 0; d < map_.devices; ++d) {
            std::string title, list;
            for (int s = 0; s < map_.all_stages(); ++s) {
                if (map_.device(s) == d)
                    title += (title.empty() ? "Stage " : ", ") + std::to_string(s % map_.stages);
            }
            if (static_cast<std::size_t>(d) < timeline_.devices.size()) {
                for (const std::string& id : timeline_.devices[static_cast<std::size_t>(d)])
                    list += (list.empty() ? ": " : ", ") + id;
            }
            name("process_name", d, compute_track, "name", title + list);
            name("process_sort_index", d, compute_track, "sort_index", d);
            track_name(d, compute_track, "compute");
        }
        for (int s = 0; s < map_.all_stages(); ++s) {
            if (s + 1 < map_.all_stages() && map_.crosses(s))
                track_name(map_.device(s), send_track(s, false), "activations to stage " + std::to_string(s + 1));
            if (!map_.first(s) && map_.crosses(s - 1))
                track_name(map_.device(s), send_track(s, true), "gradients to stage " + std::to_string(s - 1));
        }
    }

    void track_name(int device, int track, const std::string& text)
    {
        name("thread_name", device, track, "name", text);
        name("thread_sort_index", device, track, "sort_index", track);
    }

    /// A track for what a stage sends in one direction: 1 and 2 of the device's first stage, 3 and 4 of its next, ...
    int send_track(int stage, bool backward) const
    {
        int before = 0;
        for (int s = 0; s < stage; ++s)
            before += map_.device(s) == map_.device(stage);
        return 1 + 2 * before + (backward ? 1 : 0);
    }

    void slice(const std::string& text, const char* category, const char* colour, int device, int track,
               std::int64_t start, std::int64_t end, ordered_json args)
    {
        ordered_json event;
        event["ph"] = "X";
        event["name"] = text;
        event["cat"] = category;
        event["pid"] = device;
        event["tid"] = track;
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
        args["waited_for"] = op.waited == TimelineOp::Waited::transfer  ? "transfer"
                             : op.waited == TimelineOp::Waited::device  ? "device"
                             : op.waited == TimelineOp::Waited::sending ? "sending"
                                                                        : "nothing";
        if (map_.all_stages() > map_.devices)
            args["stage"] = op.stage % map_.stages;
        if (op.overlapped)
            args["overlapped"] = true;
        slice(w.letter + std::to_string(op.micro_batch), w.category, w.colour, map_.device(op.stage), compute_track,
              nanoseconds(op.start_s), nanoseconds(op.end_s), std::move(args));
    }

    void flow(const char* phase, std::size_t message, int stage, int track, std::int64_t at)
    {
        ordered_json event;
        event["ph"] = phase;
        event["name"] = "message";
        event["cat"] = "flow";
        event["id"] = message + 1;
        event["pid"] = map_.device(stage);
        event["tid"] = track;
        event["ts"] = microseconds(at);
        event["bp"] = "e";
        events_.push_back(std::move(event));
    }

    void transfer(std::size_t index)
    {
        const TimelineTransfer& message = timeline_.transfers[index];
        const int sender = message.backward ? message.boundary + 1 : message.boundary;
        // Behind the last stage lies the way back to the first, which decode takes.
        const int next = message.boundary + 1 < map_.all_stages() ? message.boundary + 1 : 0;
        const int receiver = message.backward ? message.boundary : next;
        const int track = send_track(sender, message.backward);
        ordered_json args;
        args["micro_batch"] = message.micro_batch;
        args["arrives_us"] = microseconds(nanoseconds(message.arrive_s));
        args["waited_for_channel"] = message.waited_for_channel;
        slice((message.backward ? "grad " : "act ") + std::to_string(message.micro_batch),
              message.backward ? "send_gradient" : "send_activation", "generic_work", map_.device(sender), track,
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

    /// Activations that a device holds, one a chunk and micro-batch: taken at a forward's start, given back at the backward's end.
    void counters()
    {
        for (int s = 0; s < map_.devices; ++s) {
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
                event["name"] = map_.all_stages() > map_.devices ? "chunks in flight" : "micro-batches in flight";
                event["pid"] = s;
                event["tid"] = compute_track;
                event["ts"] = microseconds(nanoseconds(takes ? op->start_s : op->end_s));
                event["args"]["held"] = held;
                events_.push_back(std::move(event));
            }
        }
    }

    const Timeline& timeline_;
    const StageMap& map_;
    std::map<std::tuple<int, bool, int>, std::size_t> consumers_;  ///< (stage, backward, micro-batch) -> op
    std::vector<ordered_json> events_;   ///< no JSON array: one that grows tells all its items each time
};

}  // namespace

std::string chrome_trace(const Timeline& timeline, const std::string& title)
{
    const std::vector<ordered_json> events = Writer(timeline).events();
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
