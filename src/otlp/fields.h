// Numbers of the fields that are written and read, after opentelemetry-proto's
// opentelemetry/proto: common/v1/common.proto, resource/v1/resource.proto,
// metrics/v1/metrics.proto, trace/v1/trace.proto, collector/metrics/v1/metrics_service.proto,
// collector/trace/v1/trace_service.proto. They never change.
#pragma once

#include <cstdint>

namespace dbtrace::otlp {

namespace key_value {
inline constexpr uint32_t kKey = 1, kValue = 2;
}

namespace any_value {
inline constexpr uint32_t kText = 1, kInt = 3;
}

namespace scope {
inline constexpr uint32_t kName = 1, kVersion = 2;
}

namespace resource {
inline constexpr uint32_t kAttributes = 1;
}

// ExportMetricsServiceRequest, ExportTraceServiceRequest and what is in them: the same numbers.
namespace request {
inline constexpr uint32_t kOfResources = 1;
// Of each of those:
inline constexpr uint32_t kResource = 1, kOfScopes = 2;
// Of each of those:
inline constexpr uint32_t kScope = 1, kItems = 2;
}  // namespace request

// ExportMetricsServiceResponse, ExportTraceServiceResponse.
namespace response {
inline constexpr uint32_t kPartialSuccess = 1;
inline constexpr uint32_t kRejected = 1, kErrorMessage = 2;  // of that
}  // namespace response

namespace metric {
inline constexpr uint32_t kName = 1, kDescription = 2, kUnit = 3;
inline constexpr uint32_t kGauge = 5, kSum = 7, kHistogram = 9;

// Of these three:
inline constexpr uint32_t kPoints = 1, kTemporality = 2, kIsMonotonic = 3;
inline constexpr int32_t kCumulative = 2;  // a value of kTemporality
}  // namespace metric

// Of all points.
namespace point {
inline constexpr uint32_t kStart = 2, kTime = 3;
}

namespace number_point {
inline constexpr uint32_t kDouble = 4, kInt = 6, kAttributes = 7;
}

namespace histogram_point {
inline constexpr uint32_t kCount = 4, kSum = 5, kBucketCounts = 6, kBounds = 7, kAttributes = 9;
}

namespace span {
inline constexpr uint32_t kTraceId = 1, kSpanId = 2, kParentId = 4;  // parent_span_id
inline constexpr uint32_t kName = 5, kKind = 6;
inline constexpr uint32_t kStart = 7, kEnd = 8;
inline constexpr uint32_t kAttributes = 9;
inline constexpr uint32_t kStatus = 15, kFlags = 16;
inline constexpr uint32_t kStatusCode = 3;  // of kStatus

inline constexpr int32_t kServer = 2;  // a value of kKind
inline constexpr int32_t kError = 2;   // a value of kStatusCode
// Of kFlags, besides W3C's eight: whether the parent is elsewhere is known, and it is.
inline constexpr uint32_t kHasIsRemote = 0x100, kIsRemote = 0x200;
}  // namespace span

}  // namespace dbtrace::otlp
