#include "viewer/draw/palette.h"

const struct palette_entry palette[COLOR_COUNT] = {
#define X(name, light, dark) {#name, light, dark},
    PALETTE(X)
#undef X
};

enum palette_color palette_part_color(int part)
{
    return (enum palette_color)(COLOR_part_0 + part % PALETTE_PARTS);
}

static uint32_t mix_channel(uint32_t a, uint32_t b, int shift, double share)
{
    double from = (a >> shift) & 0xff, to = (b >> shift) & 0xff;
    return (uint32_t)(from + (to - from) * share + 0.5) << shift;
}

uint32_t palette_mix(uint32_t a, uint32_t b, double share)
{
    double s = share < 0 ? 0 : share > 1 ? 1 : share;
    return mix_channel(a, b, 16, s) | mix_channel(a, b, 8, s) | mix_channel(a, b, 0, s);
}
