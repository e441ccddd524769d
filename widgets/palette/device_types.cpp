// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/device_types.h"

#include <QtGlobal>

namespace nnpiper {

const std::vector<std::string>& commonDeviceTypes()
{
    static const std::vector<std::string> common{"H100 SXM5", "A100 SXM4 80GB", "A100 SXM4 40GB", "V100 SXM2 32GB",
                                                 "L40S",      "RTX 4090",       "RTX 3090",       "T4"};
    return common;
}

const std::vector<CommonLink>& commonLinks()
{
    static const std::vector<CommonLink> common{
        {"1 GbE TCP", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "1 GbE")},
        {"10 GbE TCP socket", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "10 GbE")},
        {"25 GbE TCP / RoCE", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "25 GbE")},
        {"100 GbE RoCE", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "100 GbE")},
        {"InfiniBand EDR 100 Gb", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "IB EDR")},
        {"InfiniBand HDR 200 Gb", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "IB HDR")},
        {"InfiniBand NDR 400 Gb per GPU (H100)", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "IB NDR")},
        {"WAN same continent (cloud regions)", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "WAN, near")},
        {"WAN intercontinental (cloud regions)", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "WAN, far")},
    };
    return common;
}

}  // namespace nnpiper
