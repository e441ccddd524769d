// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include <utility>

namespace nnpiper {

namespace {
std::string sentence(const std::string& place, const std::string& found, const std::string& allowed)
{
    std::string text = place.empty() ? found : place + ": " + found;
    if (!allowed.empty())
        text += "; " + allowed;
    return text;
}
}  // namespace

Error::Error(std::string place, std::string found, std::string allowed)
    : std::runtime_error(sentence(place, found, allowed))
    , place_(std::move(place))
    , found_(std::move(found))
    , allowed_(std::move(allowed))
{
}

Error::~Error() = default;

Error Error::within(const std::string& outer) const
{
    return Error(place_.empty() ? outer : outer + ": " + place_, found_, allowed_);
}

}  // namespace nnpiper
