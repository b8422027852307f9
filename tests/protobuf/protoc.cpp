#include "tests/protobuf/protoc.h"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

// "a\303\244\n" → its bytes.
std::string unescaped(std::string_view text) {
  std::string bytes;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      bytes += text[at];
    } else if (std::isdigit(static_cast<unsigned char>(text[at + 1]))) {
      bytes += static_cast<char>(std::stoi(std::string(text.substr(at + 1, 3)), nullptr, 8));
      at += 3;
    } else {
      const char c = text[++at];
      bytes += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
  }
  return bytes;
}

// protoc's text format: each field is a list of its values.
json parse(std::istream& lines) {
  json message = json::object();
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (line.substr(begin) == "}") break;
    const size_t end = line.find_first_of(" :", begin);
    const std::string field = line.substr(begin, end - begin);
    if (std::isdigit(static_cast<unsigned char>(field.front())))
      throw std::runtime_error("no field has number " + field);
    if (line.ends_with(" {")) {
      message[field].push_back(parse(lines));
      continue;
    }
    const std::string value = line.substr(end + 2);
    if (value.front() == '"') {
      message[field].push_back(unescaped(value.substr(1, value.size() - 2)));
    } else if (std::isdigit(static_cast<unsigned char>(value.front()))) {
      if (value.find_first_of(".e") == std::string::npos)
        message[field].push_back(std::stoull(value));
      else
        message[field].push_back(std::stod(value));
    } else if (value.front() == '-') {
      message[field].push_back(std::stoll(value));
    } else {
      message[field].push_back(value);
    }
  }
  return message;
}

}  // namespace

json decode_protobuf(const std::string& bytes, const std::filesystem::path& schema,
                     const std::string& type) {
  TemporaryFolder folder;
  const std::string file = folder.path() / "message", text = file + ".txt";
  std::ofstream(file, std::ios::binary) << bytes;
  const std::string command =
      std::string(PROTOC) + " --proto_path=" + schema.parent_path().string() + " --decode=" + type +
      " " + schema.filename().string() + " <" + file + " >" + text;
  if (std::system(command.c_str()) != 0) throw std::runtime_error("protoc cannot decode it");
  std::ifstream lines(text);
  return parse(lines);
}

}  // namespace dbtrace::testing
