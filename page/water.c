/* A world of a preserve in the page: it lives epoch by epoch, and each moment goes out as numbers as soon
 * as it is there. As in module.c, web_error() has the words of what failed. */
#include <stdlib.h>
#include <string.h>

#include "page/module.h"
#include "viewer/draw/palette.h"
#include "viewer/export/page_data.h"
#include "viewer/replay/preserve_replay.h"

/* Enough for some hundred creatures; a larger world takes the most that is allowed. */
#define BODIES_BYTES (64u << 20)

/* Takes the numbers of a moment, which are gone after the call. */
__attribute__((import_module("page"), import_name("show"))) void page_show(const float *numbers,
                                                                           int count);

static struct preserve_film film;
static struct preserve_replay *waters;

struct numbers {
    float *values;
    size_t count;
};

static void put_all(struct numbers *to, const float *values, size_t count)
{
    memcpy(to->values + to->count, values, count * sizeof *values);
    to->count += count;
}

/* Puts all that are listed. */
#define PUT(to, ...)                                                                               \
    put_all(to, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float))

static void put_things(struct numbers *to, const struct preserve_replay_thing *things, int count)
{
    for (int i = 0; i < count; i++)
        PUT(to, things[i].x_m, things[i].y_m, things[i].radius_m, things[i].share,
            (float)palette_family_color(things[i].family));
}

/* Numbers have 24 bits: a creature is known by the last ones of its id. */
static void put_creature(struct numbers *to, const struct preserve_replay_moment *m,
                         const struct preserve_replay_creature *c)
{
    int kind = film.params.preserve_founders_copies ? c->form : c->family;
    PUT(to, (float)(c->id & 0xffffff), (float)palette_family_color(kind), c->x_m, c->y_m,
        c->fullness, c->bitten_j, (float)c->is_hunter, (float)c->is_spared, (float)c->family,
        (float)c->generation, (float)c->children, c->born_s, (float)c->part_count,
        (float)c->mouth_count);
    for (int i = 0; i < c->part_count; i++) {
        const struct preserve_replay_part *part = &m->parts[c->first_part + i];
        PUT(to, part->x_m, part->y_m, part->angle_rad, part->width_m, part->height_m);
    }
    for (int i = 0; i < c->mouth_count; i++) {
        const struct preserve_replay_mouth *mouth = &m->mouths[c->first_mouth + i];
        PUT(to, mouth->x_m, mouth->y_m, mouth->width_m, (float)mouth->kind,
            (float)mouth->is_eating);
    }
}

/* Head, cells of plants by row, creatures, eggs, carcasses. */
static void show(void *context, const struct preserve_replay *w)
{
    const struct preserve_replay_moment *m = &w->moments[w->moment_count - 1];
    size_t cells = (size_t)(w->columns * w->rows);
    size_t most = 7 + cells + 14 * (size_t)m->creature_count +
                  5 * (size_t)(m->part_count + m->mouth_count + m->egg_count + m->carcass_count);
    struct numbers to = {malloc(most * sizeof(float)), 0};
    if (!to.values)
        return;
    PUT(&to, (float)m->time_s, (float)m->daylight, (float)w->columns, (float)w->rows,
        (float)m->creature_count, (float)m->egg_count, (float)m->carcass_count);
    for (size_t i = 0; i < cells; i++)
        PUT(&to, (float)m->plants[i] / 255);
    for (int i = 0; i < m->creature_count; i++)
        put_creature(&to, m, &m->creatures[i]);
    put_things(&to, m->eggs, m->egg_count);
    put_things(&to, m->carcasses, m->carcass_count);
    ENSURE(to.count == most, "%zu numbers of %zu", to.count, most);
    page_show(to.values, (int)to.count);
    free(to.values);
}

/* Makes room for a world by the parameters that are set, from from_s to to_s. */
EXPORT(web_water) int web_water(int world, double from_s, double to_s)
{
    struct error own = {0};
    preserve_replay_destroy(waters);
    preserve_film_deinit(&film);
    film = (struct preserve_film){.params = module_params()->p, .show = show};
    preserve_apply(&film.params);
    int status = preserve_check(&film.params, &own);
    if (!status)
        status = preserve_memory_init_of(&film.memory, BODIES_BYTES);
    waters = status ? NULL : preserve_film_begin(&film, world, from_s, to_s, 1 / PAGE_HZ);
    return !module_say(status || waters ? status : ERR_MEMORY, &own);
}

static int live(const void *bytes, size_t length, uint64_t digest, struct error *own)
{
    struct pack_reader reader;
    struct epoch_order *order = NULL;
    int status = pack_open(&reader, bytes, length, own);
    if (status)
        return status;
    struct pack_fields whole = {
        .is_reading = 1, .elements = reader.root, .left = 1, .where = "epoch", .error = own};
    struct pack_fields fields = pack_fields_record(&whole, "epoch", EPOCH_ORDER_FIELDS);
    epoch_order_visit(&fields, &order);
    status = fields.rc ? fields.rc : preserve_film_live(&film, waters, order, digest, own);
    epoch_order_destroy(order);
    pack_close(&reader);
    return status;
}

/* Lives through an epoch as its order says. 1: its end has that digest; 0: another one; -1: an
 * error. */
EXPORT(web_epoch) int web_epoch(const void *bytes, size_t length, uint64_t digest)
{
    struct error own = {0};
    int before = waters->verified, status = live(bytes, length, digest, &own);
    return module_say(status, &own) ? -1 : waters->verified - before;
}
