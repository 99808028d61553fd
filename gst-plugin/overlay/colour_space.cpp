// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/colour_space.hpp"

#include <algorithm>
#include <cmath>

namespace bcp::overlay {
namespace {

double linear(double srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
}

// SMPTE ST 2084; `level` is a fraction of 10,000 cd/m².
double pq(double level) {
  constexpr double m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128;
  constexpr double c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32, c3 = 2392.0 / 4096 * 32;
  const double p = std::pow(level, m1);
  return std::pow((c1 + c2 * p) / (1 + c3 * p), m2);
}

// ARIB STD-B67; `level` is scene light in [0, 1].
double hlg(double level) {
  constexpr double a = 0.17883277, b = 0.28466892, c = 0.55991073;
  return level <= 1.0 / 12 ? std::sqrt(3 * level) : a * std::log(12 * level - b) + c;
}

double signal(double srgb, GstVideoTransferFunction transfer) {
  constexpr double kWhitePq = 203.0 / 10000, kWhiteHlg = 0.2650;  // hlg(kWhiteHlg) = 0.75
  return transfer == GST_VIDEO_TRANSFER_SMPTE2084 ? pq(kWhitePq * linear(srgb)) : hlg(kWhiteHlg * linear(srgb));
}

}  // namespace

std::array<ComponentCode, GST_VIDEO_MAX_COMPONENTS> component_codes(const GstVideoFormatInfo& finfo,
                                                                    const GstVideoColorimetry& colorimetry) {
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gst_video_color_range_offsets(colorimetry.range, &finfo, offset, scale);
  double kr = 0, kb = 0;
  if (!gst_video_color_matrix_get_Kr_Kb(colorimetry.matrix, &kr, &kb)) kr = 0.299, kb = 0.114;
  const double kg = 1 - kr - kb;

  std::array<ComponentCode, GST_VIDEO_MAX_COMPONENTS> codes;
  for (unsigned c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(&finfo); ++c) {
    const double s = scale[c];
    ComponentCode& code = codes[c];
    code.offset = offset[c];
    code.most = static_cast<double>((1ULL << GST_VIDEO_FORMAT_INFO_DEPTH(&finfo, c)) - 1);
    if (c == 3) {  // alpha always has full range
      code.offset = code.most;
    } else if (GST_VIDEO_FORMAT_INFO_IS_RGB(&finfo)) {
      (c == 0 ? code.red : c == 1 ? code.green : code.blue) = s;
    } else if (c == 0) {
      code.red = s * kr, code.green = s * kg, code.blue = s * kb;
    } else if (c == 1) {
      const double n = s / (2 * (1 - kb));
      code.red = -n * kr, code.green = -n * kg, code.blue = n * (1 - kb);
    } else {
      const double n = s / (2 * (1 - kr));
      code.red = n * (1 - kr), code.green = -n * kg, code.blue = -n * kb;
    }
  }
  return codes;
}

bool needs_toning(GstVideoTransferFunction transfer) {
  return transfer == GST_VIDEO_TRANSFER_SMPTE2084 || transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67;
}

Image toned(const Image& image, GstVideoTransferFunction transfer) {
  std::array<double, 256> curve;
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i] = signal(static_cast<double>(i) / 255, transfer);
  Image result = image;
  for (std::uint32_t& pixel : result.pixels) {
    const unsigned alpha = alpha_of(pixel);
    if (alpha == 0) continue;
    std::uint32_t out = alpha << 24;
    for (const unsigned shift : {16U, 8U, 0U}) {
      const unsigned straight = std::min(255U, ((pixel >> shift & 255) * 255 + alpha / 2) / alpha);
      out |= static_cast<std::uint32_t>(std::lround(curve[straight] * alpha)) << shift;
    }
    pixel = out;
  }
  return result;
}

}  // namespace bcp::overlay
