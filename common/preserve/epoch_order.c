/* See epoch_order.h. */
#include "common/preserve/epoch_order.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/creature/creature.h"
#include "common/rows.h"

/* Fields of the arrays. */
enum { LIFE_FIELDS = 21, DEED_FIELDS = 6, FORM_FIELDS = 3 };

struct epoch_order *epoch_order_create(void)
{
    return calloc(1, sizeof(struct epoch_order));
}

void epoch_deed_deinit(struct epoch_deed *deed)
{
    if (deed->genome)
        genome_deinit(deed->genome);
    free(deed->genome);
    deed->genome = NULL;
}

void epoch_order_destroy(struct epoch_order *order)
{
    if (!order)
        return;
    packed_bytes_deinit(&order->state);
    for (int i = 0; i < order->arrival_count; i++)
        packed_bytes_deinit(&order->arrivals[i]);
    for (int i = 0; i < order->founder_count; i++)
        genome_deinit(&order->founders[i]);
    for (int i = 0; i < order->deed_count; i++)
        epoch_deed_deinit(&order->deeds[i]);
    free(order->founders);
    free(order);
}

struct epoch_end *epoch_end_create(void)
{
    return calloc(1, sizeof(struct epoch_end));
}

void epoch_end_destroy(struct epoch_end *end)
{
    if (!end)
        return;
    packed_bytes_deinit(&end->state);
    packed_bytes_deinit(&end->traveller);
    for (int i = 0; i < end->form_count; i++)
        packed_bytes_deinit(&end->forms[i].egg);
    free(end->forms);
    free(end->lives);
    free(end);
}

int epoch_end_add_life(struct epoch_end *end, const struct epoch_life *life)
{
    struct epoch_life *row = rows_add(&end->lives, &end->life_count, &end->life_room,
                                      EPOCH_LIVES_MAX, sizeof end->lives[0]);
    if (!row)
        return end->life_count < EPOCH_LIVES_MAX ? ERR_MEMORY : ERR_LIMIT;
    *row = *life;
    return 0;
}

int epoch_end_add_form(struct epoch_end *end, struct epoch_form *form)
{
    struct epoch_form *row = rows_add(&end->forms, &end->form_count, &end->form_room,
                                      EPOCH_LIVES_MAX, sizeof end->forms[0]);
    if (!row) {
        packed_bytes_deinit(&form->egg);
        return end->form_count < EPOCH_LIVES_MAX ? ERR_MEMORY : ERR_LIMIT;
    }
    *row = *form;
    return 0;
}

int epoch_end_has_form(const struct epoch_end *end, uint64_t topology)
{
    for (int i = 0; i < end->form_count; i++)
        if (end->forms[i].topology == topology)
            return 1;
    return 0;
}

/* ---- the forms ---- */

static void visit_bytes(struct pack_fields *f, const char *name, struct packed_bytes *packed)
{
    const msgpack_object *object = pack_fields_next(f, NULL);
    if (f->writer)
        pack_bytes(f->writer, packed->bytes, packed->length);
    if (object && object->type != MSGPACK_OBJECT_BIN)
        pack_fields_fail(f, ERR_FORMAT, name, "expected bytes");
    else if (object && packed_bytes_set(packed, object->via.bin.ptr, object->via.bin.size) != 0)
        pack_fields_fail(f, ERR_MEMORY, name, "%s", error_text(ERR_MEMORY));
}

/* Rows that are visited one by one: those that are there, or, where there is no room for those
 * that are read, new ones on the heap. */
typedef void visit_row(struct pack_fields *f, void *row);
static void visit_rows(struct pack_fields *f, const char *where, void *rows, int *count, int most,
                       size_t size, visit_row *visit)
{
    void **list = rows;
    int found = *count;
    ENSURE(found >= 0 && found <= most, "%s: %d rows", where, found);
    struct pack_fields in = pack_fields_list(f, where, &found, most);
    if (f->is_reading && !*list)
        *list = pack_fields_memory(&in, found, size);
    *count = *list ? found : 0;
    for (int i = 0; i < *count; i++)
        visit(&in, (char *)*list + (size_t)i * size);
    pack_fields_close(f, &in);
}

static void visit_arrival(struct pack_fields *f, void *egg)
{
    visit_bytes(f, "egg", egg);
}

static void visit_id(struct pack_fields *f, void *id)
{
    pack_fields_u64(f, "id", id, UINT64_MAX);
}

static void visit_founder(struct pack_fields *f, void *genome)
{
    genome_visit(f, NULL, genome);
}

/* A creature is put in by its genome, and nothing else has one. */
static void visit_deed(struct pack_fields *f, void *row)
{
    struct epoch_deed *deed = row;
    struct pack_fields in = pack_fields_record(f, "epoch.deeds", DEED_FIELDS);
    int genomes = deed->genome ? 1 : 0;
    pack_fields_int(&in, "kind", &deed->kind, 0, DEED_COUNT - 1);
    pack_fields_u64(&in, "life", &deed->life, INT64_MAX);
    pack_fields_real(&in, "x_m", &deed->x_m, -DEED_PLACE_MOST_M, DEED_PLACE_MOST_M);
    pack_fields_real(&in, "y_m", &deed->y_m, -DEED_PLACE_MOST_M, DEED_PLACE_MOST_M);
    pack_fields_i64(&in, "energy_uj", &deed->energy_uj, 0, DEED_ENERGY_MAX_UJ);
    struct pack_fields list = pack_fields_list(&in, "epoch.deeds.genome", &genomes, 1);
    if (f->is_reading && (genomes == 1) != (deed->kind == DEED_put))
        pack_fields_fail(&list, ERR_RANGE, NULL, "%d genomes", genomes);
    if (f->is_reading)
        deed->genome = pack_fields_memory(&list, genomes, sizeof *deed->genome);
    if (deed->genome)
        genome_visit(&list, NULL, deed->genome);
    pack_fields_close(&in, &list);
    pack_fields_close(f, &in);
}

static void visit_order(struct pack_fields *f, struct epoch_order *order)
{
    void *arrivals = order->arrivals, *without = order->without;
    void *deeds = order->deeds, *spared = order->spared;
    pack_fields_u32(f, "world", &order->world, EPOCH_WORLDS_MAX - 1);
    pack_fields_u32(f, "epoch", &order->epoch, UINT32_MAX);
    visit_bytes(f, "state", &order->state);
    if (f->is_reading && (order->state.length == 0) != (order->epoch == 0))
        pack_fields_fail(f, ERR_RANGE, "state", "%zu bytes in epoch %u", order->state.length,
                         (unsigned)order->epoch);
    visit_rows(f, "epoch.arrivals", &arrivals, &order->arrival_count, EPOCH_ARRIVALS_MAX,
               sizeof order->arrivals[0], visit_arrival);
    visit_rows(f, "epoch.without", &without, &order->without_count, EPOCH_WITHOUT_MAX,
               sizeof order->without[0], visit_id);
    visit_rows(f, "epoch.founders", &order->founders, &order->founder_count, EPOCH_FOUNDERS_MAX,
               sizeof order->founders[0], visit_founder);
    if (f->is_reading && (order->founder_count == 0) != (order->epoch > 0))
        pack_fields_fail(f, ERR_RANGE, "founders", "%d in epoch %u", order->founder_count,
                         (unsigned)order->epoch);
    visit_rows(f, "epoch.deeds", &deeds, &order->deed_count, EPOCH_DEEDS_MAX,
               sizeof order->deeds[0], visit_deed);
    visit_rows(f, "epoch.spared", &spared, &order->spared_count, EPOCH_SPARED_MAX,
               sizeof order->spared[0], visit_id);
}

void epoch_order_visit(struct pack_fields *f, struct epoch_order **order)
{
    if (f->is_reading && f->rc == 0 && !(*order = epoch_order_create()))
        pack_fields_fail(f, ERR_MEMORY, NULL, "%s", error_text(ERR_MEMORY));
    if (f->rc != 0)
        return;
    ENSURE(!(*order)->state.bytes == ((*order)->state.length == 0), "a state of %zu bytes",
           (*order)->state.length);
    visit_order(f, *order);
    if (f->rc == 0)
        return;
    epoch_order_destroy(*order);
    *order = NULL;
}

/* An event of a life is after its birth; -1: it did not happen. */
static int is_too_early(int64_t tick, const struct epoch_life *life)
{
    return tick != -1 && tick < life->born_tick;
}

static void visit_life(struct pack_fields *f, void *row)
{
    struct epoch_life *life = row;
    const uint64_t id_most = (uint64_t)EPOCH_COUNT_MOST;
    ENSURE(!f->writer || (life->cause < EPOCH_CAUSE_COUNT && !is_too_early(life->died_tick, life)),
           "born at %" PRId64 ", died at %" PRId64 " of cause %" PRId64, life->born_tick,
           life->died_tick, life->cause);
    struct pack_fields in = pack_fields_record(f, "epoch_end.lives", LIFE_FIELDS);
    pack_fields_u64(&in, "id", &life->id, id_most);
    pack_fields_u64(&in, "mother", &life->mother, id_most);
    pack_fields_u64(&in, "father", &life->father, id_most);
    pack_fields_i64(&in, "family", &life->family, 0, INT32_MAX);
    pack_fields_i64(&in, "generation", &life->generation, 0, INT32_MAX);
    pack_fields_bool(&in, "is_hunter", &life->is_hunter);
    pack_fields_i64(&in, "born_tick", &life->born_tick, -EPOCH_TICK_MOST, EPOCH_TICK_MOST);
    pack_fields_i64(&in, "died_tick", &life->died_tick, -1, EPOCH_TICK_MOST);
    pack_fields_i64(&in, "cause", &life->cause, -1, EPOCH_CAUSE_COUNT - 1);
    pack_fields_i64(&in, "children", &life->children, 0, INT32_MAX);
    pack_fields_i64(&in, "part_count", &life->part_count, 0, INT32_MAX);
    pack_fields_real(&in, "area_m2", &life->area_m2, 0, LIFE_MOST);
    pack_fields_real(&in, "way_m", &life->way_m, 0, LIFE_MOST);
    pack_fields_real(&in, "depth_m", &life->depth_m, -LIFE_MOST, LIFE_MOST);
    pack_fields_real(&in, "drawn_m2", &life->drawn_m2, 0, LIFE_MOST);
    pack_fields_i64(&in, "drawn_parts", &life->drawn_parts, 0, INT32_MAX);
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++)
        pack_fields_i64(&in, "gained_uj", &life->gained_uj[i], 0, EPOCH_FACT_MOST);
    pack_fields_u64(&in, "topology", &life->topology, INT64_MAX);
    pack_fields_i64(&in, "preyed_tick", &life->preyed_tick, -1, EPOCH_TICK_MOST);
    if (!f->writer &&
        (life->id == 0 || (life->died_tick < 0) != (life->cause < 0) ||
         is_too_early(life->died_tick, life) || is_too_early(life->preyed_tick, life)))
        pack_fields_fail(&in, ERR_RANGE, NULL,
                         "%" PRIu64 " is born at tick %" PRId64 ", ate of the living at %" PRId64
                         ", died at %" PRId64 " of cause %" PRId64,
                         life->id, life->born_tick, life->preyed_tick, life->died_tick,
                         life->cause);
    pack_fields_close(f, &in);
}

static void visit_form(struct pack_fields *f, void *row)
{
    struct epoch_form *form = row;
    struct pack_fields in = pack_fields_record(f, "epoch_end.forms", FORM_FIELDS);
    pack_fields_u64(&in, "topology", &form->topology, INT64_MAX);
    pack_fields_u64(&in, "life", &form->life, INT64_MAX);
    visit_bytes(&in, "egg", &form->egg);
    pack_fields_close(f, &in);
}

static void visit_end(struct pack_fields *f, struct epoch_end *end)
{
    visit_bytes(f, "state", &end->state);
    visit_bytes(f, "traveller", &end->traveller);
    struct pack_fields facts = pack_fields_record(f, "epoch_end.facts", EPOCH_FACT_COUNT);
    for (int i = 0; i < EPOCH_FACT_COUNT; i++)
        pack_fields_i64(&facts, epoch_fact_names[i], &end->facts[i], 0,
                        i < EPOCH_eaten_plants_uj ? EPOCH_COUNT_MOST : EPOCH_FACT_MOST);
    pack_fields_close(f, &facts);
    visit_rows(f, "epoch_end.lives", &end->lives, &end->life_count, EPOCH_LIVES_MAX,
               sizeof end->lives[0], visit_life);
    visit_rows(f, "epoch_end.forms", &end->forms, &end->form_count, EPOCH_LIVES_MAX,
               sizeof end->forms[0], visit_form);
    if (f->is_reading) {
        end->life_room = end->life_count;
        end->form_room = end->form_count;
    }
}

void epoch_end_visit(struct pack_fields *f, struct epoch_end **end)
{
    if (f->is_reading && f->rc == 0 && !(*end = epoch_end_create()))
        pack_fields_fail(f, ERR_MEMORY, NULL, "%s", error_text(ERR_MEMORY));
    if (f->rc != 0)
        return;
    ENSURE((*end)->life_count >= 0 && (*end)->life_count <= (*end)->life_room, "%d lives of %d",
           (*end)->life_count, (*end)->life_room);
    visit_end(f, *end);
    if (f->rc == 0)
        return;
    epoch_end_destroy(*end);
    *end = NULL;
}

int epoch_end_bound(const struct epoch_end *end, struct error *error)
{
    struct pack_fields fields = {.where = "epoch_end", .error = error};
    visit_end(&fields, (struct epoch_end *)end);
    return fields.rc;
}
