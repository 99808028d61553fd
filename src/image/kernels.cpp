// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/kernels.hpp"

#include <algorithm>
#include <optional>

#include "image/vnni_kernels.hpp"

// Scalable vectors would need other code; those processors also support NEON.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file again for each instruction set
#include <hwy/highway.h>

// Skipped if Highway has no vectors.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#include "image/color-inl.hpp"
#include "image/resize-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace bcp::image::HWY_NAMESPACE {

const Kernels& kernels() {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  return plain_kernels();
#else
  static const Kernels all{hwy::TargetName(HWY_TARGET),
                           hn::Lanes(Int32s()),
                           kWeightWords,
                           pack,
                           split_2,
                           split_3,
                           split_4,
                           halved_chroma,
                           full_chroma,
                           columns,
                           stack,
                           along,
                           across<true>,
                           across<false>,
                           along_yuv,
                           tone};
  return all;
#endif
}

}  // namespace bcp::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bcp::image {
namespace {

HWY_EXPORT(kernels);

// Highway's targets that this processor supports, best first.
std::vector<const Kernels*> highway_kernels() {
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0  // a single target: nothing to choose
  return {&HWY_STATIC_DISPATCH(kernels)()};
#else
  std::vector<const Kernels*> result;
  // A lower bit is a better target. If none is left, Highway uses the target that always works.
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    hwy::ChosenTarget target;
    target.Update(left);
    const Kernels* const each = &HWY_DISPATCH_TABLE(kernels)[target.GetIndex()]();
    if (result.empty() || result.back() != each) result.push_back(each);
  }
  return result;
#endif
}

}  // namespace

std::vector<const Kernels*> supported_kernels() {
  std::vector<const Kernels*> result = highway_kernels();
  static const std::optional<Kernels> vnni = vnni_kernels(*result.front());
  if (vnni) result.insert(result.begin(), &*vnni);
  if (result.back() != &plain_kernels()) result.push_back(&plain_kernels());
  return result;
}

const Kernels& fastest_kernels() {
  static const Kernels& fastest = *supported_kernels().front();
  return fastest;
}

QuadTable quad_table(const FilterTable& table, int lead, const Kernels& kernels) {
  QuadTable result;
  const std::int32_t* weights = table.weights.data();
  for (const FilterTable::Entry& entry : table.entries) {
    const auto first = static_cast<std::size_t>(lead) + static_cast<std::size_t>(entry.first);
    const auto count = static_cast<std::size_t>(entry.count);
    const QuadTable::Entry quads{first / 4, (first + count + 3) / 4 - first / 4, result.words.size()};
    std::vector<std::int32_t> padded(4 * quads.count);  // padding has weight 0
    std::copy_n(weights, count, &padded[first % 4]);
    weights += count;
    result.words.resize(quads.words + quads.count * kernels.weight_words);
    for (std::size_t q = 0; q < quads.count; ++q)
      kernels.pack(&padded[4 * q], &result.words[quads.words + q * kernels.weight_words]);
    result.quads = std::max(result.quads, quads.count);
    result.entries.push_back(quads);
  }
  return result;
}

}  // namespace bcp::image
#endif  // HWY_ONCE
