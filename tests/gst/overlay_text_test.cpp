// SPDX-License-Identifier: LGPL-2.1-or-later
// The contents of a panel: which labels, their order, texts and colours.

#include <set>

#include "overlay/clean_text.hpp"
#include "overlay/palette.hpp"
#include "overlay/panel_text.hpp"
#include "overlay_support.hpp"

namespace bcp::test {
namespace {

using overlay::clean_text;
using overlay::panel_text;
using overlay::PanelText;
using overlay::Settings;

std::vector<std::string> names(const PanelText& text) {
  std::vector<std::string> all;
  for (const auto& line : text.lines) all.push_back(line.name);
  return all;
}

using Names = std::vector<std::string>;

TEST(OverlayText, NamesTheLabelsShownLikeliestFirst) {
  const PanelText text = panel_text(scored(busy_street()).get(), false, Settings());
  EXPECT_EQ(names(text), (Names{"car", "bicycle", "person", "boat"}));
  EXPECT_EQ(text.more, 0);
  EXPECT_FALSE(text.compare);
  EXPECT_TRUE(text.footer.empty());
  EXPECT_TRUE(text.heading.empty());
}

TEST(OverlayText, ShowsTheEffectOfTheCorrection) {
  const PanelText text = panel_text(scored(busy_street()).get(), false, Settings());
  ASSERT_EQ(text.lines.size(), 4U);
  EXPECT_TRUE(text.lines[0].anchor);
  EXPECT_EQ(text.lines[0].correction, 0);
  EXPECT_EQ(text.lines[1].correction, 13);
  EXPECT_EQ(text.lines[1].probability, 38);
  EXPECT_EQ(text.lines[1].plain, 12);
  EXPECT_TRUE(text.lines[1].added());
  EXPECT_FALSE(text.lines[2].added());
  EXPECT_TRUE(text.lines[3].removed());
  EXPECT_EQ(text.lines[3].correction, -21);
}

TEST(OverlayText, LeavesOutWhatIsNotRequested) {
  Settings settings;
  settings.show = overlay::kShowBar;
  const PanelText text = panel_text(scored(busy_street()).get(), false, settings);
  EXPECT_EQ(names(text), (Names{"car", "bicycle", "person"}));
  for (const auto& line : text.lines) {
    EXPECT_FALSE(line.anchor);
    EXPECT_EQ(line.correction, 0);
  }
}

TEST(OverlayText, ShowsAllLabelsWhenAsked) {
  Settings settings;
  settings.show |= overlay::kShowAll;
  EXPECT_EQ(panel_text(scored(busy_street()).get(), false, settings).lines.size(), 5U);
}

TEST(OverlayText, CountsWhatMaxLinesLeavesOut) {
  Settings settings;
  settings.max_lines = 1;
  const PanelText text = panel_text(scored(busy_street()).get(), false, settings);
  EXPECT_EQ(names(text), Names{"car"});
  EXPECT_EQ(text.more, 3);
}

TEST(OverlayText, ComparesBothSidesWithEveryShowFlag) {
  Settings settings;
  settings.compare = true;
  settings.show = overlay::kShowAnchor;
  const PanelText text = panel_text(scored(busy_street()).get(), false, settings);
  EXPECT_EQ(names(text), (Names{"car", "bicycle", "person", "boat"}));
  EXPECT_EQ(clean_text(text.footer), "anchor: car 0.88 · learnt from 412 frames");
}

TEST(OverlayText, SaysWhenThereIsNoAnchor) {
  Settings settings;
  settings.compare = true;
  auto street = busy_street();
  EXPECT_EQ(panel_text(scored(street, -1).get(), false, settings).footer,
            "corrected without an anchor · learnt from 412 frames");
  for (auto& label : street) label.correction = 0;
  EXPECT_EQ(panel_text(scored(street, -1).get(), false, settings).footer,
            "no anchor, no correction · learnt from 412 frames");
}

TEST(OverlayText, IsEmptyWhenNothingIsShown) {
  const auto result = scored({{"car", 0.1, 0.1, 0, GST_BCP_SCORE_NONE}}, -1);
  Settings settings;
  settings.compare = true;
  EXPECT_TRUE(panel_text(result.get(), false, settings).empty());
  EXPECT_TRUE(panel_text(scored({}, -1).get(), false, settings).empty());
}

TEST(OverlayText, ShowsPresenceWithoutTheCorrection) {
  const PanelText text = panel_text(present(busy_presence()).get(), false, Settings());
  EXPECT_EQ(names(text), (Names{"car", "person", "bicycle"})) << "what only plain CLIP shows is for compare";
  EXPECT_EQ(text.lines[1].probability, 88);
  EXPECT_EQ(text.lines[1].correction, 0) << "the correction has no part in presence";
  EXPECT_FALSE(text.reasons);
  EXPECT_FALSE(text.approximate);
  EXPECT_TRUE(text.footer.empty());
  EXPECT_TRUE(text.note.empty());
}

TEST(OverlayText, GivesTheReasonsOfPresenceInAComparison) {
  Settings settings;
  settings.compare = true;
  const PanelText text = panel_text(present(busy_presence(), {"street", 0.38}).get(), false, settings);
  EXPECT_EQ(names(text), (Names{"car", "person", "bicycle", "boat"}));
  EXPECT_TRUE(text.reasons);
  EXPECT_EQ(text.lines[1].prior, 74);
  EXPECT_EQ(text.lines[1].evidence, 12);
  EXPECT_EQ(text.lines[3].plain, 22);
  EXPECT_TRUE(text.lines[3].removed());
  EXPECT_EQ(clean_text(text.footer), "context: street 0.38 · shown from 0.50 · learnt from 412 frames");
  EXPECT_EQ(clean_text(panel_text(present(busy_presence()).get(), false, settings).footer),
            "anchor: car 0.88 · shown from 0.50 · learnt from 412 frames");
  EXPECT_EQ(clean_text(panel_text(present(busy_presence(), {.anchor = -1}).get(), false, settings).footer),
            "shown from 0.50 · learnt from 412 frames");
  settings.show &= ~static_cast<unsigned>(overlay::kShowReason);
  const PanelText bare = panel_text(present(busy_presence(), {"street", 0.38}).get(), false, settings);
  EXPECT_FALSE(bare.reasons);
  EXPECT_EQ(bare.lines[1].prior, 0);
  EXPECT_EQ(clean_text(bare.footer), "anchor: car 0.88 · learnt from 412 frames");
}

TEST(OverlayText, MarksProbabilitiesThatAreNotCalibrated) {
  Settings settings;
  const auto result = present(busy_presence(), {.calibrated = false});
  EXPECT_TRUE(panel_text(result.get(), false, settings).approximate);
  EXPECT_FALSE(panel_text(scored(busy_street()).get(), false, settings).approximate) << "a softmax never is";
  settings.compare = true;
  EXPECT_EQ(clean_text(panel_text(result.get(), false, settings).footer),
            "anchor: car 0.88 · shown from 0.50 · learnt from 412 frames · ~ uncalibrated");
  EXPECT_EQ(overlay::probability_text(62, true), "~0.62");
}

TEST(OverlayText, NamesTheContextOfAFrameWithoutLabels) {
  const std::vector<Present> absent = {{"boat", 0.9, 0.04, 0.02, 0.6, kRemoved}};
  Settings settings;
  const PanelText text = panel_text(present(absent, {"street", 0.38}).get(), false, settings);
  EXPECT_FALSE(text.empty());
  EXPECT_TRUE(text.lines.empty());
  EXPECT_EQ(text.note, "none of the labels");
  EXPECT_EQ(clean_text(text.footer), "context: street 0.38");
  EXPECT_TRUE(panel_text(present(absent).get(), false, settings).empty()) << "there is nothing to say";
  settings.compare = true;
  EXPECT_EQ(names(panel_text(present(absent, {"street", 0.38}).get(), false, settings)), Names{"boat"});
  settings.compare = false;
  settings.show &= ~static_cast<unsigned>(overlay::kShowReason);
  EXPECT_TRUE(panel_text(present(absent, {"street", 0.38}).get(), false, settings).empty());
}

TEST(OverlayText, IsEqualForResultsThatLookTheSame) {
  auto one = busy_street(), other = busy_street();
  other[0].corrected += 0.001;
  other[1].correction += 0.01;
  const Settings settings;
  EXPECT_EQ(panel_text(scored(one).get(), false, settings), panel_text(scored(other).get(), false, settings));
  other[0].corrected += 0.01;
  EXPECT_NE(panel_text(scored(one).get(), false, settings), panel_text(scored(other).get(), false, settings));
  EXPECT_NE(panel_text(scored(one).get(), false, settings), panel_text(scored(one).get(), true, settings));
  auto before = busy_presence(), after = busy_presence();
  after[0].prior += 0.1;
  EXPECT_EQ(panel_text(present(before).get(), false, settings), panel_text(present(after).get(), false, settings))
      << "a changed reason that is not drawn must not cause a new drawing";
}

TEST(OverlayText, AcceptsNumbersThatAreNotFinite) {
  const auto result =
      scored({{"nan", NAN, NAN, NAN}, {"inf", INFINITY, -INFINITY, INFINITY}, {"car", 0.5, 0.5, 1e300}});
  const PanelText text = panel_text(result.get(), false, Settings());
  EXPECT_EQ(names(text), (Names{"car", "nan", "inf"}));
  EXPECT_EQ(text.lines[0].correction, 999);
  EXPECT_EQ(text.lines[1].probability, 0);
}

TEST(OverlayText, WritesNumbersTheSameInEveryLocale) {
  EXPECT_EQ(overlay::probability_text(91), "0.91");
  EXPECT_EQ(overlay::probability_text(100), "1.00");
  EXPECT_EQ(overlay::probability_text(5), "0.05");
  EXPECT_EQ(overlay::correction_text(13), "+1.3");
  EXPECT_EQ(overlay::correction_text(-4), "\u22120.4");
  EXPECT_EQ(overlay::correction_text(-123), "\u221212.3");
}

TEST(OverlayText, NamesTheClassificationsOfOthers) {
  const std::vector<overlay::Classified> labels = {{"cat", 0.2}, {"dog\n", 0.7}};
  const PanelText text = panel_text(labels, Settings());
  EXPECT_EQ(names(text), (Names{"dog", "cat"}));
  EXPECT_EQ(text.lines[0].probability, 70);
  EXPECT_FALSE(text.lines[0].added());
}

TEST(OverlayText, RemovesEverythingButTextFromLabels) {
  EXPECT_EQ(clean_text("a\x01"
                       "b\x1b[31m\tc\r\n9\x7f"),
            "a b [31m c 9");
  EXPECT_EQ(clean_text("  wide   open  "), "wide open");
  EXPECT_EQ(clean_text("a\u2028b\u2029c\u0085d"), "a b c d");
  EXPECT_EQ(clean_text("\u202Egpj.exe\u202C"), "gpj.exe");
  EXPECT_EQ(clean_text("\u2067a\u2069\u200Fb"), "ab");
  EXPECT_EQ(clean_text("👨\u200D👩\u200D👧"), "👨\u200D👩\u200D👧");
  EXPECT_EQ(clean_text("bad \xff\xc3 bytes"), "bad \uFFFD\uFFFD bytes");
  EXPECT_EQ(clean_text(std::string_view("nul\0nul", 7)), "nul\uFFFDnul");
  EXPECT_EQ(clean_text("<b>&amp;</b>"), "<b>&amp;</b>");
  EXPECT_EQ(clean_text(""), "");
  EXPECT_EQ(clean_text(std::string(500, 'x'), 20), std::string(20, 'x'));
}

// The contrast of two colours as defined by WCAG 2.
double luminance(double r, double g, double b) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}
double contrast(overlay::Rgb c, double ground) {
  const double light = luminance(c.r / 255.0, c.g / 255.0, c.b / 255.0), dark = luminance(ground, ground, ground);
  return (std::max(light, dark) + 0.05) / (std::min(light, dark) + 0.05);
}

TEST(OverlayPalette, IsAlwaysTheSameForAName) {
  EXPECT_EQ(overlay::colour_of("car"), overlay::colour_of(std::string("car")));
  EXPECT_NE(overlay::colour_of("car"), overlay::colour_of("bicycle"));
  // Pinned: a recording and its report, made on other machines, must agree.
  const overlay::Rgb car = overlay::colour_of("car"), arabic = overlay::colour_of("سيارة");
  EXPECT_EQ((std::vector<int>{car.r, car.g, car.b}), (std::vector<int>{224, 165, 197}));
  EXPECT_EQ((std::vector<int>{arabic.r, arabic.g, arabic.b}), (std::vector<int>{64, 140, 230}));
}

TEST(OverlayPalette, UsesTheColourTheUserChose) {
  const char* names[] = {"car", "dog"};
  const gint colours[] = {0x0a0b0c, -1};
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new_with_colors(names, colours, 2));
  const Score scores[] = {{0, 0, 0, 0.9, 0.9, kBoth}, {0, 0, 0, 0.1, 0.1, kBoth}};
  const gst::BcpResultPtr result = make_result(labels.get(), scores);
  const PanelText text = panel_text(result.get(), false, Settings());
  EXPECT_EQ(text.lines[0].colour, (overlay::Rgb{10, 11, 12}));
  EXPECT_EQ(text.lines[1].colour, overlay::colour_of("dog"));
}

TEST(OverlayPalette, StaysReadableInAnyColourTheUserChose) {
  for (const gint chosen : {0x000000, 0x0a0b0c, 0x00008b, 0x8b0000, 0x777777, 0xff0000, 0xffffff}) {
    const char* name = "HHHH";
    const gst::BcpLabelsPtr labels(gst_bcp_labels_new_with_colors(&name, &chosen, 1));
    const Score scores[] = {{0, 0, 0, 0.9, 0.9, kBoth}};
    const gst::BcpResultPtr result = make_result(labels.get(), scores);
    Settings settings = plain_settings();
    settings.show = 0;  // without a bar, the name has the colour of the label
    overlay::Painter painter;
    const PanelText text = panel_text(result.get(), false, settings);
    for (const bool tag : {false, true}) {
      const overlay::Image image =
          tag ? painter.tag(text, settings, {1920, 1080, 1}) : painter.panel(text, settings, {1920, 1080, 1});
      double darkest = 255, lightest = 0;
      for (int y = image.height / 4; y < image.height * 3 / 4; ++y) {
        for (int x = image.width / 8; x < image.width / 2; ++x) {
          const std::uint32_t pixel = image.row(y)[x];
          const double light =
              luminance((pixel >> 16 & 255) / 255.0, (pixel >> 8 & 255) / 255.0, (pixel & 255) / 255.0);
          darkest = std::min(darkest, light), lightest = std::max(lightest, light);
        }
      }
      EXPECT_GT((lightest + 0.05) / (darkest + 0.05), 3) << std::hex << chosen << (tag ? " in a tag" : " in a panel");
    }
  }
}

TEST(OverlayPalette, HasColoursThatDifferAndStandOutOnThePanel) {
  std::set<std::vector<int>> all;
  for (std::size_t i = 0; i < overlay::kPaletteSize; ++i) {
    const overlay::Rgb c = overlay::palette_entry(i);
    all.insert({c.r, c.g, c.b});
    EXPECT_GT(contrast(c, 0.06), 4.5) << i;
    EXPECT_GT(contrast(c, 0.3), 2) << i << " over white";
  }
  EXPECT_EQ(all.size(), overlay::kPaletteSize);
}

}  // namespace
}  // namespace bcp::test
