/* Pictures and replays for the report, made by the program viewer: the controller knows nothing of
 * bodies.
 *
 * Each creature is written to a file of its own in a temporary directory and simulated again by
 * viewer, which compares it with its record. A failure costs pictures, not the report. */
#ifndef CONTROLLER_REPORT_REPORT_GALLERY_H
#define CONTROLLER_REPORT_REPORT_GALLERY_H

#include "controller/store/store.h"

/* In the page, px. */
#define REPORT_PICTURE_WIDTH  160
#define REPORT_PICTURE_HEIGHT 100

struct report_picture {
    uint64_t id;
    char status[16]; /* "verified", "differs", ...; empty if it could not be replayed */
    char *png;       /* a whole file; NULL: none */
    size_t png_bytes;
    int number;     /* in the player, from 0; -1: not in it */
    int is_missing; /* its creature could not be had */
};

struct report_gallery {
    struct report_picture *pictures;
    int count;
    char *player;      /* a whole HTML page; NULL: none */
    char problem[512]; /* why something is missing; else empty */
};

/* Makes the gallery of the creatures `ids`, without repetition; the first player_count of them also
 * play. 0 or an error of the store or of memory; a failure of viewer is told in
 * gallery->problem. */
int report_gallery_make(struct report_gallery *gallery, struct store *store, const uint64_t *ids,
                        int count, int player_count, struct error *error);
void report_gallery_deinit(struct report_gallery *gallery);
/* The picture of a creature, or NULL. */
const struct report_picture *report_gallery_find(const struct report_gallery *gallery, uint64_t id);

#endif
