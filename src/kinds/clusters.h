// Whether the means of two samples differ by more than the stretches within each do.
#pragma once

#include <span>
#include <vector>

#include "src/kinds/slices.h"

namespace dbtrace::kinds {

// Two-sided p of the difference of the mean scores of a's and b's values. `scores`: of a
// value in each wide bucket. 1 when there are not at least two stretches of each.
[[nodiscard]] double clustered_p(std::span<const Slice> a, std::span<const Slice> b,
                                 const std::vector<double>& scores);

// Two-sided, of Student's t.
[[nodiscard]] double student_p(double t, double degrees_of_freedom);

}  // namespace dbtrace::kinds
