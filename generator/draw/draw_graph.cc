// Puts a graph together: random ops with hazards woven in, then the effects.
#include "generator/draw/draw_hazards.h"
#include "generator/draw/draw_ops.h"
#include "generator/draw/draw_schedule.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

Drawing DrawNodes(Choices& choices, const DrawConfig& config) {
  Drawing drawing(choices, config);
  int hazards = drawing.swarm().updates;
  // A configuration that has few ops may refuse many.
  int attempts = 4 * drawing.swarm().ops + 4;
  while (attempts-- > 0 && (hazards > 0 || !drawing.full())) {
    if (hazards > 0 && (drawing.full() || choices.OneIn(3))) {
      DrawHazard(drawing);
      --hazards;
    } else {
      DrawOp(drawing);
    }
  }
  if (config.ill_formed && choices.OneIn(2)) BreakContract(drawing);
  DrawEffects(drawing);
  return drawing;
}

}  // namespace

Graph DrawGraph(Choices& choices, const DrawConfig& config) {
  return DrawNodes(choices, config).Finish();
}

Case DrawCase(Choices& choices, const DrawConfig& config) {
  Drawing drawing = DrawNodes(choices, config);
  Case c;
  c.lane = drawing.swarm().lane;
  c.special = drawing.swarm().special;
  c.data = std::move(drawing.data());
  c.graph = std::move(drawing).Finish();
  // Small seeds are read and typed by people; a few thousand of them are plenty beside the graphs.
  c.seed = static_cast<uint64_t>(choices.Between(1, 9999));
  if (config.schedule) c.schedule = DrawSchedule(choices, c.graph);
  return c;
}

Case DrawCase(uint64_t seed, uint64_t index, const DrawConfig& config) {
  Choices choices(seed, index);
  return DrawCase(choices, config);
}

}  // namespace seamfuzz
