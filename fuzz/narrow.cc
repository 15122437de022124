// See narrow.h.
#include "fuzz/narrow.h"

#include <algorithm>

#include "engine/foreign/rows.h"
#include "generator/draw/choices.h"

namespace seamfuzz {
namespace {

// Lanes are drawn from a stream of their own, so that a lane more changes no graph.
constexpr uint64_t kLaneStream = 0x6c616e65;  // "lane"

bool Takes(const ForeignRow& row, OpId op) {
  const OpRow& candidate = Row(op);
  const std::string_view text = candidate.*row.dialect->op;
  const bool spelled = text != "-" && (!text.empty() || candidate.form == Form::kComposite);
  return candidate.weight > 0 && spelled && row.forms[static_cast<size_t>(candidate.form)] &&
         std::ranges::find(row.inexact_ops, candidate.name) == row.inexact_ops.end();
}

}  // namespace

void Narrow(std::string_view engine, DrawConfig& draw) {
  const ForeignRow* row = FindForeignRow(engine);
  if (row == nullptr) return;
  draw.dtypes &= row->dtypes & ~row->not_drawn;
  for (const DTypeRow& dtype : DTypeRows()) {
    if (dtype.*row->dialect->dtype == "-") draw.dtypes.reset(&dtype - DTypeRows().data());
  }
  draw.forms &= row->forms;
  draw.strides &= row->strides;
  draw.shared_storage &= row->shared_storage;
  draw.zero_size &= row->zero_size;
  draw.ill_formed &= row->ill_formed;
  draw.max_ops = std::min(draw.max_ops, row->max_ops);
  draw.schedule = false;
  for (OpId op = 0; op < OpRows().size(); ++op) {
    if (Takes(*row, op)) draw.ops.push_back(op);
  }
}

Case DrawCaseFor(std::string_view engine, uint64_t seed, uint64_t index, const DrawConfig& draw) {
  Case c = DrawCase(seed, index, draw);
  const ForeignRow* row = FindForeignRow(engine);
  if (row == nullptr) return c;
  Choices choices(seed ^ kLaneStream, index);
  for (const LaneRow& lane : row->lanes) {
    const int others = static_cast<int>(lane.values.size()) - 1;
    if (!lane.drawn || !choices.OneIn(kLaneOdds)) continue;
    const auto drawn =
        c.schedule.lanes.emplace(lane.name, lane.values[1 + choices.Below(others)]).first;
    // Some lanes suit some graphs only; the case itself is worth running.
    if (!WhyNot(*row, c).empty()) c.schedule.lanes.erase(drawn);
  }
  return c;
}

}  // namespace seamfuzz
