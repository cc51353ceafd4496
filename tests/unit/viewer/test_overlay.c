/* Names of overlays. */
#include "viewer/draw/overlay.h"
#include "tests/plain_fixture.h"

static unsigned overlays;

TEST(names_become_bits)
{
    ck_assert_int_eq(overlay_parse("trail", &overlays, &error), 0);
    ck_assert_uint_eq(overlays, DRAW_TRAIL);
    ck_assert_int_eq(overlay_parse("brain,contacts,brain", &overlays, &error), 0);
    ck_assert_uint_eq(overlays, DRAW_BRAIN | DRAW_CONTACTS);
    ck_assert_int_eq(overlay_parse("none", &overlays, &error), 0);
    ck_assert_uint_eq(overlays, 0);
}

TEST(all_bits_differ)
{
    unsigned all = DRAW_FLAT;
    for (int i = 0; i < overlay_count; i++) {
        ck_assert_uint_eq(all & overlay_table[i].bit, 0);
        all |= overlay_table[i].bit;
        ck_assert_int_eq(overlay_parse(overlay_table[i].name, &overlays, &error), 0);
        ck_assert_uint_eq(overlays, overlay_table[i].bit);
    }
}

TEST(wrong_names_are_named)
{
    static const char *const wrong[] = {"",       "trai",       "trails",     "trail,",
                                        ",trail", "trail,none", "trail;brain"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_int_eq(overlay_parse(wrong[i], &overlays, &error), ERR_UNKNOWN);
    overlay_parse("brain,glow,trail", &overlays, &error);
    ck_assert_msg(strstr(error.message, "'glow'") != NULL, "%s", error.message);
}

SUITE("overlay", 0, NULL, NULL)
