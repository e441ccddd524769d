// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_solver.h"

#include "core/planners/order_network.h"

/// The one symbol of the module; see core/planners/order_network.h.
extern "C" __attribute__((visibility("default"))) nnpiper::TorchModule* nnpiper_torch_factory_3()
{
    static const std::unique_ptr<nnpiper::TorchModule> module = nnpiper::make_torch_module();
    return module.get();
}
