#include "src/kinds/clusters.h"

#include <algorithm>
#include <cmath>

namespace dbtrace::kinds {
namespace {

// Stretches that are joined to no fewer than this.
constexpr size_t kFewest = 4;

struct Cluster {
  double count = 0;
  double sum = 0;  // of the scores
};
using Clusters = std::vector<Cluster>;

Clusters clusters_of(std::span<const Slice> slices, const std::vector<double>& scores) {
  Clusters clusters;
  for (const Slice& slice : slices) {
    Cluster cluster;
    for (const SliceCount& each : slice) {
      const auto count = static_cast<double>(each.count);
      cluster.count += count;
      if (each.bucket < scores.size()) cluster.sum += count * scores[each.bucket];
    }
    if (cluster.count > 0) clusters.push_back(cluster);
  }
  return clusters;
}

struct Mean {
  double value = 0;
  double variance = 0;  // of the mean
};

// Of at least two clusters.
Mean mean_of(const Clusters& clusters) {
  double count = 0, sum = 0;
  for (const Cluster& cluster : clusters) {
    count += cluster.count;
    sum += cluster.sum;
  }
  Mean mean{.value = sum / count, .variance = 0};
  for (const Cluster& cluster : clusters) {
    const double apart = cluster.sum - cluster.count * mean.value;
    mean.variance += apart * apart;
  }
  const auto number = static_cast<double>(clusters.size());
  mean.variance *= number / (number - 1) / (count * count);
  return mean;
}

Clusters joined(const Clusters& clusters) {
  Clusters pairs((clusters.size() + 1) / 2);
  for (size_t i = 0; i < clusters.size(); ++i) {
    pairs[i / 2].count += clusters[i].count;
    pairs[i / 2].sum += clusters[i].sum;
  }
  return pairs;
}

double p_of(const Clusters& a, const Clusters& b) {
  const Mean of_a = mean_of(a), of_b = mean_of(b);
  const double variance = of_a.variance + of_b.variance;
  const double apart = of_b.value - of_a.value;
  if (!(variance > 0)) return apart == 0 ? 1 : 0;
  // Welch and Satterthwaite's.
  const double degrees = variance * variance /
                         (of_a.variance * of_a.variance / static_cast<double>(a.size() - 1) +
                          of_b.variance * of_b.variance / static_cast<double>(b.size() - 1));
  return student_p(apart / std::sqrt(variance), degrees);
}

}  // namespace

double student_p(double t, double degrees_of_freedom) {
  // As a normal deviate (Wallace 1959).
  const double z = (8 * degrees_of_freedom + 1) / (8 * degrees_of_freedom + 3) *
                   std::sqrt(degrees_of_freedom * std::log1p(t * t / degrees_of_freedom));
  return std::erfc(z / std::sqrt(2.0));
}

double clustered_p(std::span<const Slice> slices_a, std::span<const Slice> slices_b,
                   const std::vector<double>& scores) {
  Clusters a = clusters_of(slices_a, scores), b = clusters_of(slices_b, scores);
  if (a.size() < 2 || b.size() < 2) return 1;
  double p = p_of(a, b);
  while (std::min(a.size(), b.size()) >= 2 * kFewest) {
    a = joined(a);
    b = joined(b);
    p = std::max(p, p_of(a, b));
  }
  return p;
}

}  // namespace dbtrace::kinds
