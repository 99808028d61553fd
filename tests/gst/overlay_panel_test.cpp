// SPDX-License-Identifier: LGPL-2.1-or-later
// The look of panels. Fonts differ between versions, so these tests compare the structure: where there is text, the
// colours of the bars, and a picture scaled down so far that only the layout is left.

#include <fstream>

#include "overlay_support.hpp"

namespace bcp::test {
namespace {

using overlay::Image;
using overlay::Settings;

// Pixels that are much brighter than the panel, in a part of the picture.
int ink(const Image& image, int x, int y, int width, int height) {
  int count = 0;
  for (int row = y; row < y + height && row < image.height; ++row) {
    for (int column = x; column < x + width && column < image.width; ++column) {
      count += brightness(image.row(row)[column]) > 90;
    }
  }
  return count;
}
int ink(const Image& image) {
  return ink(image, 0, 0, image.width, image.height);
}

// Whether a colour is somewhere in the picture, at full strength.
bool has_colour(const Image& image, overlay::Rgb colour) {
  return std::any_of(image.pixels.begin(), image.pixels.end(), [&](std::uint32_t p) {
    const auto near = [](std::uint32_t a, int b) { return std::abs(static_cast<int>(a & 255) - b) <= 3; };
    return near(p >> 16, colour.r) && near(p >> 8, colour.g) && near(p, colour.b);
  });
}

// The picture over mid grey, scaled down: each pixel is the mean of a block.
std::vector<int> shrunk(const Image& image, int columns, int rows) {
  std::vector<int> result;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      double sum = 0;
      int count = 0;
      for (int y = r * image.height / rows; y < (r + 1) * image.height / rows; ++y) {
        for (int x = c * image.width / columns; x < (c + 1) * image.width / columns; ++x) {
          sum += brightness(image.row(y)[x], 128);
          ++count;
        }
      }
      result.push_back(static_cast<int>(std::lround(sum / std::max(count, 1))));
    }
  }
  return result;
}

// Compares with tests/data/overlay/NAME.pgm; with BCP_UPDATE_GOLDEN set, writes it instead.
void expect_like_golden(const Image& image, const std::string& name) {
  constexpr int kColumns = 48, kRows = 20;
  const std::string path = std::string(BCP_TEST_DATA "/overlay/") + name + ".pgm";
  const std::vector<int> actual = shrunk(image, kColumns, kRows);
  if (std::getenv("BCP_UPDATE_GOLDEN")) {
    std::ofstream out(path);
    out << "P2\n# " << image.width << " " << image.height << "\n" << kColumns << " " << kRows << "\n255\n";
    for (std::size_t i = 0; i < actual.size(); ++i) out << actual[i] << ((i + 1) % kColumns ? ' ' : '\n');
    return;
  }
  std::ifstream in(path);
  std::string magic, hash;
  int width = 0, height = 0, columns = 0, rows = 0, most = 0;
  in >> magic >> hash >> width >> height >> columns >> rows >> most;
  ASSERT_TRUE(in && columns == kColumns && rows == kRows) << path;
  // Another version of a font may be a little wider.
  EXPECT_NEAR(image.width, width, 0.12 * width) << name;
  EXPECT_NEAR(image.height, height, 0.12 * height) << name;
  double sum = 0;
  for (const int value : actual) {
    int golden = 0;
    in >> golden;
    sum += std::abs(value - golden);
  }
  EXPECT_LT(sum / (kColumns * kRows), 7) << name << " looks different: draw it with BCP_OVERLAY_PICTURES and look";
}

TEST(OverlayPanel, LooksLikeTheReferencePicture) {
  struct Case {
    std::string name;
    std::vector<Scored> labels;
    bool compare;
    int width, height;
  };
  std::vector<Scored> many;
  for (int i = 0; i < 50; ++i) many.push_back({"label number " + std::to_string(i), 0.5, 0.9 - i * 0.01, i % 3 - 1.0});
  const std::vector<Scored> one = {{"car", 0.88, 0.91}};
  const std::vector<Case> cases = {
      {"street", busy_street(), false, 1920, 1080},
      {"street-compare", busy_street(), true, 1920, 1080},
      {"street-small", busy_street(), false, 320, 240},
      {"street-tiny", busy_street(), false, 64, 64},
      {"street-4k", busy_street(), true, 3840, 2160},
      {"one", one, false, 1280, 720},
      {"fifty", many, false, 1280, 720},
      {"arabic", {{"قطار سريع", 0.8, 0.8}, {"سيارة", 0.3, 0.5, 1.1, kAdded}}, false, 1280, 720},
      {"cjk", {{"東京タワー", 0.8, 0.8}, {"自行车", 0.3, 0.5, 1.1}, {"고양이", 0.2, 0.2}}, false, 1280, 720},
      {"emoji", {{"🚲 bicycle", 0.8, 0.8}, {"🐈", 0.3, 0.5, 1.1}}, false, 1280, 720},
  };
  for (const Case& c : cases) {
    Settings settings = plain_settings();
    settings.compare = c.compare;
    const Image image = draw(scored(c.labels), settings, c.width, c.height);
    show(image, c.name);
    expect_like_golden(image, c.name);
  }
}

TEST(OverlayPanel, LooksLikeTheReferencePictureWithPresence) {
  struct Case {
    std::string name;
    std::vector<Present> labels;
    Explained explained;
    bool compare;
    int width, height;
  };
  const std::vector<Present> absent = {{"boat", 0.9, 0.04, 0.02, 0.6, kRemoved}, {"cat", 0.1, 0.01, 0.02, -1.6, {}}};
  const std::vector<Case> cases = {
      {"presence", busy_presence(), {}, false, 1280, 720},
      {"presence-uncalibrated", busy_presence(), {.calibrated = false}, false, 1280, 720},
      {"presence-compare", busy_presence(), {"street", 0.38}, true, 1280, 720},
      {"presence-compare-uncalibrated", busy_presence(), {"street", 0.38, false}, true, 1280, 720},
      {"presence-compare-small", busy_presence(), {"street", 0.38}, true, 320, 240},
      {"presence-none", absent, {"street", 0.38}, false, 1280, 720},
      {"presence-none-compare", absent, {"street", 0.38}, true, 1280, 720},
  };
  for (const Case& c : cases) {
    Settings settings = plain_settings();
    settings.compare = c.compare;
    const Image image = draw(present(c.labels, c.explained), settings, c.width, c.height);
    show(image, c.name);
    expect_like_golden(image, c.name);
  }
}

TEST(OverlayPanel, DrawsPriorAndEvidenceBesideThePresence) {
  Settings settings = plain_settings();
  settings.compare = true;
  const Image with = draw(present(busy_presence()), settings);
  settings.show &= ~static_cast<unsigned>(overlay::kShowReason);
  const Image without = draw(present(busy_presence()), settings);
  EXPECT_GT(with.width, without.width);
  EXPECT_GT(ink(with), ink(without));
}

TEST(OverlayPanel, WidensForTheMarkOfUncalibratedProbabilities) {
  const Image calibrated = draw(present(busy_presence()), plain_settings());
  const Image marked = draw(present(busy_presence(), {.calibrated = false}), plain_settings());
  EXPECT_GT(ink(marked), ink(calibrated));
  EXPECT_EQ(marked.height, calibrated.height);
}

TEST(OverlayPanel, FitsEveryFrame) {
  std::vector<Scored> many;
  for (int i = 0; i < 50; ++i) many.push_back({"label number " + std::to_string(i), 0.5, 0.5, 1.5, kAdded});
  for (const bool compare : {false, true}) {
    for (const auto& [width, height] : {std::pair{1, 1},
                                        {2, 2},
                                        {16, 16},
                                        {64, 64},
                                        {63, 47},
                                        {1280, 16},
                                        {16, 720},
                                        {640, 360},
                                        {1920, 1080},
                                        {3840, 2160}}) {
      for (const double scale : {0.1, 1.0, 10.0}) {
        for (const auto& labels : {busy_street(), many}) {
          Settings settings = plain_settings();
          settings.compare = compare;
          settings.scale = scale;
          settings.max_lines = 50;
          settings.show |= overlay::kShowSource;
          std::vector<Present> by_presence;
          for (const Scored& l : labels) by_presence.push_back({l.name, l.plain, l.corrected, 0.5, -1.5, l.flags});
          for (const auto& result : {present(by_presence, {"street", 0.4, false}), present({}, {"street", 0.4})}) {
            const Image other = draw(result, settings, width, height);
            EXPECT_LE(other.width, overlay::grid_up(width)) << width << "x" << height << " " << scale;
            EXPECT_LE(other.height, overlay::grid_up(height)) << width << "x" << height << " " << scale;
          }
          const Image image = draw(scored(labels), settings, width, height);
          EXPECT_LE(image.width, overlay::grid_up(width)) << width << "x" << height << " " << scale;
          EXPECT_LE(image.height, overlay::grid_up(height)) << width << "x" << height << " " << scale;
          if (width >= 64 && height >= 64 && scale == 1) {
            EXPECT_GT(ink(image), 20) << width << "x" << height;
          }
        }
      }
    }
  }
}

TEST(OverlayPanel, KeepsTheTitlesOfAComparisonApart) {
  for (const unsigned show : {overlay::kShowProbability | 0U, overlay::kShowBar | 0U, plain_settings().show}) {
    for (int width = 64; width <= 640; width += 8) {
      Settings settings = plain_settings();
      settings.compare = true;
      settings.show = show;
      const overlay::PanelText text = overlay::panel_text(scored(busy_street()).get(), false, settings);
      overlay::Lettering lettering;
      lettering.use(settings.font, 10);
      const overlay::PanelLayout layout = overlay::lay_out(text, show, lettering, width, 400);
      if (width == 640) {
        EXPECT_TRUE(layout.titles) << "which is which of " << show << "?";
      }
      if (!layout.titles) continue;
      const auto end = [](const overlay::Column& bar, const overlay::Column& number) {
        return number ? number.x + number.width : bar.x + bar.width;
      };
      const auto start = [](const overlay::Column& bar, const overlay::Column& number) {
        return bar ? bar.x : number.x;
      };
      const auto words = [&](const char* title) { return lettering.width(title, overlay::Weight::kSmall); };
      EXPECT_GE(end(layout.plain_bar, layout.plain) - start(layout.plain_bar, layout.plain),
                words(overlay::kPlainTitle) - 0.01)
          << show << " in " << width;
      EXPECT_GE(end(layout.bar, layout.probability) - start(layout.bar, layout.probability),
                words(overlay::kCorrectedTitle) - 0.01)
          << show << " in " << width;
    }
  }
}

TEST(OverlayPanel, DrawsEachBarInItsLabelsColourAndAsLongAsItsProbability) {
  Settings settings = plain_settings();
  settings.show = overlay::kShowBar;
  const Image image = draw(scored({{"car", 1, 1}, {"person", 0.5, 0.5}}, -1), settings);
  const auto length = [&](overlay::Rgb colour) {
    int most = 0;
    for (int y = 0; y < image.height; ++y) {
      int run = 0;
      for (int x = 0; x < image.width; ++x) {
        const std::uint32_t p = image.row(y)[x];
        run += (p & 0xffffff) == (std::uint32_t{colour.r} << 16 | std::uint32_t{colour.g} << 8 | colour.b);
      }
      most = std::max(most, run);
    }
    return most;
  };
  const int car = length(overlay::colour_of("car")), person = length(overlay::colour_of("person"));
  EXPECT_GT(car, 100);
  EXPECT_NEAR(person, car / 2, 0.06 * car);
}

TEST(OverlayPanel, MarksWhatWasRaisedLoweredAndAdded) {
  const Settings settings = plain_settings();
  const Image still = draw(scored({{"boat", 0.5, 0.5}}, -1), settings);
  EXPECT_FALSE(has_colour(still, overlay::kRaised));
  EXPECT_FALSE(has_colour(still, overlay::kLowered));
  EXPECT_TRUE(has_colour(draw(scored({{"boat", 0.5, 0.5, 1}}, -1), settings), overlay::kRaised));
  EXPECT_TRUE(has_colour(draw(scored({{"boat", 0.5, 0.5, -1}}, -1), settings), overlay::kLowered));
  const Image raised = draw(scored({{"boat", 0.5, 0.5, 1}}, -1), settings);
  const Image added = draw(scored({{"boat", 0.5, 0.5, 1, kAdded}}, -1), settings);
  EXPECT_GT(added.width, raised.width) << "no badge";
}

TEST(OverlayPanel, MarksTheAnchor) {
  const Settings settings = plain_settings();
  const Image with = draw(scored({{"car", 0.9, 0.9}}, 0), settings),
              without = draw(scored({{"car", 0.9, 0.9}}, -1), settings);
  EXPECT_GT(with.width, without.width);
  EXPECT_GT(ink(with), ink(without));
}

TEST(OverlayPanel, StrikesOutAndDimsRemovedLabels) {
  const Settings settings = plain_settings();
  const Image shown = draw(scored({{"boat", 0.5, 0.5}}, -1), settings);
  const Image gone = draw(scored({{"boat", 0.5, 0.5, 0, kRemoved}}, -1), settings);
  EXPECT_LT(ink(gone), ink(shown));
  EXPECT_GT(ink(gone), 0);
}

TEST(OverlayPanel, DimsHeldResults) {
  const Settings settings = plain_settings();
  const Image fresh = draw(scored(busy_street()), settings, 1280, 720, false);
  const Image held = draw(scored(busy_street()), settings, 1280, 720, true);
  ASSERT_EQ(fresh.width, held.width);
  double bright = 0, dim = 0;
  for (std::size_t i = 0; i < fresh.pixels.size(); ++i) {
    bright = std::max(bright, brightness(fresh.pixels[i]));
    dim = std::max(dim, brightness(held.pixels[i]));
  }
  EXPECT_GT(bright, 240);
  EXPECT_LT(dim, 0.7 * bright);
  EXPECT_GT(dim, 0.4 * bright) << "still to be read";
}

TEST(OverlayPanel, IsReadableOnAnyBackground) {
  const Image image = draw(scored(busy_street()), plain_settings());
  // The middle of the panel's upper edge is background: even over white it is much darker than the text.
  const std::uint32_t ground = image.row(image.height / 40 + 4)[image.width / 2];
  EXPECT_LT(brightness(ground, 255), 90);
  EXPECT_GT(overlay::alpha_of(ground), 150U);
}

TEST(OverlayPanel, FadesWithOpacity) {
  Settings settings = plain_settings();
  const Image full = draw(scored(busy_street()), settings);
  settings.opacity = 0.5;
  const Image half = draw(scored(busy_street()), settings);
  unsigned most = 0;
  for (const std::uint32_t p : half.pixels) most = std::max(most, overlay::alpha_of(p));
  EXPECT_NEAR(most, 128, 1);
  EXPECT_EQ(full.width, half.width);
}

TEST(OverlayPanel, HasGlyphsForEveryScript) {
  overlay::Lettering lettering;
  lettering.use("Noto Sans", 24);
  for (const char* text : {"bicycle", "étiquette", "قطار سريع", "שלום", "東京タワー", "自行车", "고양이", "हिन्दी",
                           "ภาษาไทย", "🚲", "👨\u200D👩\u200D👧"}) {
    PangoLayout* line = lettering.line(text);
    EXPECT_EQ(pango_layout_get_unknown_glyphs_count(line), 0) << text;
    EXPECT_GT(lettering.width(text), 5) << text;
  }
}

TEST(OverlayPanel, JoinsArabicLettersAndReadsThemFromTheRight) {
  overlay::Lettering lettering;
  lettering.use("Noto Sans", 24);
  // Letters on their own are wider than the same letters joined.
  const std::string joined = "سيارة";
  double alone = 0;
  for (const char* letter : {"س", "ي", "ا", "ر", "ة"}) alone += lettering.width(letter);
  EXPECT_LT(lettering.width(joined), 0.9 * alone);

  PangoRectangle logical;
  pango_layout_get_extents(lettering.line(joined, overlay::Weight::kNormal, 300), nullptr, &logical);
  EXPECT_GT(pango_units_to_double(logical.x), 150) << "not at the right";
  pango_layout_get_extents(lettering.line("car", overlay::Weight::kNormal, 300), nullptr, &logical);
  EXPECT_EQ(logical.x, 0);
}

TEST(OverlayPanel, NeverTreatsLabelsAsMarkup) {
  overlay::Lettering lettering;
  lettering.use("Noto Sans", 24);
  const std::string text = "<span size='200%' foreground='red'>&amp;</span><b>";
  EXPECT_STREQ(pango_layout_get_text(lettering.line(text)), text.c_str());
  EXPECT_GT(lettering.width(text), lettering.width("&") * 10);
  const Image image = draw(scored({{text, 0.5, 0.5}}, -1), plain_settings());
  EXPECT_FALSE(has_colour(image, {255, 0, 0}));
}

TEST(OverlayPanel, CutsLongLabelsWithAnEllipsis) {
  const Settings settings = plain_settings();
  const Image image = draw(scored({{std::string(800, 'm'), 0.5, 0.5}}, -1), settings);
  EXPECT_LT(image.width, 1000);
  overlay::Lettering lettering;
  lettering.use("Noto Sans", 24);
  EXPECT_TRUE(pango_layout_is_ellipsized(lettering.line(std::string(800, 'm'), overlay::Weight::kNormal, 200)));
}

TEST(OverlayPanel, IsNarrowerWherePixelsAreWide) {
  overlay::Painter painter;
  const Settings settings = plain_settings();
  const auto text = overlay::panel_text(scored(busy_street()).get(), false, settings);
  const Image square = painter.panel(text, settings, {1440, 576, 1}),
              wide = painter.panel(text, settings, {720, 576, 2});
  EXPECT_NEAR(wide.width, square.width / 2, 6);
  EXPECT_EQ(wide.height, square.height);
}

TEST(OverlayPanel, GrowsWithTheFrameAndWithScale) {
  Settings settings = plain_settings();
  const Image small = draw(scored(busy_street()), settings, 640, 360),
              large = draw(scored(busy_street()), settings, 3840, 2160);
  EXPECT_GT(large.width, 3 * small.width);
  EXPECT_LT(large.width, 6 * small.width);
  settings.scale = 2;
  EXPECT_NEAR(draw(scored(busy_street()), settings).width, 2 * draw(scored(busy_street()), plain_settings()).width, 40);
  settings.scale = 1;
  settings.font = "Noto Sans 57.52";  // twice the normal size for 1080 lines
  EXPECT_NEAR(draw(scored(busy_street()), settings).width, 2 * draw(scored(busy_street()), plain_settings()).width, 40);
}

}  // namespace
}  // namespace bcp::test
