// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace CLI {
class App;
}

namespace nnpiper::cli {

/// Exit status of the program.
enum Status : int {
    done = 0,
    not_feasible = 1,  ///< no feasible plan, failed check
    bad_input = 2,     ///< bad usage or input
};

/// Each adds one verb to the program; when it is called its callback sets `status` or throws nnpiper::Error.
void add_plan(CLI::App& program, int& status);
void add_simulate(CLI::App& program, int& status);
void add_schedule(CLI::App& program, int& status);
void add_import(CLI::App& program, int& status);
void add_export(CLI::App& program, int& status);
void add_validate(CLI::App& program, int& status);
void add_catalog(CLI::App& program, int& status);
void add_train(CLI::App& program, int& status);
void add_evaluate(CLI::App& program, int& status);
void add_calibrate(CLI::App& program, int& status);
void add_bench(CLI::App& program, int& status);
void add_whatif(CLI::App& program, int& status);

}  // namespace nnpiper::cli
