// Which tensor a torch call of a script gives: sizes, strides and storage, as far as the script's
// text says it.
#pragma once

#include <string_view>

#include "fuzz/import_value.h"

namespace seamfuzz {

// torch.randn, torch.randint, torch.as_strided, make_tensor, ...; `path` is the dotted name of the
// function. Unknown for a function that is no tensor factory or arguments that are not known.
ScriptValue TorchCall(std::string_view path, const ScriptArguments& arguments, ScriptHeap& heap);
// t.as_strided(...), t.clone(), t.transpose(0, 1), ... Views keep the storage, copies get a new
// one.
ScriptValue TensorMethod(const ImportedTensor& tensor, std::string_view method,
                         const ScriptArguments& arguments, ScriptHeap& heap);
// t[1:], t[0, :]: basic indexing. `items`: integers, None (whole dim) or (start, stop, step) lists.
ScriptValue TensorSubscript(const ImportedTensor& tensor, const std::vector<ScriptValue>& items,
                            ScriptHeap& heap);
// t.shape, t.T, t.dtype.
ScriptValue TensorAttribute(const ImportedTensor& tensor, std::string_view name, ScriptHeap& heap);

}  // namespace seamfuzz
