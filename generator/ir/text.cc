// The text of graphs and traces: a printer, and a parser without recursion.
#include "generator/ir/text.h"

#include <fmt/format.h>

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

// One statement after the other, no recursion. Each member reads one construct; false: `error_`
// says why not.
class Parser {
 public:
  Parser(Lexer& lexer, GraphLines* lines) : lexer_(lexer), lines_(lines) {}
  Result<Graph> Parse();

 private:
  bool WholeGraph();
  bool Statement();
  bool Input(const Token& name);
  bool Op(const Token& name);
  bool OperandOrAttr(std::vector<Operand>& operands, Attrs& attrs);
  bool AttrValue(const Token& name, Attrs& attrs);
  bool Added(const Result<ValueId>& added, const Token& name, const Token& op);
  bool Update(const Token& target);
  bool Output();

  bool Punctuation(std::string_view text);
  bool Identifier(std::string_view what, Token& token);
  bool Value(const Token& token, ValueId& value);
  bool Integer(int64_t& value);
  bool Number(double& value);
  bool ElementType(DType& dtype);
  bool List(IntList& list);
  bool Fail(const Token& token, std::string rule, std::string message) {
    error_ = lexer_.At(token, std::move(rule), std::move(message));
    return false;
  }

  Lexer& lexer_;
  GraphLines* lines_;
  Graph graph_;
  Error error_;
};

std::string Shown(const Token& token) { return std::string(token.text.substr(0, 32)); }

Result<Graph> Parser::Parse() {
  if (!WholeGraph()) return error_;
  return std::move(graph_);
}

bool Parser::WholeGraph() {
  if (lexer_.Accept("trace")) {
    graph_ = Graph(Reading::kTrace);
  } else if (!lexer_.Accept("graph")) {
    return Fail(lexer_.peek(), "syntax", "expected graph or trace");
  }
  if (!Punctuation("{")) return false;
  while (!lexer_.Accept("}")) {
    if (!Statement()) return false;
  }
  return true;
}

bool Parser::Statement() {
  Token word;
  if (!Identifier("NAME = ..., NAME <- NAME, output NAME or }", word)) return false;
  if (lexer_.Accept("=")) return lexer_.Accept("input") ? Input(word) : Op(word);
  if (lexer_.Accept("<-")) return Update(word);
  if (word.text == "output") return Output();
  return Fail(word, "syntax",
              fmt::format("expected = or <- after {}; statements are NAME = OP(...), NAME <- NAME "
                          "and output NAME",
                          Shown(word)));
}

bool Parser::Input(const Token& name) {
  TensorType type;
  Layout layout;
  layout.scalar = lexer_.Accept("scalar");
  if (!ElementType(type.dtype)) return false;
  if (!layout.scalar && !List(type.shape)) return false;
  const Token strides = lexer_.peek();
  if (lexer_.Accept("strides")) {
    if (!List(layout.strides)) return false;
    if (layout.strides.empty() &&
        !type.shape.empty()) {  // to Graph::AddInput this would mean contiguous
      return Fail(strides, "strides_rank", fmt::format("0 strides for {} dims", type.shape.size()));
    }
  }
  if (lexer_.Accept("in")) {
    Token storage;
    if (!Identifier("the name of a storage", storage)) return false;
    layout.storage = storage.text;
  }
  if (lexer_.Accept("at") && !Integer(layout.offset)) return false;
  return Added(graph_.AddInput(name.text, type, std::move(layout)), name, name);
}

bool Parser::Op(const Token& name) {
  Token op;
  if (!Identifier("input or the name of an op", op) || !Punctuation("(")) return false;
  std::vector<Operand> operands;
  Attrs attrs;
  while (!lexer_.Accept(")")) {
    if ((!operands.empty() || !attrs.empty()) && !Punctuation(",")) return false;
    if (!OperandOrAttr(operands, attrs)) return false;
  }
  return Added(graph_.Add(op.text, std::move(operands), std::move(attrs), name.text), name, op);
}

bool Parser::OperandOrAttr(std::vector<Operand>& operands, Attrs& attrs) {
  const Token token = lexer_.peek();
  Operand operand;
  if (lexer_.Accept("true") || lexer_.Accept("false")) {
    operand.literal = IntScalar(token.text == "true");
    operand.literal_dtype = DType::kBool;
  } else if (token.kind == TokenKind::kInteger) {
    operand.literal_dtype = DType::kI64;
    if (!Integer(operand.literal.i)) return false;
  } else if (token.kind == TokenKind::kNumber) {
    operand.literal_dtype = DType::kF64;
    if (!Number(operand.literal.f)) return false;
  } else if (token.kind == TokenKind::kIdentifier) {
    lexer_.Next();
    if (lexer_.Accept("=")) return AttrValue(token, attrs);
    if (!Value(token, operand.value)) return false;
  } else {
    return Fail(token, "syntax", "expected a value, a number or an attribute");
  }
  if (!attrs.empty()) return Fail(token, "syntax", "operands come before attributes");
  if (operands.size() > static_cast<size_t>(kMaxArity)) {
    return Fail(token, "arity", fmt::format("no op takes more than {} operands", kMaxArity));
  }
  operands.push_back(operand);
  return true;
}

bool Parser::AttrValue(const Token& name, Attrs& attrs) {
  const AttrKeyRow* key = FindAttrKey(name.text);
  if (key == nullptr) {
    return Fail(name, "attribute", fmt::format("there is no attribute {}", Shown(name)));
  }
  Attr attr{.key = key->key};
  for (const Attr& other : attrs) {
    if (other.key == attr.key) {
      return Fail(name, "attribute", fmt::format("{} is given twice", key->name));
    }
  }
  bool read = false;
  switch (key->kind) {
    case AttrKind::kIntList:
      read = List(attr.list);
      break;
    case AttrKind::kInt:
      read = Integer(attr.value.i);
      break;
    case AttrKind::kBool:
      attr.value = IntScalar(lexer_.Accept("true"));
      read = attr.value.i != 0 || lexer_.Accept("false") ||
             Fail(lexer_.peek(), "syntax", "expected true or false");
      break;
    case AttrKind::kNumber:
      read = Number(attr.value.f);
      break;
    case AttrKind::kDType:
      read = ElementType(attr.dtype);
      break;
  }
  if (read) attrs.push_back(attr);
  return read;
}

bool Parser::Added(const Result<ValueId>& added, const Token& name, const Token& op) {
  if (!added.ok()) {
    const Error& error = added.error();
    const bool about_name = error.rule == "name" || error.rule == "name_taken";
    return Fail(about_name ? name : op, error.rule, error.message);
  }
  if (lines_ != nullptr) lines_->nodes.push_back(name.line);
  return true;
}

bool Parser::Update(const Token& target) {
  ValueId target_value = kNoValue, value = kNoValue;
  if (!Value(target, target_value)) return false;
  Token token;
  if (!Identifier("the name of a value", token) || !Value(token, value)) return false;
  const Status added = graph_.AddUpdate(target_value, value);
  if (!added.ok()) return Fail(target, added.error().rule, added.error().message);
  if (lines_ != nullptr) lines_->effects.push_back(target.line);
  return true;
}

bool Parser::Output() {
  Token token;
  ValueId value = kNoValue;
  if (!Identifier("the name of a value", token) || !Value(token, value)) return false;
  const Status added = graph_.AddOutput(value);
  if (!added.ok()) return Fail(token, added.error().rule, added.error().message);
  if (lines_ != nullptr) lines_->effects.push_back(token.line);
  return true;
}

bool Parser::Punctuation(std::string_view text) {
  const Status status = lexer_.Expect(text);
  if (!status.ok()) error_ = status.error();
  return status.ok();
}

bool Parser::Identifier(std::string_view what, Token& token) {
  if (lexer_.peek().kind != TokenKind::kIdentifier) {
    return Fail(lexer_.peek(), "syntax", fmt::format("expected {}", what));
  }
  token = lexer_.Next();
  return true;
}

bool Parser::Value(const Token& token, ValueId& value) {
  value = graph_.Find(token.text);
  if (value != kNoValue) return true;
  return Fail(token, "unknown_value",
              fmt::format("{} is not defined before its use", Shown(token)));
}

bool Parser::Integer(int64_t& value) {
  const Token token = lexer_.peek();
  if (token.kind != TokenKind::kInteger) return Fail(token, "syntax", "expected an integer");
  const std::optional<int64_t> number = ReadNumber<int64_t>(token.text);
  if (!number) return Fail(token, "number", "the integer does not fit in 64 bits");
  value = *number;
  lexer_.Next();
  return true;
}

bool Parser::Number(double& value) {
  const Token token = lexer_.peek();
  if (token.kind != TokenKind::kInteger && token.kind != TokenKind::kNumber) {
    return Fail(token, "syntax", "expected a number");
  }
  const std::optional<double> number = ReadNumber<double>(token.text);
  if (!number) {
    return Fail(token, "number", fmt::format("{} is no number of 64 bits", Shown(token)));
  }
  value = *number;
  lexer_.Next();
  return true;
}

bool Parser::ElementType(DType& dtype) {
  const std::optional<DType> found = FindDType(lexer_.peek().text);
  if (!found) {
    std::string names;
    for (const DTypeRow& row : DTypeRows()) names += fmt::format(" {}", row.name);
    return Fail(lexer_.peek(), "dtype", "expected one of" + names);
  }
  dtype = *found;
  lexer_.Next();
  return true;
}

bool Parser::List(IntList& list) {
  if (!Punctuation("[")) return false;
  if (lexer_.Accept("]")) return true;
  while (true) {
    if (list.full()) {
      return Fail(lexer_.peek(), "rank_limit",
                  fmt::format("a list has at most {} entries", kMaxRank));
    }
    int64_t entry = 0;
    if (!Integer(entry)) return false;
    list.push_back(entry);
    if (lexer_.Accept("]")) return true;
    if (!Punctuation(",")) return false;
  }
}

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
