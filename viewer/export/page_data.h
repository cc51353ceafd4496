/* A replay as a page shows it: text as JSON, and motion as channels at 30 Hz. */
#ifndef VIEWER_EXPORT_PAGE_DATA_H
#define VIEWER_EXPORT_PAGE_DATA_H

#include <stdio.h>

#include "viewer/replay/replay.h"

#define PAGE_HZ   30.0
#define PAGE_UNIT 0.0005 /* of recorded channels: m and rad */

/* Most nodes of a brain that a page shows; wires of others are left out. */
#define PAGE_NODES_MAX    192
#define PAGE_CONTACTS_MAX 8
/* The nodes of the page's graph of the brain: sensors that are read, neurons, effectors. */
enum node_kind { NODE_SENSOR, NODE_NEURON, NODE_EFFECTOR };
struct node {
    enum node_kind kind;
    int part;  /* -1: the central set */
    int index; /* sensor of the part, neuron, effector */
};
struct page_brain {
    struct node nodes[PAGE_NODES_MAX];
    int count;
    int contact_count; /* most at once of those that are kept */
    int voice_count;   /* 0: nothing is to be heard */
};

/* Which nodes of the brain, contacts and voices are shown. */
void page_survey(struct page_brain *brain, const struct replay *replay, int has_sound);
int page_frame_count(const struct replay *replay);
/* The numbers of a frame; page_data.c says what they are. */
size_t page_channels(const struct replay *replay, const struct page_brain *brain);
/* Reads those of a moment. values: those of the frame before, or zeros. */
void page_read(const struct replay *replay, const struct page_brain *brain, double time_s,
               double *values);

/* The texts that pages are made of (page/assemble), and the module that lives in them,
 * in the order in which they stand in a page; between them come the title, the data, and the
 * module: WebAssembly, packed by gzip, of length 0 where this build has none. */
enum page_part_name { PAGE_START, PAGE_HEAD, PAGE_MIDDLE, PAGE_MODULE_PACKED, PAGE_TAIL };
struct page_part {
    const unsigned char *bytes;
    size_t length;
};
struct page_part page_part(enum page_part_name name);

/* Members of a JSON object, without its braces: of a creature, and of the page. */
void page_write_creature(FILE *file, const struct replay *replay, const struct page_brain *brain);
void page_write_constants(FILE *file);
/* A text in quotes, which cannot end an element of HTML. */
void page_write_string(FILE *file, const char *text);

#endif
