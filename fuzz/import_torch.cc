// Tensor factories, views and copies of torch, on sizes and strides only.
// Source: https://pytorch.org/docs/stable/torch.html and
// https://pytorch.org/docs/stable/tensors.html
#include "fuzz/import_torch.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace seamfuzz {
namespace {

ScriptValue Unknown() { return {}; }

bool InRange(int64_t v) { return v >= 0 && v <= kMaxElements; }

// Also with empty dims counted as 1, so that strides cannot overflow.
bool SaneShape(Shape shape) {
  if (!std::all_of(shape.begin(), shape.end(), InRange)) return false;
  for (int64_t& extent : shape) extent = std::max<int64_t>(extent, 1);
  return NumElements(shape) <= kMaxElements;
}

// True when the script's numbers describe a tensor that a case may hold.
bool Sane(const Shape& shape, const Strides& strides, int64_t offset) {
  return shape.size() == strides.size() && SaneShape(shape) &&
         std::all_of(strides.begin(), strides.end(), InRange) && InRange(offset) &&
         Extent(shape, strides) <= kMaxElements;
}

ScriptValue View(const ImportedTensor& of, const Shape& shape, const Strides& strides,
                 int64_t offset, ScriptHeap& heap) {
  if (!Sane(shape, strides, offset)) return Unknown();
  return heap.Tensor({of.dtype, shape, strides, offset, of.storage});
}

ScriptValue Fresh(DType dtype, const Shape& shape, ScriptHeap& heap) {
  if (!SaneShape(shape)) return Unknown();
  return heap.Tensor({dtype, shape, ContiguousStrides(shape), 0, heap.storages++});
}

// clone() keeps the strides of a dense tensor without overlap, otherwise the order of its dims.
// Source: https://pytorch.org/docs/stable/tensor_attributes.html#torch.memory_format
// (preserve_format)
ScriptValue Copy(const ImportedTensor& of, DType dtype, ScriptHeap& heap) {
  std::array<int, kMaxRank> order = {};
  const int rank = of.shape.size();
  std::iota(order.begin(), order.begin() + rank, 0);
  std::stable_sort(order.begin(), order.begin() + rank,
                   [&](int a, int b) { return of.strides[a] > of.strides[b]; });
  ImportedTensor copy{dtype, of.shape, IntList::Filled(rank, 1), 0, heap.storages++};
  int64_t running = 1;
  for (int k = rank - 1; k >= 0; --k) {
    copy.strides[order[k]] = running;
    running *= std::max<int64_t>(of.shape[order[k]], 1);
  }
  return heap.Tensor(copy);
}

bool IsContiguous(const ImportedTensor& tensor) {
  int64_t running = 1;
  for (int d = tensor.shape.size() - 1; d >= 0; --d) {
    if (tensor.shape[d] > 1 && tensor.strides[d] != running) return false;
    running *= std::max<int64_t>(tensor.shape[d], 1);
  }
  return true;
}

// f(2, 3) or f((2, 3)): the sizes in the positional arguments from `first` on.
std::optional<IntList> Sizes(const ScriptArguments& arguments, size_t first,
                             const ScriptHeap& heap) {
  for (const auto& [name, value] : arguments.keywords) {
    if (name == "size" || name == "shape") return AsIntList(value, heap);
  }
  if (arguments.positional.size() == first + 1 &&
      arguments.positional[first].is(ScriptKind::kList)) {
    return AsIntList(arguments.positional[first], heap);
  }
  IntList sizes;
  for (size_t i = first; i < arguments.positional.size(); ++i) {
    const std::optional<int64_t> size = AsInteger(arguments.positional[i]);
    if (!size || sizes.full()) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

const ScriptValue* Keyword(const ScriptArguments& arguments, std::string_view name) {
  for (const auto& [key, value] : arguments.keywords) {
    if (key == name) return &value;
  }
  return nullptr;
}

DType KeywordDType(const ScriptArguments& arguments, DType otherwise) {
  const ScriptValue* dtype = Keyword(arguments, "dtype");
  return dtype == nullptr ? otherwise : AsDType(*dtype).value_or(otherwise);
}

// A dim that may count from the end.
std::optional<int> Dim(const ScriptValue* value, int rank) {
  const std::optional<int64_t> dim = value == nullptr ? std::nullopt : AsInteger(*value);
  if (!dim || *dim < -rank || *dim >= rank) return std::nullopt;
  return static_cast<int>(*dim < 0 ? *dim + rank : *dim);
}

// The sizes of a view or reshape with one -1 filled in.
std::optional<Shape> FillMinusOne(IntList sizes, int64_t elements) {
  int64_t rest = 1;
  int open = -1;
  for (int d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1 && open < 0) {
      open = d;
    } else if (sizes[d] < 0 || sizes[d] > kMaxElements) {
      return std::nullopt;
    } else {
      rest *= sizes[d];
      if (rest > kMaxElements) return std::nullopt;
    }
  }
  if (open >= 0) {
    if (rest == 0 || elements % rest != 0) return std::nullopt;
    sizes[open] = elements / rest;
  } else if (rest != elements) {
    return std::nullopt;
  }
  return sizes;
}

ScriptValue Permuted(const ImportedTensor& of, const IntList& dims, ScriptHeap& heap) {
  const int rank = of.shape.size();
  if (dims.size() != rank) return Unknown();
  Shape shape;
  Strides strides;
  IntList seen;
  for (int64_t d : dims) {
    const int64_t dim = d < 0 ? d + rank : d;
    if (dim < 0 || dim >= rank || seen.contains(dim)) return Unknown();
    seen.push_back(dim);
    shape.push_back(of.shape[dim]);
    strides.push_back(of.strides[dim]);
  }
  return View(of, shape, strides, of.offset, heap);
}

ScriptValue Transposed(const ImportedTensor& of, std::optional<int> a, std::optional<int> b,
                       ScriptHeap& heap) {
  if (!a || !b) return Unknown();
  IntList dims;
  for (int d = 0; d < of.shape.size(); ++d) dims.push_back(d);
  std::swap(dims[*a], dims[*b]);
  return Permuted(of, dims, heap);
}

ScriptValue ExpandedTo(const ImportedTensor& of, const IntList& sizes, ScriptHeap& heap) {
  const int added = sizes.size() - of.shape.size();
  if (added < 0) return Unknown();
  Shape shape;
  Strides strides;
  for (int d = 0; d < sizes.size(); ++d) {
    const int64_t extent = d < added ? 1 : of.shape[d - added];
    const bool keep = sizes[d] == -1 || sizes[d] == extent;
    if (!keep && extent != 1) return Unknown();
    shape.push_back(keep ? extent : sizes[d]);
    strides.push_back(keep && d >= added ? of.strides[d - added] : 0);
  }
  return View(of, shape, strides, of.offset, heap);
}

ScriptValue Reshaped(const ImportedTensor& of, const IntList& sizes, ScriptHeap& heap) {
  const std::optional<Shape> shape = FillMinusOne(sizes, NumElements(of.shape));
  if (!shape) return Unknown();
  if (IsContiguous(of)) return View(of, *shape, ContiguousStrides(*shape), of.offset, heap);
  return Fresh(of.dtype, *shape, heap);
}

ScriptValue Strided(const ImportedTensor& of, const ScriptArguments& arguments, ScriptHeap& heap) {
  const auto bound = BindArguments("size stride storage_offset", arguments);
  if (!bound || (*bound)[0] == nullptr || (*bound)[1] == nullptr) return Unknown();
  const std::optional<IntList> shape = AsIntList(*(*bound)[0], heap);
  const std::optional<IntList> strides = AsIntList(*(*bound)[1], heap);
  const std::optional<int64_t> offset =
      (*bound)[2] == nullptr ? of.offset : AsInteger(*(*bound)[2]);
  if (!shape || !strides || !offset) return Unknown();
  return View(of, *shape, *strides, *offset, heap);
}

// torch.tensor([[1, 2], [3, 4]]): the sizes of nested lists, the dtype of the first element.
ScriptValue FromLists(const ScriptArguments& arguments, ScriptHeap& heap) {
  if (arguments.positional.empty()) return Unknown();
  Shape shape;
  const ScriptValue* at = &arguments.positional[0];
  while (at->is(ScriptKind::kList)) {
    const std::vector<ScriptValue>& items = heap.lists[at->id];
    if (shape.full()) return Unknown();
    shape.push_back(static_cast<int64_t>(items.size()));
    if (items.empty()) break;
    at = &items[0];
  }
  DType dtype = DType::kF32;
  if (at->is(ScriptKind::kInteger)) dtype = DType::kI64;
  if (at->is(ScriptKind::kBool)) dtype = DType::kBool;
  return Fresh(KeywordDType(arguments, dtype), shape, heap);
}

}  // namespace

ScriptValue TorchCall(std::string_view path, const ScriptArguments& arguments, ScriptHeap& heap) {
  const size_t dot = path.rfind('.');
  const std::string_view name = dot == std::string_view::npos ? path : path.substr(dot + 1);
  const std::vector<ScriptValue>& given = arguments.positional;
  if (name == "randn" || name == "rand" || name == "ones" || name == "zeros" || name == "empty" ||
      name == "make_tensor") {
    const std::optional<IntList> sizes = Sizes(arguments, 0, heap);
    return sizes ? Fresh(KeywordDType(arguments, DType::kF32), *sizes, heap) : Unknown();
  }
  if (name == "full") {
    const auto* sizes = given.empty() ? Keyword(arguments, "size") : &given[0];
    const std::optional<IntList> shape = sizes == nullptr ? std::nullopt : AsIntList(*sizes, heap);
    return shape ? Fresh(KeywordDType(arguments, DType::kF32), *shape, heap) : Unknown();
  }
  if (name ==
      "randint") {  // ([low,] high, size): the size is the last positional argument or a keyword
    const ScriptValue* sizes = Keyword(arguments, "size");
    for (const ScriptValue& value : given) {
      if (value.is(ScriptKind::kList)) sizes = &value;
    }
    const std::optional<IntList> shape = sizes == nullptr ? std::nullopt : AsIntList(*sizes, heap);
    return shape ? Fresh(KeywordDType(arguments, DType::kI64), *shape, heap) : Unknown();
  }
  if (name == "arange" || name == "randperm") {
    std::array<int64_t, 3> range = {0, 0, 1};
    for (size_t i = 0; i < given.size() && i < 3; ++i) {
      const std::optional<int64_t> value = AsInteger(given[i]);
      if (!value) return Unknown();
      range[i] = *value;
    }
    if (given.size() == 1) range = {0, range[0], 1};
    if (range[2] < 1 || range[1] < range[0] || range[1] > kMaxElements || range[0] < -kMaxElements)
      return Unknown();
    const int64_t count =
        (range[1] - range[0]) / range[2] + ((range[1] - range[0]) % range[2] != 0 ? 1 : 0);
    return Fresh(KeywordDType(arguments, DType::kI64), {count}, heap);
  }
  if (name == "tensor") return FromLists(arguments, heap);
  if (!given.empty() && given[0].is(ScriptKind::kTensor)) {
    const ImportedTensor of = heap.tensors[given[0].id];
    const bool like = name.size() > 5 && name.substr(name.size() - 5) == "_like";
    if (like) return Copy(of, KeywordDType(arguments, of.dtype), heap);
    ScriptArguments rest = arguments;  // torch.as_strided(t, ...) is t.as_strided(...)
    rest.positional.erase(rest.positional.begin());
    return TensorMethod(of, name, rest, heap);
  }
  return Unknown();
}

ScriptValue TensorMethod(const ImportedTensor& tensor, std::string_view method,
                         const ScriptArguments& arguments, ScriptHeap& heap) {
  const ImportedTensor of = tensor;  // the heap may move it
  const int rank = of.shape.size();
  const std::vector<ScriptValue>& given = arguments.positional;
  const ScriptValue* first = given.empty() ? Keyword(arguments, "dim") : &given[0];
  const ScriptValue* second = given.size() < 2 ? nullptr : &given[1];
  if (method == "as_strided") return Strided(of, arguments, heap);
  if (method == "cuda" || method == "requires_grad_" || method == "detach" || method == "cpu" ||
      method == "data") {
    return View(of, of.shape, of.strides, of.offset, heap);
  }
  if (method == "clone") return Copy(of, of.dtype, heap);
  if (method == "contiguous") {
    return IsContiguous(of) ? View(of, of.shape, of.strides, of.offset, heap)
                            : Fresh(of.dtype, of.shape, heap);
  }
  if (method == "to" || method == "type") {
    std::optional<DType> dtype;
    for (const ScriptValue& value : given) dtype = dtype ? dtype : AsDType(value);
    const DType to = KeywordDType(arguments, dtype.value_or(of.dtype));
    return to == of.dtype ? View(of, of.shape, of.strides, of.offset, heap) : Copy(of, to, heap);
  }
  if (const std::optional<DType> to =
          AsDType(ScriptValue::Path("torch." + std::string(method)))) {  // t.half()
    return *to == of.dtype ? View(of, of.shape, of.strides, of.offset, heap) : Copy(of, *to, heap);
  }
  if (method == "bfloat16") return Copy(of, DType::kBF16, heap);
  if (method == "t" && rank <= 2)
    return rank < 2 ? View(of, of.shape, of.strides, of.offset, heap) : Permuted(of, {1, 0}, heap);
  if (method == "transpose") return Transposed(of, Dim(first, rank), Dim(second, rank), heap);
  if (method == "permute") {
    const std::optional<IntList> dims = Sizes(arguments, 0, heap);
    return dims ? Permuted(of, *dims, heap) : Unknown();
  }
  if (method == "expand") {
    const std::optional<IntList> sizes = Sizes(arguments, 0, heap);
    return sizes ? ExpandedTo(of, *sizes, heap) : Unknown();
  }
  if (method == "view" || method == "reshape") {
    const std::optional<IntList> sizes = Sizes(arguments, 0, heap);
    return sizes ? Reshaped(of, *sizes, heap) : Unknown();
  }
  if (method == "flatten") return Reshaped(of, {-1}, heap);
  if (method == "unsqueeze") {
    const std::optional<int> dim = Dim(first, rank + 1);
    if (!dim || of.shape.full()) return Unknown();
    Shape shape = of.shape;
    Strides strides = of.strides;
    strides.insert(*dim, *dim < rank ? shape[*dim] * strides[*dim] : 1);
    shape.insert(*dim, 1);
    return View(of, shape, strides, of.offset, heap);
  }
  if (method == "squeeze") {
    const std::optional<int> dim = Dim(first, rank);
    if (!dim || of.shape[*dim] != 1) return Unknown();
    Shape shape = of.shape;
    Strides strides = of.strides;
    shape.erase(*dim);
    strides.erase(*dim);
    return View(of, shape, strides, of.offset, heap);
  }
  if (method == "size") {
    const std::optional<int> dim = Dim(first, rank);
    return dim ? ScriptValue::Integer(of.shape[*dim]) : TensorAttribute(of, "shape", heap);
  }
  return Unknown();
}

ScriptValue TensorSubscript(const ImportedTensor& tensor, const std::vector<ScriptValue>& items,
                            ScriptHeap& heap) {
  const ImportedTensor of = tensor;
  if (static_cast<int>(items.size()) > of.shape.size()) return Unknown();
  Shape shape;
  Strides strides;
  int64_t offset = of.offset;
  for (int d = 0; d < of.shape.size(); ++d) {
    const int64_t extent = of.shape[d];
    int64_t start = 0;
    int64_t stop = extent;
    int64_t step = 1;
    if (d < static_cast<int>(items.size()) && !items[d].is(ScriptKind::kNone)) {
      const ScriptValue& item = items[d];
      if (const std::optional<int64_t> index = AsInteger(item)) {
        if (*index < -extent || *index >= extent) return Unknown();
        offset += (*index < 0 ? *index + extent : *index) * of.strides[d];
        continue;
      }
      if (!item.is(ScriptKind::kList)) return Unknown();
      const std::vector<ScriptValue> parts = heap.lists[item.id];
      const std::array<int64_t*, 3> targets = {&start, &stop, &step};
      for (size_t k = 0; k < parts.size() && k < 3; ++k) {
        if (parts[k].is(ScriptKind::kNone)) continue;
        const std::optional<int64_t> value = AsInteger(parts[k]);
        if (!value || *value > kMaxElements || *value < -kMaxElements) return Unknown();
        *targets[k] = k < 2 && *value < 0 ? *value + extent : *value;
      }
      start = std::clamp<int64_t>(start, 0, extent);
      stop = std::clamp<int64_t>(stop, start, extent);
      if (step < 1) return Unknown();
    }
    offset += start * of.strides[d];
    shape.push_back((stop - start + step - 1) / step);
    strides.push_back(of.strides[d] * step);
  }
  return View(of, shape, strides, offset, heap);
}

ScriptValue TensorAttribute(const ImportedTensor& tensor, std::string_view name, ScriptHeap& heap) {
  if (name == "shape") {
    std::vector<ScriptValue> sizes;
    for (int64_t extent : tensor.shape) sizes.push_back(ScriptValue::Integer(extent));
    return heap.List(std::move(sizes));
  }
  if (name == "ndim") return ScriptValue::Integer(tensor.shape.size());
  if (name == "dtype") return ScriptValue::Path("torch." + std::string(Row(tensor.dtype).torch));
  if ((name == "T" || name == "mT") && tensor.shape.size() == 2)
    return TensorMethod(tensor, "t", {}, heap);
  return Unknown();
}

}  // namespace seamfuzz
