// Device functions that the cuda column of the op table calls.
#include "generator/ir/op.h"

namespace seamfuzz {

std::string_view CudaPrelude() {
  // Overloads on int and long long go through the unsigned type: signed overflow is undefined in
  // CUDA C++ too.
  return R"(template <typename T> __device__ inline T sf_add(T a, T b) { return a + b; }
template <> __device__ inline int sf_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
template <> __device__ inline long long sf_add(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
template <typename T> __device__ inline T sf_sub(T a, T b) { return a - b; }
template <> __device__ inline int sf_sub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
template <> __device__ inline long long sf_sub(long long a, long long b) { return (long long)((unsigned long long)a - (unsigned long long)b); }
template <typename T> __device__ inline T sf_mul(T a, T b) { return a * b; }
template <> __device__ inline int sf_mul(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
template <> __device__ inline long long sf_mul(long long a, long long b) { return (long long)((unsigned long long)a * (unsigned long long)b); }
template <typename T> __device__ inline T sf_neg(T a) { return sf_sub((T)0, a); }
template <> __device__ inline float sf_neg(float a) { return -a; }
template <> __device__ inline double sf_neg(double a) { return -a; }
template <typename T> __device__ inline T sf_abs(T a) { return a < 0 ? sf_neg(a) : a; }
template <> __device__ inline float sf_abs(float a) { return fabsf(a); }
template <> __device__ inline double sf_abs(double a) { return fabs(a); }
template <typename T> __device__ inline bool sf_signbit(T a) { return a < 0; }
template <> __device__ inline bool sf_signbit(float a) { return signbit(a); }
template <> __device__ inline bool sf_signbit(double a) { return signbit(a); }
template <typename T> __device__ inline T sf_not(T a) { return ~a; }
template <> __device__ inline bool sf_not(bool a) { return !a; }
template <typename T> __device__ inline T sf_max(T a, T b) { return a != a || a > b ? a : b; }
template <typename T> __device__ inline T sf_min(T a, T b) { return a != a || a < b ? a : b; }
template <typename T> __device__ inline T sf_remainder(T a, T b) {
  T r = fmod(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}
)";
}

}  // namespace seamfuzz
