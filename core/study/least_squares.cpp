// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

/// Where the search runs: the logarithm of a factor over its start, a cost in steps of its scale.
double value_of(const Unknown& unknown, double position)
{
    return unknown.factor ? unknown.start * std::exp(position)
                          : std::max(0.0, unknown.start + position * unknown.scale);
}

/// The lowest position that still changes the value.
double lowest(const Unknown& unknown)
{
    return unknown.factor ? -20.0 : -unknown.start / unknown.scale;
}

double highest(const Unknown& unknown)
{
    return unknown.factor ? std::min(20.0, std::log(unknown.most / unknown.start))
                          : std::min(1e12, (unknown.most - unknown.start) / unknown.scale);
}

double sum_of_squares(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value * value;
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

/// Solves a symmetric positive definite system in place by Cholesky's factors; false when it is not definite.
bool solve(std::vector<double> matrix, std::vector<double>& right)
{
    const std::size_t n = right.size();
    for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t k = 0; k < c; ++k)
            matrix[c * n + c] -= matrix[c * n + k] * matrix[c * n + k];
        if (!(matrix[c * n + c] > 0))
            return false;
        matrix[c * n + c] = std::sqrt(matrix[c * n + c]);
        for (std::size_t r = c + 1; r < n; ++r) {
            for (std::size_t k = 0; k < c; ++k)
                matrix[r * n + c] -= matrix[r * n + k] * matrix[c * n + k];
            matrix[r * n + c] /= matrix[c * n + c];
        }
    }
    for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t k = 0; k < r; ++k)
            right[r] -= matrix[r * n + k] * right[k];
        right[r] /= matrix[r * n + r];
    }
    for (std::size_t r = n; r-- > 0;) {
        for (std::size_t k = r + 1; k < n; ++k)
            right[r] -= matrix[k * n + r] * right[k];
        right[r] /= matrix[r * n + r];
    }
    return true;
}

}  // namespace

std::vector<double> least_squares(const std::vector<Unknown>& unknowns,
                                  const std::function<std::vector<double>(std::span<const double>)>& residuals,
                                  double pull)
{
    const std::size_t n = unknowns.size();
    std::vector<double> position(n, 0.0);
    const auto values_at = [&](const std::vector<double>& at) {
        std::vector<double> values(n);
        for (std::size_t i = 0; i < n; ++i)
            values[i] = value_of(unknowns[i], at[i]);
        return values;
    };
    const auto errors_at = [&](const std::vector<double>& at) {
        std::vector<double> errors = residuals(values_at(at));
        for (const double p : at)
            errors.push_back(pull * p);
        return errors;
    };

    std::vector<double> errors = errors_at(position);
    double cost = sum_of_squares(errors);
    if (n == 0 || !std::isfinite(cost))
        return values_at(position);
    double damping = 1e-3;
    for (int round = 0; round < 200; ++round) {
        const std::size_t rows = errors.size();
        std::vector<double> slopes(rows * n);
        for (std::size_t i = 0; i < n; ++i) {
            // Away from the upper end, where the residuals may not exist.
            const double step = position[i] + 1e-5 > highest(unknowns[i]) ? -1e-5 : 1e-5;
            std::vector<double> moved = position;
            moved[i] += step;
            const std::vector<double> at = errors_at(moved);
            for (std::size_t r = 0; r < rows; ++r) {
                const double slope = (at[r] - errors[r]) / step;
                slopes[r * n + i] = std::isfinite(slope) ? slope : 0;
            }
        }
        std::vector<double> normal(n * n, 0.0), downhill(n, 0.0);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = 0; i < n; ++i) {
                downhill[i] -= slopes[r * n + i] * errors[r];
                for (std::size_t j = 0; j < n; ++j)
                    normal[i * n + j] += slopes[r * n + i] * slopes[r * n + j];
            }

        bool better = false;
        double gain = 0;
        while (!better && damping < 1e6) {
            std::vector<double> damped = normal, move = downhill;
            for (std::size_t i = 0; i < n; ++i)
                damped[i * n + i] += damping * (normal[i * n + i] + 1e-12);
            if (solve(damped, move)) {
                std::vector<double> next = position;
                for (std::size_t i = 0; i < n; ++i)
                    next[i] = std::clamp(next[i] + move[i], lowest(unknowns[i]), highest(unknowns[i]));
                std::vector<double> at = errors_at(next);
                const double there = sum_of_squares(at);
                if (there < cost) {
                    better = true;
                    gain = cost - there;
                    position = std::move(next);
                    errors = std::move(at);
                    cost = there;
                }
            }
            damping = better ? std::max(damping / 10, 1e-12) : damping * 10;
        }
        if (!better || gain <= 1e-9 * cost)
            break;
    }
    return values_at(position);
}

}  // namespace nnpiper
