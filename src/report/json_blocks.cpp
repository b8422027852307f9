#include "src/report/json_blocks.h"

#include <map>

#include "src/report/json.h"
#include "src/report/json_list.h"

namespace dbtrace::report {

using output::JsonObject;

namespace {

void append(const Party& party, const Collector& collector, const Places<uint32_t>& kinds,
            std::string& json) {
  JsonObject object(json);
  const bool is_shown = party.kind && kinds.of(*party.kind) != kinds.others();
  if (is_shown)
    object.number("kind", kinds.of(*party.kind));
  else
    object.null("kind");
  add_string(
      object, "text",
      party.kind ? cut(collector.kinds()[*party.kind].text) : std::string_view(party.thread));
  object.boolean("background", !party.kind);
  object.boolean("idle", party.idle);
  object.end();
}

void append(uint32_t bucket, uint32_t place, const BlockSums& sums, List& list) {
  List each(list.next());
  each.add(bucket).add(place).add(sums.count).add(sums.ns).add(sums.max_ns).end();
}

}  // namespace

void append_blocks(const Collector& collector, const Places<uint32_t>& kinds, JsonObject& object,
                   std::string& json) {
  Places<Block> blocks(kPageBlocks);
  for (const auto& [block, sums] : collector.blocks().heaviest_first()) blocks.add(*block);

  std::map<Party, uint32_t> numbers;
  std::string parties_json;
  List parties(parties_json);
  const auto number_of = [&](const Party& party) {
    const auto [number, is_new] = numbers.emplace(party, static_cast<uint32_t>(numbers.size()));
    if (is_new) append(party, collector, kinds, parties.next());
    return number->second;
  };
  object.key("blocks");
  List list(json);
  size_t left = kPageBlocks;
  for (const auto& [block, sums] : collector.blocks().heaviest_first()) {
    if (!left || !left--) break;
    List each(list.next());
    each.add(number_of(block->blocker)).add(number_of(block->blocked));
    each.add(static_cast<uint32_t>(block->cause)).end();
  }
  list.end();
  parties.end();
  object.key("parties");
  json += parties_json;
  object.key("block_cells");
  List cells(json);
  for (uint32_t bucket = 0; bucket < collector.buckets().size(); ++bucket) {
    BlockSums others = collector.buckets()[bucket].other_blocks;
    for (const auto& [block, sums] : collector.buckets()[bucket].blocks) {
      const uint32_t place = blocks.of(block);
      if (place == blocks.others())
        others.add(sums);
      else
        append(bucket, place, sums, cells);
    }
    if (others.count) append(bucket, blocks.others(), others, cells);
  }
  cells.end();
}

}  // namespace dbtrace::report
