// The text of graphs and traces: a printer, and a parser without recursion.
#include "generator/ir/text.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace seamfuzz {
namespace {

// ---- Printing
// --------------------------------------------------------------------------------------------------------

// Shortest text that reads back to the same double; `3.0` keeps its point where it tells a number
// from an integer.
std::string NumberText(double number, bool keep_point) {
  if (number != number) return "nan";
  std::string text = fmt::format("{}", number);
  if (keep_point && text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string OperandText(const Graph& graph, const Operand& operand) {
  if (!operand.is_literal()) return graph.node(operand.value).name;
  if (operand.literal_dtype == DType::kBool) return operand.literal.i != 0 ? "true" : "false";
  if (operand.literal_dtype == DType::kI64) return std::to_string(operand.literal.i);
  return NumberText(operand.literal.f, true);
}

const AttrKeyRow* FindAttrKey(AttrKey key) {
  for (const AttrKeyRow& row : AttrKeyRows()) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

const AttrKeyRow* FindAttrKey(std::string_view name) {
  for (const AttrKeyRow& row : AttrKeyRows()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Empty when the attribute has its default.
std::string AttrText(const AttrSpec& spec, const Attr& attr) {
  const AttrKeyRow* key = FindAttrKey(spec.key);
  std::string value;
  bool is_default = false;
  switch (key->kind) {
    case AttrKind::kIntList:
      value = attr.list.Text();
      break;
    case AttrKind::kInt:
      value = std::to_string(attr.value.i);
      is_default = attr.value.i == static_cast<int64_t>(spec.value);
      break;
    case AttrKind::kBool:
      value = attr.value.i != 0 ? "true" : "false";
      is_default = (attr.value.i != 0) == (spec.value != 0);
      break;
    case AttrKind::kNumber:
      value = NumberText(attr.value.f, false);
      is_default = value == NumberText(spec.value, false);  // by text: nan is nan, and 0 is not -0
      break;
    case AttrKind::kDType:
      value = Row(attr.dtype).name;
      break;
  }
  if (is_default && !spec.required) return "";
  return fmt::format("{}={}", key->name, value);
}

std::string InputText(const Node& node) {
  if (node.layout.scalar) return fmt::format("input scalar {}", Row(node.type.dtype).name);
  std::string text = fmt::format("input {}{}", Row(node.type.dtype).name, node.type.shape.Text());
  if (node.layout.strides != ContiguousStrides(node.type.shape)) {
    text += " strides " + node.layout.strides.Text();
  }
  if (node.layout.storage != node.name) text += " in " + node.layout.storage;
  if (node.layout.offset != 0) text += " at " + std::to_string(node.layout.offset);
  return text;
}

// ---- Parsing
// ---------------------------------------------------------------------------------------------------------

template <typename T>
bool ReadNumber(std::string_view text, T& value) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

class Parser {
 public:
  Parser(Lexer& lexer, GraphLines* lines) : lexer_(lexer), lines_(lines) {}
  Result<Graph> Parse();

 private:
  Status Statement();
  Status Assignment(const Token& name);
  Status Input(const Token& name);
  Status Op(const Token& name);
  Status OperandOrAttr(std::vector<Operand>& operands, Attrs& attrs);
  Status AttrValue(const Token& name, Attrs& attrs);
  Status Update(const Token& target);
  Status Output();
  Status AddedNode(const Result<ValueId>& added, const Token& name, const Token& op);

  Result<Token> Identifier(std::string_view what);
  Result<ValueId> Value();
  Result<int64_t> Integer();
  Result<double> Number();
  Result<DType> ElementType();
  Result<IntList> List();
  // An error on the current token.
  Error Here(std::string rule, std::string message) const {
    return lexer_.At(lexer_.peek(), std::move(rule), std::move(message));
  }

  Lexer& lexer_;
  GraphLines* lines_;
  Graph graph_;
};

// Passes a broken Result on as a broken Result of another type.
#define SEAMFUZZ_TRY(name, expression) \
  auto name = (expression);            \
  if (!name.ok()) return name.error()

std::string Shown(const Token& token) { return std::string(token.text.substr(0, 32)); }

Result<Token> Parser::Identifier(std::string_view what) {
  if (lexer_.peek().kind != TokenKind::kIdentifier) {
    return Here("syntax", fmt::format("expected {}", what));
  }
  return lexer_.Next();
}

Result<ValueId> Parser::Value() {
  SEAMFUZZ_TRY(token, Identifier("the name of a value"));
  const ValueId value = graph_.Find(token->text);
  if (value == kNoValue) {
    return lexer_.At(*token, "unknown_value",
                     fmt::format("{} is not defined before its use", Shown(*token)));
  }
  return value;
}

Result<int64_t> Parser::Integer() {
  int64_t value = 0;
  if (lexer_.peek().kind != TokenKind::kInteger) return Here("syntax", "expected an integer");
  if (!ReadNumber(lexer_.peek().text, value)) {
    return Here("number", "the integer does not fit in 64 bits");
  }
  lexer_.Next();
  return value;
}

Result<double> Parser::Number() {
  const Token& token = lexer_.peek();
  if (token.kind != TokenKind::kInteger && token.kind != TokenKind::kNumber) {
    return Here("syntax", "expected a number");
  }
  double value = 0;
  if (!ReadNumber(token.text, value)) {
    return Here("number", fmt::format("{} is no number that fits in 64 bits", Shown(token)));
  }
  lexer_.Next();
  return value;
}

Result<DType> Parser::ElementType() {
  const std::optional<DType> dtype = FindDType(lexer_.peek().text);
  if (!dtype) return Here("dtype", "expected bool, i8, i32, i64, f16, bf16, f32 or f64");
  lexer_.Next();
  return *dtype;
}

Result<IntList> Parser::List() {
  SEAMFUZZ_TRY(open, lexer_.Expect("["));
  IntList list;
  if (lexer_.Accept("]")) return list;
  while (true) {
    if (list.full()) {
      return Here("rank_limit", fmt::format("a list has at most {} entries", kMaxRank));
    }
    SEAMFUZZ_TRY(entry, Integer());
    list.push_back(*entry);
    if (lexer_.Accept("]")) return list;
    SEAMFUZZ_TRY(comma, lexer_.Expect(","));
  }
}

Result<Graph> Parser::Parse() {
  if (lexer_.Accept("trace")) {
    graph_ = Graph(Reading::kTrace);
  } else if (!lexer_.Accept("graph")) {
    return Here("syntax", "expected graph or trace");
  }
  SEAMFUZZ_TRY(open, lexer_.Expect("{"));
  while (!lexer_.Accept("}")) {
    SEAMFUZZ_TRY(statement, Statement());
  }
  return std::move(graph_);
}

Status Parser::Statement() {
  SEAMFUZZ_TRY(word, Identifier("NAME = ..., NAME <- NAME, output NAME or }"));
  if (lexer_.Accept("=")) return Assignment(*word);
  if (lexer_.Accept("<-")) return Update(*word);
  if (word->text == "output") return Output();
  return lexer_.At(*word, "syntax",
                   fmt::format("expected = or <- after {}; statements are NAME = OP(...), "
                               "NAME <- NAME and output NAME",
                               Shown(*word)));
}

Status Parser::Assignment(const Token& name) {
  if (lexer_.Accept("input")) return Input(name);
  return Op(name);
}

Status Parser::Input(const Token& name) {
  TensorType type;
  Layout layout;
  layout.scalar = lexer_.Accept("scalar");
  SEAMFUZZ_TRY(dtype, ElementType());
  type.dtype = *dtype;
  if (!layout.scalar) {
    SEAMFUZZ_TRY(shape, List());
    type.shape = *shape;
  }
  if (lexer_.Accept("strides")) {
    const Token at = lexer_.peek();
    SEAMFUZZ_TRY(strides, List());
    layout.strides = *strides;
    if (layout.strides.size() != type.shape.size()) {
      // An empty list would mean contiguous.
      return lexer_.At(
          at, "strides_rank",
          fmt::format("{} strides for {} dims", layout.strides.size(), type.shape.size()));
    }
  }
  if (lexer_.Accept("in")) {
    SEAMFUZZ_TRY(storage, Identifier("the name of a storage"));
    layout.storage = storage->text;
  }
  if (lexer_.Accept("at")) {
    SEAMFUZZ_TRY(offset, Integer());
    layout.offset = *offset;
  }
  return AddedNode(graph_.AddInput(name.text, type, std::move(layout)), name, name);
}

Status Parser::Op(const Token& name) {
  SEAMFUZZ_TRY(op, Identifier("input or the name of an op"));
  SEAMFUZZ_TRY(open, lexer_.Expect("("));
  std::vector<Operand> operands;
  Attrs attrs;
  while (!lexer_.Accept(")")) {
    if (!operands.empty() || !attrs.empty()) {
      SEAMFUZZ_TRY(comma, lexer_.Expect(","));
    }
    SEAMFUZZ_TRY(argument, OperandOrAttr(operands, attrs));
  }
  return AddedNode(graph_.Add(op->text, std::move(operands), std::move(attrs), name.text), name,
                   *op);
}

Status Parser::OperandOrAttr(std::vector<Operand>& operands, Attrs& attrs) {
  const Token token = lexer_.peek();
  Operand operand;
  if (lexer_.Accept("true") || lexer_.Accept("false")) {
    operand.literal = IntScalar(token.text == "true");
    operand.literal_dtype = DType::kBool;
  } else if (token.kind == TokenKind::kInteger) {
    SEAMFUZZ_TRY(integer, Integer());
    operand = Operand::Integer(*integer);
  } else if (token.kind == TokenKind::kNumber) {
    SEAMFUZZ_TRY(number, Number());
    operand = Operand::Number(*number);
  } else if (token.kind == TokenKind::kIdentifier) {
    lexer_.Next();
    if (lexer_.Accept("=")) return AttrValue(token, attrs);
    operand.value = graph_.Find(token.text);
    if (operand.value == kNoValue) {
      return lexer_.At(token, "unknown_value",
                       fmt::format("{} is not defined before its use", Shown(token)));
    }
  } else {
    return Here("syntax", "expected a value, a number or an attribute");
  }
  if (!attrs.empty()) {
    return lexer_.At(token, "syntax", "operands come before attributes");
  }
  if (operands.size() > static_cast<size_t>(kMaxArity)) {
    return lexer_.At(token, "arity", fmt::format("no op takes more than {} operands", kMaxArity));
  }
  operands.push_back(operand);
  return Done{};
}

Status Parser::AttrValue(const Token& name, Attrs& attrs) {
  const AttrKeyRow* key = FindAttrKey(name.text);
  if (key == nullptr) {
    return lexer_.At(name, "attribute", fmt::format("there is no attribute {}", Shown(name)));
  }
  Attr attr{.key = key->key};
  for (const Attr& other : attrs) {
    if (other.key == attr.key) {
      return lexer_.At(name, "attribute", fmt::format("{} is given twice", key->name));
    }
  }
  switch (key->kind) {
    case AttrKind::kIntList: {
      SEAMFUZZ_TRY(list, List());
      attr.list = *list;
      break;
    }
    case AttrKind::kInt: {
      SEAMFUZZ_TRY(integer, Integer());
      attr.value = IntScalar(*integer);
      break;
    }
    case AttrKind::kBool: {
      const bool is_true = lexer_.Accept("true");
      if (!is_true && !lexer_.Accept("false")) return Here("syntax", "expected true or false");
      attr.value = IntScalar(is_true);
      break;
    }
    case AttrKind::kNumber: {
      SEAMFUZZ_TRY(number, Number());
      attr.value = FloatScalar(*number);
      break;
    }
    case AttrKind::kDType: {
      SEAMFUZZ_TRY(dtype, ElementType());
      attr.dtype = *dtype;
      break;
    }
  }
  attrs.push_back(attr);
  return Done{};
}

Status Parser::AddedNode(const Result<ValueId>& added, const Token& name, const Token& op) {
  if (!added.ok()) {
    const Error& error = added.error();
    const bool about_name =
        error.rule == "name" || error.rule == "name_taken" || error.rule == "node_limit";
    return lexer_.At(about_name ? name : op, error.rule, error.message);
  }
  if (lines_ != nullptr) lines_->nodes.push_back(name.line);
  return Done{};
}

Status Parser::Update(const Token& target) {
  const ValueId target_value = graph_.Find(target.text);
  if (target_value == kNoValue) {
    return lexer_.At(target, "unknown_value",
                     fmt::format("{} is not defined before its use", Shown(target)));
  }
  SEAMFUZZ_TRY(value, Value());
  const Status added = graph_.AddUpdate(target_value, *value);
  if (!added.ok()) return lexer_.At(target, added.error().rule, added.error().message);
  if (lines_ != nullptr) lines_->effects.push_back(target.line);
  return Done{};
}

Status Parser::Output() {
  const Token at = lexer_.peek();
  SEAMFUZZ_TRY(value, Value());
  const Status added = graph_.AddOutput(*value);
  if (!added.ok()) return lexer_.At(at, added.error().rule, added.error().message);
  if (lines_ != nullptr) lines_->effects.push_back(at.line);
  return Done{};
}

#undef SEAMFUZZ_TRY

}  // namespace

std::string PrintNode(const Graph& graph, ValueId v) {
  const Node& node = graph.node(v);
  if (graph.is_input(v)) return fmt::format("{} = {}", node.name, InputText(node));
  std::string arguments;
  const auto append = [&arguments](std::string_view text) {
    if (text.empty()) return;
    if (!arguments.empty()) arguments += ", ";
    arguments += text;
  };
  for (const Operand& operand : node.operands) append(OperandText(graph, operand));
  for (const AttrSpec& spec : node.row().attrs) {
    const Attr* attr = spec.key == AttrKey::kNone ? nullptr : FindAttr(node.attrs, spec.key);
    if (attr != nullptr) append(AttrText(spec, *attr));
  }
  return fmt::format("{} = {}({})", node.name, node.row().name, arguments);
}

std::string PrintEffect(const Graph& graph, const Effect& effect) {
  const std::string& value = graph.node(effect.value).name;
  if (!effect.is_update()) return "output " + value;
  return fmt::format("{} <- {}", graph.node(effect.target).name, value);
}

std::string Print(const Graph& graph) {
  std::string text = graph.reading() == Reading::kGraph ? "graph {\n" : "trace {\n";
  size_t effect = 0;
  for (ValueId v = 0; v <= graph.size(); ++v) {
    for (; effect < graph.effects().size() && graph.effects()[effect].position == v; ++effect) {
      text += "  " + PrintEffect(graph, graph.effects()[effect]) + "\n";
    }
    if (v < graph.size()) text += "  " + PrintNode(graph, v) + "\n";
  }
  return text + "}\n";
}

Result<Graph> ParseGraph(std::string_view text) {
  Lexer lexer(text);
  Result<Graph> graph = ParseGraph(lexer);
  if (graph.ok() && lexer.peek().kind != TokenKind::kEnd) {
    return lexer.At(lexer.peek(), "syntax", "expected nothing after the graph");
  }
  return graph;
}

Result<Graph> ParseGraph(Lexer& lexer, GraphLines* lines) { return Parser(lexer, lines).Parse(); }

}  // namespace seamfuzz
