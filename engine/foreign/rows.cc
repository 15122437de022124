// The table of foreign engines.
#include "engine/foreign/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/foreign/export_jax.h"
#include "engine/foreign/export_nvfuser.h"
#include "engine/foreign/export_tinygrad.h"
#include "engine/foreign/export_torch.h"
#include "generator/ir/segments.h"

namespace seamfuzz {
namespace {

std::bitset<kDTypeCount> Only(std::initializer_list<DType> dtypes) {
  std::bitset<kDTypeCount> set;
  for (const DType dtype : dtypes) set.set(static_cast<size_t>(dtype));
  return set;
}

std::vector<LaneRow> TorchLanes() {
  return {
      {"backend", {"inductor", "aot_eager"}},
      {"dynamic", {"off", "on"}},
      {"boundary", {"break", "compile"}},
      {"clone", {"needed", "all"}},
      {"threads", {"1", "4"}},
      {"guard", {"on", "off"}},
      {"device", {"cpu", "cuda"}, /*drawn=*/false},
      {"precision_casts", {"on", "off"}, /*drawn=*/false},
      {"inplace_buffers", {"on", "off"}},
      {"buffer_reuse", {"on", "off"}},
      {"max_fusion_size", {"64", "1"}},
      {"loop_ordering", {"on", "off"}},
      {"reorder_for_locality", {"on", "off"}},
      {"pattern_matcher", {"on", "off"}},
      {"simdlen", {"256", "1"}},
  };
}

// Its switches are those of nvFuser 0.2.36 (csrc/options.cpp) that must not change an answer:
// io_to_lower_precision and fast_math may, the others only print.
std::vector<LaneRow> NvfuserLanes() {
  return {
      {"shapes", {"symbolic", "fixed"}},
      {"contiguity", {"declared", "undeclared"}},
      {"outputs", {"given", "reversed"}},
      {"first_call", {"same", "other_sizes"}},
      {"enable",
       {"none", "host_ir_lowering", "kernel_db", "memory_promotion", "reuse_zeroed_memory",
        "static_fusion_count", "tma_pointwise", "tma_inner_persistent", "tma_reduction",
        "ws_normalization", "fuse_matmul", "fuse_multiple_matmuls"}},
      {"disable",
       {"none", "contig_indexing", "expr_simplify", "greedy_scheduler", "index_hoist",
        "infer_contiguity", "kernel_reuse", "magic_zero", "matmul_expr_eval", "nvrtc_caching",
        "predicate_elimination", "resize_scheduler", "reuse_mismatched_type_registers",
        "var_name_remapping", "welford_vectorization"}},
      {"guard", {"on", "off"}},
  };
}

// What nvFuser says no to when a graph is defined. An internal assert without a word of what is not
// supported is a failure.
std::vector<RefusalRow> NvfuserRefusals() {
  return {
      // The value of an update has a broadcast or gathered dim where its target has a plain one.
      {"do not match for self replay", "https://github.com/NVIDIA/Fuser/issues/5431"},
      {"Closed-form scan of expanded dimension is not yet implemented", ""},
      // Gathered and scattered dims can be neither resized (slice, pad) nor concatenated.
      {"Not a valid IterType: n", ""},
      {"Unsupported IterDomain to concatenate: n", ""},
  };
}

// Its test_returning_aliased_outputs asserts that an output that is an input lies in that input's
// memory; where an update has been written there, by whatever name, it shows.
std::vector<DeviationRow> NvfuserDeviations() {
  std::vector<DeviationRow> rows;
  for (const std::string_view pattern :
       {"D1 read=output index=same segment=same", "C1 read=output index=same segment=same",
        "C2 read=output segment=same"}) {
    rows.push_back({.pattern = pattern,
                    .versions = "",
                    .link = "https://github.com/NVIDIA/Fuser/pull/2566",
                    .reason = "an output that is an input is returned in that input's memory, "
                              "where the update has been written"});
  }
  return rows;
}

std::vector<ForeignRow> MakeRows() {
  std::vector<ForeignRow> rows;
  rows.push_back({
      .name = "inductor",
      .description =
          "PyTorch's torch.compile (Inductor; lane backend=aot_eager: AOTAutograd alone)",
      .brings = "scripts/compilers",
      .dialect = &kTorchDialect,
      .script = ExportTorch,
      // The C++ backend reads back the f32 value that it rounded, on purpose (pytorch#115260).
      .not_drawn = Only({DType::kF16, DType::kBF16}),
      .max_ops = 8,
      .max_requests = 500,
      .lanes = TorchLanes(),
      .refusals = {{"unsupported operation: some elements of the input tensor and the written-to "
                    "tensor refer to a single "
                    "memory location",
                    ""},
                   {"unsupported operation: more than one element of the written-to tensor refers "
                    "to a single memory location",
                    ""}},
  });
  rows.push_back({
      .name = "xla",
      .description = "JAX's jax.jit (XLA), updated inputs donated",
      .brings = "scripts/compilers",
      .dialect = &kJaxDialect,
      .script = ExportJax,
      .inexact_ops = {"erf", "expm1"},
      .strides = false,
      .shared_storage = false,
      .offsets = false,
      .scalars = true,
      .uncompiled_first_odds = 8,
      .lanes = {{"donate", {"on", "off"}},
                {"results", {"ordered", "reversed"}},
                {"boundary", {"barrier", "jit"}}},
  });
  rows.push_back({
      .name = "tinygrad",
      .description = "tinygrad's scheduler and kernels, one realize",
      .brings = "scripts/compilers",
      .dialect = &kTinygradDialect,
      .script = ExportTinygrad,
      // Debian 12's clang 14, with which it compiles, has no bf16 arithmetic.
      .dtypes = ~Only({DType::kBF16}),
      .inexact_ops = {"cos", "erf", "exp", "pow", "sin", "tanh"},
      .strides = false,
      .shared_storage = false,
      .offsets = false,
      .uncompiled_first_odds = 8,
      .lanes = {{"boundary", {"contiguous", "realize"}},
                {"clone", {"needed", "all"}},
                {"realize", {"outputs_first", "updates_first"}}},
      // Two kernels that each need what the other overwrites: it has no temporary for them and says
      // so.
      .refusals = {{"cycle detected in assign graph", ""}},
  });
  rows.push_back({
      .name = "nvfuser",
      .description = "nvFuser (nvfuser_direct) on a CUDA GPU",
      .brings = "pip install nvfuser-cu130-torch210 torch==2.10.0",
      .dialect = &kNvfuserDialect,
      .script = ExportNvfuser,
      .lacks = NvfuserLacks,
      .ill_formed = true,
      .max_ops = 6,
      .uncompiled = false,
      .lanes = NvfuserLanes(),
      .refusals = NvfuserRefusals(),
      .deviations = NvfuserDeviations(),
  });
  return rows;
}

std::string WhyNotInput(const ForeignRow& row, const Node& input) {
  const Shape& shape = input.type.shape;
  if (input.layout.scalar && !row.scalars)
    return fmt::format("{} takes no scalar inputs", row.name);
  const bool contiguous = input.layout.strides == ContiguousStrides(shape);
  if (!contiguous && !row.strides) return fmt::format("{} takes contiguous inputs only", row.name);
  if (input.layout.offset != 0 && !row.offsets)
    return fmt::format("{} takes whole storages only", row.name);
  return "";
}

}  // namespace

const std::vector<ForeignRow>& ForeignRows() {
  static const std::vector<ForeignRow> kRows = MakeRows();
  return kRows;
}

const ForeignRow* FindForeignRow(std::string_view name) {
  const auto found = std::ranges::find(ForeignRows(), name, &ForeignRow::name);
  return found == ForeignRows().end() ? nullptr : &*found;
}

std::string UnknownLane(const ForeignRow& row, const Case& c) {
  for (const LaneRow& lane : row.lanes) {
    const std::string value = LaneOf(c, lane.name, lane.values.front());
    if (std::ranges::find(lane.values, value) == lane.values.end()) {
      return fmt::format("lane {} of {} is one of {}", lane.name, row.name,
                         fmt::join(lane.values, ", "));
    }
  }
  return "";
}

std::string WhyNot(const ForeignRow& row, const Case& c) {
  const Graph& graph = c.graph;
  if (graph.reading() == Reading::kTrace) return "runs graphs only";
  if (std::string why = UnknownLane(row, c); !why.empty()) return why;
  for (const Node& node : graph.nodes()) {
    if (!row.dtypes[static_cast<size_t>(node.type.dtype)]) {
      return fmt::format("{} has no {}", row.name, Row(node.type.dtype).name);
    }
    if (!row.forms[static_cast<size_t>(node.row().form)]) {
      return fmt::format("{} has no {} ops", row.name, FormName(node.row().form));
    }
    if (std::ranges::find(row.inexact_ops, node.row().name) != row.inexact_ops.end()) {
      return fmt::format("the {} of {} is less exact than the op table's bound", node.row().name,
                         row.name);
    }
    if (!row.zero_size && NumElements(node.type.shape) == 0)
      return fmt::format("{} takes no empty tensors", row.name);
    if (node.op != InputOp()) continue;
    if (std::string why = WhyNotInput(row, node); !why.empty()) return why;
  }
  if (!row.shared_storage) {
    for (const StorageInfo& storage : Storages(graph)) {
      if (storage.inputs.size() > 1)
        return fmt::format("{} takes no inputs that share storage", row.name);
    }
  }
  if (const std::vector<Error> broken = BrokenContract(graph); !row.ill_formed && !broken.empty()) {
    return fmt::format("rule {} is broken, and a program in {} always has some meaning",
                       broken[0].rule, row.dialect->target);
  }
  if (std::string why = Unspeakable(graph, *row.dialect); !why.empty()) return why;
  return row.lacks == nullptr ? std::string() : row.lacks(c);
}

}  // namespace seamfuzz
