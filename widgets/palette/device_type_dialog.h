// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/cluster/cluster.h"

#include <QDialog>
#include <QStringList>

#include <functional>
#include <optional>

class QLabel;

namespace nnpiper {

class FieldForm;
class QuantityEdit;
class TextEdit;
struct Range;

/// Name and figures of a device type of the project's own. What is not known may stay empty; name, memory, its speed
/// and one peak are needed.
class DeviceTypeDialog : public QDialog {
    Q_OBJECT
public:
    /// Starts from `type`; `taken` are names that it cannot have, whatever their case.
    DeviceTypeDialog(DeviceSpec type, QStringList taken, QWidget* parent = nullptr);

    const DeviceSpec& type() const { return type_; }
    void accept() override;

private:
    using Number = std::optional<double>;

    QuantityEdit* add(const char* label, Unit unit, const Range& range, Number value,
                      const std::function<void(Number)>& set, const char* tool_tip = nullptr);
    QString fault() const;

    DeviceSpec type_;
    QStringList taken_;
    FieldForm* form_;
    TextEdit* name_;
    QLabel* fault_;
};

}  // namespace nnpiper
