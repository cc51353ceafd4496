#include "viewer/draw/palette.h"

#include "common/error.h"

const struct palette_entry palette[COLOR_COUNT] = {
#define X(name, light, dark) {#name, light, dark},
    PALETTE(X)
#undef X
};

enum palette_color palette_part_color(int part)
{
    return (enum palette_color)(COLOR_part_0 + part % PALETTE_PARTS);
}

/* Each is the colour farthest from those before it in OKLab (Ottosson 2020), as people with all
 * cones, without red and without green ones see it (Machado, Oliveira and Fernandes 2009; the
 * least, the latter two divided by 0.7). Left out: what is near the colours of water, plants,
 * carcasses, eggs and the edges of hunters. Hues alone, by steps of the golden ratio, were as near
 * to one another as 0.012. */
static const uint32_t family_colors[PALETTE_FAMILIES] = {
    0xde862e, 0x1818ff, 0x184f18, 0x18b2ff, 0x865a91, 0x23f4b2, 0x2e2e86, 0xf470b2,
    0xe9d32e, 0x8670ff, 0x7b6518, 0x7b18bd, 0xd339c8, 0x91235a, 0x91c87b, 0xe9bdff,
    0xbd6586, 0x65185a, 0xff70f4, 0x7ba77b, 0x5a4491, 0xf49cbd, 0xf4a718, 0x919cd3,
    0xc81870, 0xbd7018, 0x9ce97b, 0x395af4, 0x9144b2, 0xa718d3, 0x4f5a18, 0xf439b2,
    0x5a7bde, 0x4f18a7, 0xe98691, 0x18d344, 0x7b2e39, 0x5ab24f, 0x7b2e7b, 0x864f5a};

uint32_t palette_family_color(int family)
{
    ENSURE(family >= 0, "family %d", family);
    return family_colors[family % PALETTE_FAMILIES];
}

uint32_t palette_coat(uint64_t plan)
{
    static const uint32_t coats[] = {0xb98a4e, 0x6f8f5a, 0x7b8794, 0xa8604a,
                                     0x8a6f4f, 0x5f8a8b, 0x94803f, 0x8d7390};
    return coats[(plan >> 32) % (sizeof coats / sizeof *coats)];
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
