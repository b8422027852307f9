// The page of the HTML format: the files of page/, as they are compiled in.
#pragma once

#include <string_view>

namespace dbtrace::embedded {

extern const std::string_view page_html;  // with {{name}} where something is to be put
extern const std::string_view page_css;
extern const std::string_view page_js;

}  // namespace dbtrace::embedded
