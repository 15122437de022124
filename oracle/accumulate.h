// The set of a sum, product or selection over many sets, combined in any order and any grouping.
#pragma once

#include "generator/ir/op.h"
#include "oracle/value_set.h"

namespace seamfuzz {

// What a Reduce or Scan row combines, read off its neutral element: 0, 1, or an infinity.
enum class Combination : uint8_t { kSum, kProduct, kSelection };
Combination CombinationOf(const OpRow& row, DType compute);

// Collects the elements of one result. Integers wrap and are exact; so are floats when every
// element is an integer and no partial result can exceed the significand, whatever the order. Else
// rigorous bounds hold for every order:
//   sums: (n - 1) u sum|x|. Source: Jeannerod, Rump, "Improved error bounds for inner products in
//   floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34 (2013), for any order, u = 2^-digits
//   of the accumulator. products: (n - 1) u |product| in first order (Higham, "Accuracy and
//   Stability", lemma 3.1), widened to be rigorous.
// Sums of 16-bit floats accumulate in f32 or wider: PyTorch (at::acc_type<Half> is float) and
// nvFuser (half is cast to float in front of a reduction) both do.
class Accumulator {
 public:
  // `combine` may be null for Contract, which sums products of floats.
  Accumulator(Combination combination, const OpRow& row, DType compute, DType accumulator);
  void Add(const ValueSet& x);
  void AddPoint(Scalar x);
  // One term of a matmul: the product is rounded to the accumulator, or not (FMA).
  void AddProduct(const Permitted& a, const Permitted& b);
  // Of what was added so far, in `compute`; 16-bit results may be unrounded.
  ValueSet Result() const;

 private:
  void AddFloat(const Permitted& x);
  void AddInteger(const ValueSet& x);
  void AddToSum(const Permitted& x);
  void AddToProduct(const Permitted& x);
  Permitted Sum() const;
  Permitted Product() const;
  Permitted Selection() const;

  Combination combination_;
  const OpRow* row_;
  DType compute_;
  DType accumulator_;
  ValueSet folded_;            // integers: exact so far
  double low_ = 0, high_ = 0;  // floats: of the finite ends
  double magnitude_ =
      0;                 // sum of |x|; products: of max(1, |x|), which bounds every partial product
  double smallest_ = 1;  // products: of min(1, |x|), without zeros
  double integer_bound_ = 0;  // no partial result of integers exceeds it in magnitude
  int64_t count_ = 0;
  bool any_ = false, nan_ = false, certain_nan_ = false, integers_ = true, products_ = false;
  bool low_minus_ = false, low_plus_ = false, high_plus_ = false,
       high_minus_ = false;  // infinite ends seen
};

}  // namespace seamfuzz
