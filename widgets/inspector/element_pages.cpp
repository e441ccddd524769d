// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/element_pages.h"

#include "core/cluster/catalog.h"
#include "core/cluster/device_types.h"
#include "widgets/palette/palette_item.h"

namespace nnpiper {

namespace {

constexpr Range positive{0, std::numeric_limits<double>::infinity(), false, false};
constexpr Range positiveOrUnknown{0, std::numeric_limits<double>::infinity(), false, true};
constexpr Range notNegative{};
constexpr Range notNegativeOrUnknown{0, std::numeric_limits<double>::infinity(), true, true};
constexpr Range share{0, 1, false, false};

void fillWithLinks(ChoiceBox& box)
{
    for (const LinkEntry& entry : link_catalog())
        box.addItem(QString::fromStdString(entry.name), QString::fromStdString(entry.name));
}

QString times(double factor)
{
    return QStringLiteral("×%1").arg(QLocale().toString(factor, 'g', 3));
}

}  // namespace

DevicePage::DevicePage(ProjectDocument& document)
    : ElementForm(document, "nnpiper::DevicePage")
{
    addText(
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Name"), [](const Device& d) { return d.name; },
        [](Device& d, std::string name) { d.name = std::move(name); });
    ChoiceBox* type = addChoice(
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Type"), [](const Device& d) { return d.spec.type; },
        [&document](Device& d, const std::string& name) {
            if (const DeviceSpec* known = find_device_type(document.project().device_types, name))
                d.spec = *known;
        });
    const auto fill = [this, &document, type] {
        type->clear();
        const auto add = [type](const std::string& name) {
            type->addItem(QString::fromStdString(name), QString::fromStdString(name));
        };
        for (const DeviceSpec& own : document.project().device_types)
            add(own.type);
        for (const DeviceEntry& entry : device_catalog())
            add(entry.name);
        refresh();
    };
    connect(&document, &ProjectDocument::reset, this, fill);
    connect(&document, &ProjectDocument::deviceTypesChanged, this, fill);
    fill();
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Peak speed"), Unit::flop_per_second, positiveOrUnknown,
        [&document](const Device& d) -> Number {
            const auto peak = d.spec.peak_flop_per_s.find(document.project().job.precision);
            return peak == d.spec.peak_flop_per_s.end() ? Number() : Number(peak->second);
        },
        [&document](Device& d, Number value) {
            if (value)
                d.spec.peak_flop_per_s[document.project().job.precision] = *value;
            else
                d.spec.peak_flop_per_s.erase(document.project().job.precision);
        },
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Dense peak in the precision of the job"));
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Achieved"), Unit::fraction, share,
        [](const Device& d) -> Number { return d.spec.achieved_fraction; },
        [](Device& d, Number value) { d.spec.achieved_fraction = *value; },
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Part of the peak that matrix work really reaches"));
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Memory"), Unit::bytes, positive,
        [](const Device& d) -> Number { return d.spec.memory_bytes; },
        [](Device& d, Number value) { d.spec.memory_bytes = *value; });
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Memory speed"), Unit::bytes_per_second, positive,
        [](const Device& d) -> Number { return d.spec.memory_bandwidth_bytes_per_s; },
        [](Device& d, Number value) { d.spec.memory_bandwidth_bytes_per_s = *value; });
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Price"), Unit::dollars_per_hour, notNegativeOrUnknown,
        [](const Device& d) -> Number { return d.spec.price_dollars_per_h; },
        [](Device& d, Number value) { d.spec.price_dollars_per_h = value; });
    addHeading(QT_TRANSLATE_NOOP("nnpiper::DevicePage", "What if"));
    addSlider(
        QT_TRANSLATE_NOOP("nnpiper::DevicePage", "Speed"), 0.25, 4, times,
        [](const Device& d) { return d.speed_factor; }, [](Device& d, double value) { d.speed_factor = value; });
}

NodePage::NodePage(ProjectDocument& document)
    : ElementForm(document, "nnpiper::NodePage")
{
    addText(
        QT_TRANSLATE_NOOP("nnpiper::NodePage", "Name"), [](const Node& n) { return n.name; },
        [](Node& n, std::string name) { n.name = std::move(name); });
    ChoiceBox* type = addChoice(
        QT_TRANSLATE_NOOP("nnpiper::NodePage", "Interconnect"), [](const Node& n) { return n.interconnect; },
        [](Node& n, const std::string& name) {
            if (const LinkEntry* entry = find_link_entry(name))
                setInterconnect(n, *entry);
        });
    fillWithLinks(*type);
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::NodePage", "Bandwidth"), Unit::bytes_per_second, positive,
        [](const Node& n) -> Number { return n.interconnect_bytes_per_s; },
        [](Node& n, Number value) { n.interconnect_bytes_per_s = *value; },
        QT_TRANSLATE_NOOP("nnpiper::NodePage", "Effective, in each direction, between two devices of the node"));
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::NodePage", "Latency"), Unit::seconds, notNegative,
        [](const Node& n) -> Number { return n.interconnect_latency_s; },
        [](Node& n, Number value) { n.interconnect_latency_s = *value; });
    addHeading(QT_TRANSLATE_NOOP("nnpiper::NodePage", "To the network"));
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::NodePage", "Host bandwidth"), Unit::bytes_per_second, positive,
        [](const Node& n) -> Number { return n.host_bytes_per_s; },
        [](Node& n, Number value) { n.host_bytes_per_s = *value; },
        QT_TRANSLATE_NOOP("nnpiper::NodePage", "Effective, between a device and the node's network port"));
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::NodePage", "Host latency"), Unit::seconds, notNegative,
        [](const Node& n) -> Number { return n.host_latency_s; },
        [](Node& n, Number value) { n.host_latency_s = *value; });
    addHeading(QT_TRANSLATE_NOOP("nnpiper::NodePage", "What if"));
    addSlider(
        QT_TRANSLATE_NOOP("nnpiper::NodePage", "Inside"), 1e9, 1e12,
        [](double value) { return quantityText(value, Unit::bytes_per_second); },
        [](const Node& n) { return n.interconnect_bytes_per_s; },
        [](Node& n, double value) { n.interconnect_bytes_per_s = value; });
}

SwitchPage::SwitchPage(ProjectDocument& document)
    : ElementForm(document, "nnpiper::SwitchPage")
{
    addText(
        QT_TRANSLATE_NOOP("nnpiper::SwitchPage", "Name"), [](const Switch& s) { return s.name; },
        [](Switch& s, std::string name) { s.name = std::move(name); });
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::SwitchPage", "Latency"), Unit::seconds, notNegative,
        [](const Switch& s) -> Number { return s.latency_s; }, [](Switch& s, Number value) { s.latency_s = *value; },
        QT_TRANSLATE_NOOP("nnpiper::SwitchPage", "Added to every route through the switch"));
}

LinkPage::LinkPage(ProjectDocument& document)
    : ElementForm(document, "nnpiper::LinkPage")
{
    ChoiceBox* type = addChoice(
        QT_TRANSLATE_NOOP("nnpiper::LinkPage", "Type"), [](const Link& l) { return l.type; },
        [](Link& l, const std::string& name) {
            if (const LinkEntry* entry = find_link_entry(name)) {
                const Link like = linkOf(*entry);
                l.type = like.type;
                l.bandwidth_bytes_per_s = like.bandwidth_bytes_per_s;
                l.achieved_fraction = like.achieved_fraction;
                l.latency_s = like.latency_s;
            }
        });
    fillWithLinks(*type);
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::LinkPage", "Bandwidth"), Unit::bits_per_second, positive,
        [](const Link& l) -> Number { return l.bandwidth_bytes_per_s; },
        [](Link& l, Number value) { l.bandwidth_bytes_per_s = *value; },
        QT_TRANSLATE_NOOP("nnpiper::LinkPage", "Nominal, in each direction"));
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::LinkPage", "Achieved"), Unit::fraction, share,
        [](const Link& l) -> Number { return l.achieved_fraction; },
        [](Link& l, Number value) { l.achieved_fraction = *value; },
        QT_TRANSLATE_NOOP("nnpiper::LinkPage", "Part of the nominal bandwidth that transfers really reach"));
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::LinkPage", "Latency"), Unit::seconds, notNegative,
        [](const Link& l) -> Number { return l.latency_s; }, [](Link& l, Number value) { l.latency_s = *value; },
        QT_TRANSLATE_NOOP("nnpiper::LinkPage", "One way"));
    addHeading(QT_TRANSLATE_NOOP("nnpiper::LinkPage", "What if"));
    addSlider(
        QT_TRANSLATE_NOOP("nnpiper::LinkPage", "Uplink"), 1.25e7, 1.25e11,
        [](double value) { return quantityText(value, Unit::bits_per_second); },
        [](const Link& l) { return l.bandwidth_bytes_per_s; },
        [](Link& l, double value) { l.bandwidth_bytes_per_s = value; });
    addSlider(
        QT_TRANSLATE_NOOP("nnpiper::LinkPage", "Delay"), 1e-6, 0.5,
        [](double value) { return quantityText(value, Unit::seconds); }, [](const Link& l) { return l.latency_s; },
        [](Link& l, double value) { l.latency_s = value; });
}

ContainerPage::ContainerPage(ProjectDocument& document)
    : ElementForm(document, "nnpiper::ContainerPage")
{
    const auto none = QStringLiteral("—");
    addText(
        QT_TRANSLATE_NOOP("nnpiper::ContainerPage", "Name"), [](const Container& c) { return c.name; },
        [](Container& c, std::string name) { c.name = std::move(name); });
    addHeading(QT_TRANSLATE_NOOP("nnpiper::ContainerPage", "New things inside"));
    ChoiceBox* type = addChoice(
        QT_TRANSLATE_NOOP("nnpiper::ContainerPage", "Device type"), [](const Container& c) { return c.device_type; },
        [](Container& c, const std::string& name) { c.device_type = name; });
    const auto fill = [this, &document, type, none] {
        type->clear();
        type->addItem(none, QString());
        for (const DeviceSpec& own : document.project().device_types)
            type->addItem(QString::fromStdString(own.type), QString::fromStdString(own.type));
        for (const DeviceEntry& entry : device_catalog())
            type->addItem(QString::fromStdString(entry.name), QString::fromStdString(entry.name));
        refresh();
    };
    connect(&document, &ProjectDocument::reset, this, fill);
    connect(&document, &ProjectDocument::deviceTypesChanged, this, fill);
    fill();
    ChoiceBox* link = addChoice(
        QT_TRANSLATE_NOOP("nnpiper::ContainerPage", "Link type"), [](const Container& c) { return c.link_type; },
        [](Container& c, const std::string& name) {
            c.link_type = name;
            c.link_bandwidth_bytes_per_s.reset();
            c.link_latency_s.reset();
            if (const LinkEntry* entry = find_link_entry(name)) {
                const Link like = linkOf(*entry);
                c.link_bandwidth_bytes_per_s = like.bandwidth_bytes_per_s;
                c.link_latency_s = like.latency_s;
            }
        });
    link->addItem(none, QString());
    fillWithLinks(*link);
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::ContainerPage", "Bandwidth"), Unit::bits_per_second, positiveOrUnknown,
        [](const Container& c) -> Number { return c.link_bandwidth_bytes_per_s; },
        [](Container& c, Number value) { c.link_bandwidth_bytes_per_s = value; },
        QT_TRANSLATE_NOOP("nnpiper::ContainerPage", "Nominal, in each direction, of a link drawn between two elements inside"));
    addQuantity(
        QT_TRANSLATE_NOOP("nnpiper::ContainerPage", "Latency"), Unit::seconds, notNegativeOrUnknown,
        [](const Container& c) -> Number { return c.link_latency_s; },
        [](Container& c, Number value) { c.link_latency_s = value; }, QT_TRANSLATE_NOOP("nnpiper::ContainerPage", "One way"));
}

}  // namespace nnpiper
