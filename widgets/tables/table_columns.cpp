// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "widgets/document/edits.h"
#include "widgets/inspector/quantity_text.h"
#include "widgets/tables/element_table_model.h"

#include <limits>

namespace nnpiper {

namespace {

using Column = ElementTableModel::Column;

/// A column of numbers with a unit; a set function makes it editable, `most` bounds what it takes.
template <class T>
Column quantity(ProjectDocument& document, const char* title, Unit unit,
                std::function<std::optional<double>(const T&)> get, std::function<void(T&, double)> set,
                double most = std::numeric_limits<double>::infinity(), bool zero_allowed = false)
{
    Column column;
    column.title = title;
    column.text = [get, unit](const Element& element) {
        const auto value = get(std::get<T>(element));
        return value ? quantityText(*value, unit) : ElementTableModel::tr("unknown");
    };
    column.number = [get](const Element& element) { return get(std::get<T>(element)).value_or(-1.0); };
    if (set)
        column.change = [&document, title, unit, get, set, most, zero_allowed](const QStringList& ids,
                                                                               const QString& text) {
            const auto element = findElement(document.project().cluster, ids.front().toStdString());
            const auto now = element ? get(std::get<T>(*element)) : std::nullopt;
            const double value = readQuantity(text, unit, now ? quantityText(*now, unit) : QString());
            if (value < 0 || (value == 0 && !zero_allowed) || value > most)
                throw Error("", text.toStdString(),
                            (most < std::numeric_limits<double>::infinity()
                                 ? ElementTableModel::tr("above 0 and at most %1").arg(quantityText(most, unit))
                                 : ElementTableModel::tr("above 0"))
                                .toStdString());
            edits::change<T>(document, ids,
                             ElementTableModel::tr("Change %1").arg(ElementTableModel::tr(title).toLower()),
                             [&](T& item) { set(item, value); });
        };
    return column;
}

template <class T>
Column text(const char* title, std::function<QString(const T&)> get)
{
    Column column;
    column.title = title;
    column.text = [get](const Element& element) { return get(std::get<T>(element)); };
    return column;
}

std::vector<Column> deviceColumns(ProjectDocument& document)
{
    std::vector<Column> columns;
    columns.push_back(text<Device>(QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Device"),
                                   [](const Device& d) { return displayName(d); }));
    columns.back().change = [&document](const QStringList& ids, const QString& name) {
        if (name.isEmpty())
            throw Error("", ElementTableModel::tr("an empty name").toStdString(),
                        ElementTableModel::tr("at least one letter").toStdString());
        edits::change<Device>(document, ids, ElementTableModel::tr("Rename"),
                              [&](Device& d) { d.name = name.toStdString(); });
    };
    columns.push_back(
        text<Device>(QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Node"), [&document](const Device& d) {
            const Node* node = find_node(document.project().cluster, d.node);
            return node ? displayName(*node) : QString();
        }));
    columns.push_back(text<Device>(QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Type"),
                                   [](const Device& d) { return QString::fromStdString(d.spec.type); }));
    columns.push_back(quantity<Device>(
        document, QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Peak"), Unit::flop_per_second,
        [&document](const Device& d) -> std::optional<double> {
            const auto peak = d.spec.peak_flop_per_s.find(document.project().job.precision);
            return peak == d.spec.peak_flop_per_s.end() ? std::nullopt : std::optional(peak->second);
        },
        [&document](Device& d, double value) { d.spec.peak_flop_per_s[document.project().job.precision] = value; }));
    columns.push_back(quantity<Device>(
        document, QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Achieved"), Unit::fraction,
        [](const Device& d) { return std::optional(d.spec.achieved_fraction); },
        [](Device& d, double value) { d.spec.achieved_fraction = value; }, 1.0));
    columns.push_back(quantity<Device>(
        document, QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Memory"), Unit::bytes,
        [](const Device& d) { return std::optional(d.spec.memory_bytes); },
        [](Device& d, double value) { d.spec.memory_bytes = value; }));
    columns.push_back(quantity<Device>(
        document, QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Price"), Unit::dollars_per_hour,
        [](const Device& d) { return d.spec.price_dollars_per_h; },
        [](Device& d, double value) { d.spec.price_dollars_per_h = value; }, std::numeric_limits<double>::infinity(),
        true));
    return columns;
}

std::vector<Column> linkColumns(ProjectDocument& document)
{
    const auto nameOf = [&document](const std::string& id) {
        const auto element = findElement(document.project().cluster, id);
        return element ? displayName(*element) : QString::fromStdString(id);
    };
    std::vector<Column> columns;
    columns.push_back(text<Link>(QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "From"),
                                 [nameOf](const Link& l) { return nameOf(l.from); }));
    columns.push_back(text<Link>(QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "To"),
                                 [nameOf](const Link& l) { return nameOf(l.to); }));
    columns.push_back(text<Link>(QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Type"),
                                 [](const Link& l) { return QString::fromStdString(l.type); }));
    columns.push_back(quantity<Link>(
        document, QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Bandwidth"), Unit::bits_per_second,
        [](const Link& l) { return std::optional(l.bandwidth_bytes_per_s); },
        [](Link& l, double value) { l.bandwidth_bytes_per_s = value; }));
    columns.push_back(quantity<Link>(
        document, QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Achieved"), Unit::fraction,
        [](const Link& l) { return std::optional(l.achieved_fraction); },
        [](Link& l, double value) { l.achieved_fraction = value; }, 1.0));
    columns.push_back(quantity<Link>(
        document, QT_TRANSLATE_NOOP("nnpiper::ElementTableModel", "Latency"), Unit::seconds,
        [](const Link& l) { return std::optional(l.latency_s); }, [](Link& l, double value) { l.latency_s = value; },
        std::numeric_limits<double>::infinity(), true));
    return columns;
}

}  // namespace

std::vector<ElementTableModel::Column> columnsFor(ElementKind kind, ProjectDocument& document)
{
    return kind == ElementKind::link ? linkColumns(document) : deviceColumns(document);
}

}  // namespace nnpiper
