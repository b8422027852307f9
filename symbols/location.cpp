#include "symbols/location.h"

namespace dbtrace::symbols {

std::string_view kind_name(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::Function:
      return "function";
    case FunctionKind::Alias:
      return "alias";
    case FunctionKind::Clone:
      return "clone";
    case FunctionKind::Part:
      return "part";
    case FunctionKind::Cold:
      return "cold";
    case FunctionKind::Ifunc:
      return "ifunc";
    case FunctionKind::Label:
      return "label";
    case FunctionKind::Address:
      return "address";
  }
  return "";
}

}  // namespace dbtrace::symbols
