/* An epoch of a world of a preserve, as messages (proto/PROTOCOL.md) and run stores have it: the
 * order to live through it, and what came of it. */
#ifndef COMMON_PRESERVE_EPOCH_ORDER_H
#define COMMON_PRESERVE_EPOCH_ORDER_H

#include <stddef.h>

#include "common/creature/packed_bytes.h"
#include "common/error.h"
#include "common/formats/pack_fields.h"
#include "common/genome/genome.h"
#include "common/preserve/epoch.h"

enum {
    EPOCH_WORLDS_MAX = 64,
    EPOCH_ARRIVALS_MAX = EPOCH_WORLDS_MAX, /* in one world at once */
    EPOCH_WITHOUT_MAX = 16,
    EPOCH_DEEDS_MAX = 64,
    EPOCH_SPARED_MAX = 64,
    EPOCH_FOUNDERS_MAX = 64,
    EPOCH_LIVES_MAX = 65536,
};

struct epoch_deed {
    int kind;      /* DEED_* */
    uint64_t life; /* of the deed's creature; 0: none */
    double x_m, y_m;
    int64_t energy_uj;     /* DEED_feed */
    struct genome *genome; /* DEED_put: heap; else NULL */
};
void epoch_deed_deinit(struct epoch_deed *deed);

struct epoch_order {
    uint32_t world;
    uint32_t epoch;            /* 0: the world is founded; from 1 on it lives */
    struct packed_bytes state; /* at the end of the epoch before; none in epoch 0 */
    struct packed_bytes arrivals[EPOCH_ARRIVALS_MAX];
    int arrival_count;
    uint64_t without[EPOCH_WITHOUT_MAX]; /* creatures that must not live: they crashed their
                                          * simulators */
    int without_count;
    struct genome *founders; /* of epoch 0 */
    int founder_count;
    struct epoch_deed deeds[EPOCH_DEEDS_MAX]; /* in their order */
    int deed_count;
    uint64_t spared[EPOCH_SPARED_MAX]; /* creatures that mouths spare */
    int spared_count;
};
struct epoch_order *epoch_order_create(void); /* empty; NULL: out of memory */
void epoch_order_destroy(struct epoch_order *order);

/* The first of a tree of parts that hatched in an epoch, as the egg that it was. */
struct epoch_form {
    uint64_t topology, life;
    struct packed_bytes egg;
};

struct epoch_end {
    struct packed_bytes state, traveller; /* an egg that has left the world, or none */
    int64_t facts[EPOCH_FACT_COUNT];
    struct epoch_life *lives; /* in the order in which it happened */
    int life_count, life_room;
    struct epoch_form *forms; /* in the order in which they hatched */
    int form_count, form_room;
};
struct epoch_end *epoch_end_create(void);
void epoch_end_destroy(struct epoch_end *end);
/* Appends. 0, or ERR_MEMORY, or ERR_LIMIT. */
int epoch_end_add_life(struct epoch_end *end, const struct epoch_life *life);
/* Appends, and takes over the egg, also where it fails. 0, ERR_MEMORY or ERR_LIMIT. */
int epoch_end_add_form(struct epoch_end *end, struct epoch_form *form);
int epoch_end_has_form(const struct epoch_end *end, uint64_t topology);

/* The fields of the messages behind those that all begin with: writes them, or reads them into a
 * new order or end, which is NULL on an error. */
enum { EPOCH_ORDER_FIELDS = 8, EPOCH_END_FIELDS = 5 };
void epoch_order_visit(struct pack_fields *fields, struct epoch_order **order);
void epoch_end_visit(struct pack_fields *fields, struct epoch_end **end);
/* Whether all of its numbers are within their bounds, and each life ends after its birth. 0, or
 * ERR_RANGE with a message that names the field. */
int epoch_end_bound(const struct epoch_end *end, struct error *error);

#endif
