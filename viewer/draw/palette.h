/* The colours of everything the viewer shows: one table for windows, pictures, video and web pages.
 *
 * Calm and light by default; the web page also uses the dark theme. Colours are 0xRRGGBB. Each part
 * has its own colour: seven hues, then the same darker, then lighter; after that they repeat. */
#ifndef VIEWER_DRAW_PALETTE_H
#define VIEWER_DRAW_PALETTE_H

#include <stdint.h>

#define PALETTE_PARTS 21

/* name, light, dark */
#define PALETTE(X)                                                                                 \
    X(sky_top, 0xd7e5f0, 0x141c26)                                                                 \
    X(sky_bottom, 0xf7f4ec, 0x24303c)                                                              \
    X(ground_top, 0xd8ccb4, 0x3d382f)                                                              \
    X(ground_bottom, 0xc4b598, 0x2a2721)                                                           \
    X(ground_line, 0x8d7f64, 0x7c7058)                                                             \
    X(water_top, 0xd3ecf0, 0x143039)                                                               \
    X(water_bottom, 0x9ccad6, 0x0c1d27)                                                            \
    X(wave, 0xffffff, 0x3f7f90)                                                                    \
    X(air_top, 0xdbe3f3, 0x171a29)                                                                 \
    X(air_bottom, 0xf5f1f4, 0x2a2a3b)                                                              \
    X(grid, 0x5c7684, 0x7f97a5)                                                                    \
    X(text, 0x26323a, 0xe6ebee)                                                                    \
    X(text_soft, 0x65747d, 0x9dabb3)                                                               \
    X(panel, 0xfdfcf9, 0x1b2229)                                                                   \
    X(trail, 0xa8472f, 0xe98b6d)                                                                   \
    X(joint, 0xfbf7ee, 0xf1ece0)                                                                   \
    X(joint_line, 0x2c3a42, 0x10171c)                                                              \
    X(effector, 0xf0a93a, 0xf5b850)                                                                \
    X(contact, 0xd8442f, 0xff7a5c)                                                                 \
    X(light, 0xffd34d, 0xffe07a)                                                                   \
    X(shadow, 0x2a2f3a, 0x030406)                                                                  \
    X(limit, 0x4a6fa5, 0x8fb4ea)                                                                   \
    X(negative, 0x3d78b8, 0x5f9bdb)                                                                \
    X(positive, 0xe08a2e, 0xf2a652)                                                                \
    X(good, 0x2f8a57, 0x58c486)                                                                    \
    X(bad, 0xc03b35, 0xf0736c)                                                                     \
    X(warn, 0xb3791c, 0xe0aa4d)                                                                    \
    X(neutral, 0x6f7d86, 0x93a1aa)                                                                 \
    X(part_0, 0x3d8093, 0x4f9bb0)                                                                  \
    X(part_1, 0xe3a857, 0xe3a857)                                                                  \
    X(part_2, 0xc9695c, 0xd5786a)                                                                  \
    X(part_3, 0x7fa166, 0x8fb375)                                                                  \
    X(part_4, 0x8a72a8, 0x9d85bd)                                                                  \
    X(part_5, 0x5d8ac4, 0x6f9bd4)                                                                  \
    X(part_6, 0xb98a6a, 0xc79a7b)                                                                  \
    X(part_7, 0x2b5564, 0x346474)                                                                  \
    X(part_8, 0x866b43, 0x866b43)                                                                  \
    X(part_9, 0x784846, 0x7e504d)                                                                  \
    X(part_10, 0x4f674b, 0x587153)                                                                 \
    X(part_11, 0x554d6f, 0x5f587b)                                                                 \
    X(part_12, 0x3c5a7f, 0x466488)                                                                 \
    X(part_13, 0x6f5a4d, 0x766357)                                                                 \
    X(part_14, 0x94b9c4, 0x9ec8d4)                                                                 \
    X(part_15, 0xf0cfa3, 0xf0cfa3)                                                                 \
    X(part_16, 0xe1ada5, 0xe8b5ad)                                                                 \
    X(part_17, 0xb9cbab, 0xc1d5b3)                                                                 \
    X(part_18, 0xbfb1cf, 0xc9bcdb)                                                                 \
    X(part_19, 0xa6bfdf, 0xb0c8e7)                                                                 \
    X(part_20, 0xd9bfad, 0xe0c7b6)

enum palette_color {
#define X(name, light, dark) COLOR_##name,
    PALETTE(X)
#undef X
        COLOR_COUNT
};

struct palette_entry {
    const char *name;
    uint32_t light, dark;
};
extern const struct palette_entry palette[COLOR_COUNT];

/* The colour of a part by its number. */
enum palette_color palette_part_color(int part);

/* The colour of a family of a preserve by its number, 0 or more; after PALETTE_FAMILIES they
 * repeat. Any two differ, also to eyes without red or green, the first ones most. */
#define PALETTE_FAMILIES 40
uint32_t palette_family_color(int family);

/* The colour of an animal's coat by the plan of its body (replay_plan()). */
uint32_t palette_coat(uint64_t plan);

/* a towards b: share 0 gives a, 1 gives b. */
uint32_t palette_mix(uint32_t a, uint32_t b, double share);

#endif
