/* Overlays of a picture: one table of bits and names, for the window, exports and the
 * command line. */
#ifndef VIEWER_DRAW_OVERLAY_H
#define VIEWER_DRAW_OVERLAY_H

#include "common/error.h"

/* bit, name, what it shows */
#define OVERLAYS(X)                                                                                \
    X(TRAIL, 1, "trail", "the way of the centre of mass")                                          \
    X(CONTACTS, 2, "contacts", "contacts and their impulses")                                      \
    X(LIMITS, 4, "limits", "joint angles and their limits")                                        \
    X(BRAIN, 8, "brain", "the living brain (one creature)")                                        \
    X(LEDGER, 16, "ledger", "the energy ledger (one creature)")                                    \
    X(UNMARKED, 64, "unmarked", "no marks of distance")                                            \
    X(TORQUES, 128, "torques", "torques of the effectors")                                         \
    X(SENSORS, 256, "sensors", "what the sensors feel")                                            \
    X(LIGHT, 512, "light", "the way to the light")                                                 \
    X(SPLIT, 1024, "split", "side and top beside (one creature, in depth)")                        \
    X(BOXES, 2048, "boxes", "the true shapes, without a skin")

enum draw_overlay {
#define X(id, bit, name, text) DRAW_##id = bit,
    OVERLAYS(X)
#undef X
        DRAW_FLAT = 32, /* no gradients: for palettes of 256 colours */
    DRAW_PARTS = 4096   /* each part in its own colour, that of its neurons in the brain */
};

struct overlay_info {
    unsigned bit;
    const char *name, *help;
};
extern const struct overlay_info overlay_table[];
extern const int overlay_count;

/* Bits of names with commas between them, "none" for none. ERR_UNKNOWN names the wrong one. */
int overlay_parse(const char *text, unsigned *overlays, struct error *error);

#endif
