#include "profiles/mysql/file_name_charset.h"

#include <optional>

namespace dbtrace::profiles::mysql {
namespace {

// Letters of some scripts are '@', a letter and the name of a page of letters, in this or
// the other order. The case of the former is the case of the letter meant.
struct Script {
  std::string_view pages;
  char first;  // of a page; 'z' is the last
  bool letter_comes_first;
  // Page by page; a blank where there is none.
  std::u16string_view lower;
  std::u16string_view upper;
};

// As `CONVERT(_ucs2 X'…' USING filename)` of MariaDB 10.11 says for all characters.
// clang-format off
constexpr Script kScripts[] = {
    // Latin-1, Latin Extended-A
    {"01234", 'g', false,
     u"àáâãäåæçèéêëìíîïðñòó"
     u"ôõößøùúûüýþÿāăąćĉċčď"
     u"đēĕėęěĝğġģĥħĩīĭįıĳĵķ"
     u"ĸĺļľŀłńņňŉŋōŏőœŕŗřśŝ"
     u"şšţťŧũūŭůűųŵŷźżžſ   ",
     u"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓ"
     u"ÔÕÖ ØÙÚÛÜÝÞŸĀĂĄĆĈĊČĎ"
     u"ĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮ ĲĴĶ"
     u" ĹĻĽĿŁŃŅŇ ŊŌŎŐŒŔŖŘŚŜ"
     u"ŞŠŢŤŦŨŪŬŮŰŲŴŶŹŻŽ    "},
    // Greek
    {"56789", 'g', false,
     u"                  ΐ "
     u"άέήίΰαβγδεζηθικλμνξο"
     u"πρςστυφχψωϊϋόύώ ϐϑ  "
     u" ϕϖϗϙϛϝϟϡϣϥϧϩϫϭϯϰϱϲϳ"
     u"ϵ϶ϸϻϼ               ",
     u"                    "
     u"ΆΈΉΊ Α ΓΔΕΖΗ Ι ΛΜΝΞΟ"
     u" Ρ  ΤΥ ΧΨΩΪΫΌΎΏ ΒΘϒϓ"
     u"ϔΦΠ  ϚϜϞϠϢϤϦϨϪϬϮΚ Σ "
     u"     ϽϾϿ            "},
    // Cyrillic
    {"0123456", 'g', true,
     u"абвгдежзийклмнопрсту"
     u"фхцчшщъыьэюяѐёђѓєѕії"
     u"јљњћќѝўџѡѣѥѧѩѫѭѯѱѳѵѷ"
     u"ѹѻѽѿҁ ҋҍҏґғҕҗҙқҝҟҡңҥ"
     u"ҧҩҫҭүұҳҵҷҹһҽҿ ӂӄӆӈӊӌ"
     u"ӎ ӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳ"
     u"ӵӷӹ      ԁԃԅԇԉԋԍԏ   ",
     u"АБВГДЕЖЗИЙКЛМНОПРСТУ"
     u"ФХЦЧШЩЪЫЬЭЮЯЀЁЂЃЄЅІЇ"
     u"ЈЉЊЋЌЍЎЏѠѢѤѦѨѪѬѮѰѲѴѶ"
     u"ѸѺѼѾҀ ҊҌҎҐҒҔҖҘҚҜҞҠҢҤ"
     u"ҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋ"
     u"Ӎ ӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲ"
     u"ӴӶӸ      ԀԂԄԆԈԊԌԎ   "},
    // Armenian
    {"78", 'g', true,
     u" աբգդեզէըթժիլխծկհձղճ"
     u"մյնշոչպջռսվտրցւփքօ  ",
     u" ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃ"
     u"ՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕ  "},
    // Roman numerals
    {"9", 'g', true,
     u"ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿ    ",
     u"ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯ    "},
    // Latin Extended-B, IPA
    {"abcdefghijk", 'g', true,
     u"ƀƃƅƈƌƍƒƕƙƚƛƞơƣƥƨƪƫƭư"
     u"ƴƶƹƺƻ ƾƽǆǉǌǎǐǒǔǖǘǚǜǝ"
     u"ǟǡǣǥǧǩǫǭǯǰǳǵǹǻǽǿȁȃȅȇ"
     u"ȉȋȍȏȑȓȕȗșțȝȟȡȣȥȧȩȫȭȯ"
     u"ȱȳȴȵȶȷȸȹ ȼ ȿɀ       "
     u"       ɐɑɒɓɔɕɖɗɘəɚɛɜ"
     u"ɝɞɟɠɡɢɣɤɥɦɧɨɩɪɫɬɭɮɯɰ"
     u"ɱɲɳɴɵɶɷɸɹɺɻɼɽɾɿʀʁʂʃʄ"
     u"ʅʆʇʈʉʊʋʌʍʎʏʐʑʒʓʔʕʖʗʘ"
     u"ʙʚʛʜʝʞʟʠʡʢʣʤʥʦʧʨʩʪʫʬ"
     u"ʭʮʯ                 ",
     u" ƂƄƇƋ ƑǶƘȽ ȠƠƢƤƧ  ƬƯ"
     u"ƳƵƸ    ƼǄǇǊǍǏǑǓǕǗǙǛƎ"
     u"ǞǠǢǤǦǨǪǬǮ ǱǴǸǺǼǾȀȂȄȆ"
     u"ȈȊȌȎȐȒȔȖȘȚȜȞ ȢȤȦȨȪȬȮ"
     u"ȰȲ      ȺȻȾ         "
     u"          ƁƆ ƉƊ Ə Ɛ "
     u"   Ɠ  Ɣ    ƗƖ     Ɯ "
     u" Ɲ  Ɵ          Ʀ  Ʃ "
     u"   Ʈ ƱƲ      Ʒ Ɂ    "},
    // Latin Extended Additional
    {"lmnopqr", 'g', true,
     u"ḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧ"
     u"ḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏ"
     u"ṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷ"
     u"ṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕẖẗẘẙẚ"
     u"ẛ    ạảấầẩẫậắằẳẵặẹẻẽ"
     u"ếềểễệỉịọỏốồổỗộớờởỡợụ"
     u"ủứừửữựỳỵỷỹ          ",
     u"ḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦ"
     u"ḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎ"
     u"ṐṒṔṖṘṚṜṞ ṢṤṦṨṪṬṮṰṲṴṶ"
     u"ṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔ     "
     u"Ṡ    ẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼ"
     u"ẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤ"
     u"ỦỨỪỬỮỰỲỴỶỸ          "},
    // Greek Extended
    {"stuvwxyz", 'g', true,
     u"ἀἁἂἃἄἅἆἇἐἑἒἓἔἕ    ἠἡ"
     u"ἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅ"
     u"    ὐὑὒὓὔὕὖὗ    ὠὡὢὣ"
     u"ὤὥὦὧὰάὲέὴήὶίὸόὺύὼώ  "
     u"ᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣ"
     u"ᾤᾥᾦᾧᾰᾱᾲᾳᾴ ᾶᾷῂῃῄ ῆῇῐῑ"
     u"ῒΐ  ῖῗ ῠῡῢΰῤῥῦῧ  ῲῳ "
     u" ῶῷ                 ",
     u"ἈἉἊἋἌἍἎἏἘἙἚἛἜἝ    ἨἩ"
     u"ἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍ"
     u"     Ὑ Ὓ Ὕ Ὗ    ὨὩὪὫ"
     u"ὬὭὮὯᾺΆῈΈῊΉῚΊῸΌῪΎῺΏ  "
     u"ᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫ"
     u"ᾬᾭᾮᾯᾸᾹ ᾼ     ῌ    ῘῙ"
     u"       ῨῩ   Ῥ     ῼ "},
    // in circles
    {"@", 'a', false,
     u"ⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩ",
     u"ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏ"},
    // fullwidth
    {"@", 'a', true,
     u"ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ",
     u"ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ"},
};
// clang-format on

// The character that '@' and these two stand for; 0: none.
char16_t letter_of(char one, char two) {
  for (const Script& script : kScripts) {
    const char letter = script.letter_comes_first ? one : two;
    const size_t page = script.pages.find(script.letter_comes_first ? two : one);
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    const char lower = is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (page == std::string_view::npos || lower < script.first || lower > 'z') continue;
    const std::u16string_view letters = is_upper ? script.upper : script.lower;
    const size_t at = page * static_cast<size_t>('z' - script.first + 1) +
                      static_cast<size_t>(lower - script.first);
    if (at < letters.size() && letters[at] != u' ') return letters[at];
  }
  return 0;
}

std::optional<char16_t> hexadecimal(std::string_view digits) {
  uint32_t value = 0;
  for (const char c : digits) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && !(c >= 'a' && c <= 'f')) return std::nullopt;
    value = value * 16 + static_cast<uint32_t>(is_digit ? c - '0' : c - 'a' + 10);
  }
  return static_cast<char16_t>(value);
}

bool append_utf8(std::string& out, char16_t code) {
  if (code == 0 || (code >= 0xd800 && code < 0xe000)) return false;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
  return true;
}

}  // namespace

std::string identifier_of(std::string_view file_name) {
  // Behind a name that other systems keep for devices, as CON.
  constexpr std::string_view kReserved = "@@@";
  std::string_view left = file_name;
  if (left.ends_with(kReserved)) left.remove_suffix(kReserved.size());
  std::string identifier;
  while (!left.empty()) {
    if (left[0] != '@') {
      identifier += left[0];
      left.remove_prefix(1);
      continue;
    }
    if (left.size() < 3) return std::string(file_name);
    size_t size = 3;
    char16_t code = letter_of(left[1], left[2]);
    if (code == 0 && left.size() >= 5) {
      size = 5;
      code = hexadecimal(left.substr(1, 4)).value_or(0);
    }
    if (!append_utf8(identifier, code)) return std::string(file_name);
    left.remove_prefix(size);
  }
  return identifier;
}

}  // namespace dbtrace::profiles::mysql
