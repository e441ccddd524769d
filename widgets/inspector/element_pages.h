// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/inspector/element_form.h"

namespace nnpiper {

/// Fields of accelerators. The peak is that of the job's precision.
class DevicePage : public ElementForm<Device> {
    Q_OBJECT
public:
    explicit DevicePage(ProjectDocument& document);
};

class NodePage : public ElementForm<Node> {
    Q_OBJECT
public:
    explicit NodePage(ProjectDocument& document);
};

class SwitchPage : public ElementForm<Switch> {
    Q_OBJECT
public:
    explicit SwitchPage(ProjectDocument& document);
};

class LinkPage : public ElementForm<Link> {
    Q_OBJECT
public:
    explicit LinkPage(ProjectDocument& document);
};

/// Name of a rack or site, and what new devices and links inside are like.
class ContainerPage : public ElementForm<Container> {
    Q_OBJECT
public:
    explicit ContainerPage(ProjectDocument& document);
};

}  // namespace nnpiper
