/* See epoch_order.h. */
#include "common/preserve/epoch_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature/creature.h"

/* The fields of a life, and of a deed between its kind and its genome, in the order in which they
 * travel: how they are packed, and their bounds. */
#define LIFE_FIELDS(X)                                                                             \
    X(u64, id, INT64_MAX)                                                                          \
    X(u64, mother, INT64_MAX)                                                                      \
    X(u64, father, INT64_MAX)                                                                      \
    X(i64, family, 0, INT32_MAX)                                                                   \
    X(i64, generation, 0, INT32_MAX)                                                               \
    X(bool, is_hunter, 1)                                                                          \
    X(i64, born_tick, INT64_MIN, INT64_MAX)                                                        \
    X(i64, died_tick, -1, INT64_MAX)                                                               \
    X(i64, cause, -1, EPOCH_CAUSE_COUNT - 1)                                                       \
    X(i64, children, 0, INT32_MAX)                                                                 \
    X(i64, part_count, 0, INT32_MAX)                                                               \
    X(double, area_m2, LIFE_MOST)                                                                  \
    X(double, way_m, LIFE_MOST)                                                                    \
    X(i64, gained_uj[0], 0, INT64_MAX)                                                             \
    X(i64, gained_uj[1], 0, INT64_MAX)                                                             \
    X(i64, gained_uj[2], 0, INT64_MAX)                                                             \
    X(u64, topology, INT64_MAX)                                                                    \
    X(i64, preyed_tick, -1, INT64_MAX)
_Static_assert(EPOCH_FOOD_COUNT == 3, "a field for each food");
#define DEED_FIELDS(X)                                                                             \
    X(u64, life, INT64_MAX)                                                                        \
    X(double, x_m, DEED_PLACE_MOST_M)                                                              \
    X(double, y_m, DEED_PLACE_MOST_M)                                                              \
    X(i64, energy_uj, 0, DEED_ENERGY_MAX_UJ)

#define ONE(type, field, ...)   +1
#define WRITE(type, field, ...) pack_##type(writer, item->field);
#define READ(type, field, ...)                                                                     \
    if (status == 0)                                                                               \
        status = READ_##type(items++, &item->field, __VA_ARGS__);
#define READ_u64(object, value, most)        pack_get_u64(object, most, value, where, error)
#define READ_i64(object, value, least, most) read_number(object, least, most, value, where, error)
#define READ_bool(object, value, most)       pack_get_bool(object, value, where, error)
#define READ_double(object, value, most)     read_real(object, most, value, where, error)
enum { LIFE_COUNT = 0 LIFE_FIELDS(ONE), DEED_FIELD_COUNT = 2 DEED_FIELDS(ONE), FORM_FIELDS = 3 };

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
    ENSURE(end->life_count <= end->life_room, "%d lives of %d", end->life_count, end->life_room);
    if (end->life_count == EPOCH_LIVES_MAX)
        return ERR_LIMIT;
    if (end->life_count == end->life_room) {
        int room = end->life_room ? 2 * end->life_room : 64;
        struct epoch_life *lives = realloc(end->lives, (size_t)room * sizeof *lives);
        if (!lives)
            return ERR_MEMORY;
        end->lives = lives;
        end->life_room = room;
    }
    end->lives[end->life_count++] = *life;
    return 0;
}

int epoch_end_add_form(struct epoch_end *end, struct epoch_form *form)
{
    ENSURE(end->form_count <= EPOCH_LIVES_MAX, "%d forms", end->form_count);
    size_t count = (size_t)end->form_count;
    struct epoch_form *forms =
        count < EPOCH_LIVES_MAX ? realloc(end->forms, (count + 1) * sizeof *forms) : NULL;
    if (!forms) {
        packed_bytes_deinit(&form->egg);
        return count < EPOCH_LIVES_MAX ? ERR_MEMORY : ERR_LIMIT;
    }
    end->forms = forms;
    forms[end->form_count++] = *form;
    return 0;
}

int epoch_end_has_form(const struct epoch_end *end, uint64_t topology)
{
    for (int i = 0; i < end->form_count; i++)
        if (end->forms[i].topology == topology)
            return 1;
    return 0;
}

/* The invariants of an order. */
static void order_check(const struct epoch_order *order)
{
    ENSURE(order->arrival_count >= 0 && order->arrival_count <= EPOCH_ARRIVALS_MAX, "%d arrive",
           order->arrival_count);
    ENSURE(order->without_count >= 0 && order->without_count <= EPOCH_WITHOUT_MAX,
           "%d must not live", order->without_count);
    ENSURE(order->founder_count >= 0 && order->founder_count <= EPOCH_FOUNDERS_MAX, "%d founders",
           order->founder_count);
    ENSURE(order->deed_count >= 0 && order->deed_count <= EPOCH_DEEDS_MAX, "%d deeds",
           order->deed_count);
    ENSURE(order->spared_count >= 0 && order->spared_count <= EPOCH_SPARED_MAX, "%d are spared",
           order->spared_count);
    ENSURE(!order->state.bytes == (order->state.length == 0), "a state of %zu bytes",
           order->state.length);
}

/* ---- encoding ---- */

static void encode_deed(const struct epoch_deed *item, struct pack_writer *writer)
{
    pack_array(writer, DEED_FIELD_COUNT);
    pack_i64(writer, item->kind);
    DEED_FIELDS(WRITE)
    pack_array(writer, item->genome ? 1 : 0);
    if (item->genome)
        genome_encode(item->genome, writer);
}

static void encode_ids(const uint64_t *ids, int count, struct pack_writer *writer)
{
    pack_array(writer, (size_t)count);
    for (int i = 0; i < count; i++)
        pack_u64(writer, ids[i]);
}

void epoch_order_encode(const struct epoch_order *order, struct pack_writer *writer)
{
    order_check(order);
    pack_u64(writer, order->world);
    pack_u64(writer, order->epoch);
    pack_bytes(writer, order->state.bytes, order->state.length);
    pack_array(writer, (size_t)order->arrival_count);
    for (int i = 0; i < order->arrival_count; i++)
        pack_bytes(writer, order->arrivals[i].bytes, order->arrivals[i].length);
    encode_ids(order->without, order->without_count, writer);
    pack_array(writer, (size_t)order->founder_count);
    for (int i = 0; i < order->founder_count; i++)
        genome_encode(&order->founders[i], writer);
    pack_array(writer, (size_t)order->deed_count);
    for (int i = 0; i < order->deed_count; i++)
        encode_deed(&order->deeds[i], writer);
    encode_ids(order->spared, order->spared_count, writer);
}

static void encode_life(const struct epoch_life *item, struct pack_writer *writer)
{
    ENSURE(item->cause >= -1 && item->cause < EPOCH_CAUSE_COUNT, "cause %lld",
           (long long)item->cause);
    ENSURE(item->died_tick < 0 || item->died_tick >= item->born_tick, "died at %lld, born at %lld",
           (long long)item->died_tick, (long long)item->born_tick);
    pack_array(writer, LIFE_COUNT);
    LIFE_FIELDS(WRITE)
}

void epoch_end_encode(const struct epoch_end *end, struct pack_writer *writer)
{
    ENSURE(end->life_count >= 0 && end->life_count <= end->life_room, "%d lives of %d",
           end->life_count, end->life_room);
    pack_bytes(writer, end->state.bytes, end->state.length);
    pack_bytes(writer, end->traveller.bytes, end->traveller.length);
    pack_array(writer, EPOCH_FACT_COUNT);
    for (int i = 0; i < EPOCH_FACT_COUNT; i++)
        pack_i64(writer, end->facts[i]);
    pack_array(writer, (size_t)end->life_count);
    for (int i = 0; i < end->life_count; i++)
        encode_life(&end->lives[i], writer);
    pack_array(writer, (size_t)end->form_count);
    for (int i = 0; i < end->form_count; i++) {
        pack_array(writer, FORM_FIELDS);
        pack_u64(writer, end->forms[i].topology);
        pack_u64(writer, end->forms[i].life);
        pack_bytes(writer, end->forms[i].egg.bytes, end->forms[i].egg.length);
    }
}

/* ---- decoding ---- */

static int read_bytes(const msgpack_object *object, struct packed_bytes *packed, const char *where,
                      struct error *error)
{
    if (object->type != MSGPACK_OBJECT_BIN)
        return error_set(error, ERR_FORMAT, "%s: expected bytes", where);
    if (packed_bytes_set(packed, object->via.bin.ptr, object->via.bin.size) != 0)
        return error_set(error, ERR_MEMORY, "%s: %s", where, error_text(ERR_MEMORY));
    return 0;
}

static int read_u32(const msgpack_object *object, uint64_t most, uint32_t *value, const char *where,
                    struct error *error)
{
    uint64_t number = 0;
    int status = pack_get_u64(object, most, &number, where, error);
    *value = (uint32_t)number;
    return status;
}

static int read_arrivals(const msgpack_object *field, struct epoch_order *order,
                         struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status =
        pack_get_array(field, EPOCH_ARRIVALS_MAX, -1, &items, &count, "epoch.arrivals", error);
    for (size_t i = 0; i < count && status == 0; i++) {
        status = read_bytes(&items[i], &order->arrivals[i], "epoch.arrivals", error);
        order->arrival_count += status == 0;
    }
    return status;
}

static int read_ids(const msgpack_object *field, uint64_t *ids, int *id_count, int most,
                    const char *where, struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status = pack_get_array(field, (size_t)most, -1, &items, &count, where, error);
    for (size_t i = 0; i < count && status == 0; i++)
        status = pack_get_u64(&items[i], UINT64_MAX, &ids[(*id_count)++], where, error);
    return status;
}

static int read_founders(const msgpack_object *field, struct epoch_order *order,
                         struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status =
        pack_get_array(field, EPOCH_FOUNDERS_MAX, -1, &items, &count, "epoch.founders", error);
    if (status == 0 && (count == 0) != (order->epoch > 0))
        status = error_set(error, ERR_RANGE, "epoch.founders: %zu in epoch %u", count,
                           (unsigned)order->epoch);
    if (status != 0 || count == 0)
        return status;
    order->founders = calloc(count, sizeof order->founders[0]);
    if (!order->founders)
        return error_set(error, ERR_MEMORY, "epoch.founders: %s", error_text(ERR_MEMORY));
    for (size_t i = 0; i < count && status == 0; i++) {
        status = genome_decode(&order->founders[i], &items[i], error);
        if (status != 0)
            error_prefix(error, "epoch.founders");
        else
            order->founder_count++;
    }
    return status;
}

/* A creature is put in by its genome, and nothing else has one. */
static int read_deed_genome(const msgpack_object *field, struct epoch_deed *deed,
                            struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status = pack_get_array(field, 1, -1, &items, &count, "epoch.deeds", error);
    if (status == 0 && (count == 1) != (deed->kind == DEED_put))
        status = error_set(error, ERR_RANGE, "epoch.deeds: %zu genomes", count);
    if (status != 0 || count == 0)
        return status;
    deed->genome = calloc(1, sizeof *deed->genome);
    if (!deed->genome)
        return error_set(error, ERR_MEMORY, "epoch.deeds: %s", error_text(ERR_MEMORY));
    status = genome_decode(deed->genome, items, error);
    if (status != 0) {
        error_prefix(error, "epoch.deeds");
        free(deed->genome);
        deed->genome = NULL;
    }
    return status;
}

static int read_number(const msgpack_object *object, int64_t least, int64_t most, int64_t *value,
                       const char *where, struct error *error)
{
    int status = pack_get_i64(object, value, where, error);
    if (status == 0 && (*value < least || *value > most))
        status = error_set(error, ERR_RANGE, "%s: %lld", where, (long long)*value);
    return status;
}

static int read_real(const msgpack_object *object, double most, double *value, const char *where,
                     struct error *error)
{
    int status = pack_get_double(object, value, where, error);
    if (status == 0 && fabs(*value) > most)
        status = error_set(error, ERR_RANGE, "%s: %g", where, *value);
    return status;
}

static int read_deed(const msgpack_object *object, struct epoch_deed *item, struct error *error)
{
    static const char where[] = "epoch.deeds";
    const msgpack_object *items;
    size_t count;
    int64_t kind = 0;
    *item = (struct epoch_deed){.genome = NULL};
    int status =
        pack_get_array(object, DEED_FIELD_COUNT, DEED_FIELD_COUNT, &items, &count, where, error);
    if (status == 0)
        status = read_number(items++, 0, DEED_COUNT - 1, &kind, where, error);
    item->kind = (int)kind;
    DEED_FIELDS(READ)
    return status == 0 ? read_deed_genome(items, item, error) : status;
}

static int read_deeds(const msgpack_object *field, struct epoch_order *order, struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status = pack_get_array(field, EPOCH_DEEDS_MAX, -1, &items, &count, "epoch.deeds", error);
    for (size_t i = 0; i < count && status == 0; i++) {
        status = read_deed(&items[i], &order->deeds[i], error);
        order->deed_count += status == 0;
    }
    return status;
}

static int read_order(const msgpack_object *fields, struct epoch_order *order, struct error *error)
{
    int status = read_u32(&fields[0], EPOCH_WORLDS_MAX - 1, &order->world, "epoch.world", error);
    if (status == 0)
        status = read_u32(&fields[1], UINT32_MAX, &order->epoch, "epoch.epoch", error);
    if (status == 0)
        status = read_bytes(&fields[2], &order->state, "epoch.state", error);
    if (status == 0 && (order->state.length == 0) != (order->epoch == 0))
        status = error_set(error, ERR_RANGE, "epoch.state: %zu bytes in epoch %u",
                           order->state.length, (unsigned)order->epoch);
    if (status == 0)
        status = read_arrivals(&fields[3], order, error);
    if (status == 0)
        status = read_ids(&fields[4], order->without, &order->without_count, EPOCH_WITHOUT_MAX,
                          "epoch.without", error);
    if (status == 0)
        status = read_founders(&fields[5], order, error);
    if (status == 0)
        status = read_deeds(&fields[6], order, error);
    return status == 0 ? read_ids(&fields[7], order->spared, &order->spared_count, EPOCH_SPARED_MAX,
                                  "epoch.spared", error)
                       : status;
}

struct epoch_order *epoch_order_decode(const msgpack_object *fields, struct error *error)
{
    struct epoch_order *order = epoch_order_create();
    if (!order) {
        error_set(error, ERR_MEMORY, "epoch: %s", error_text(ERR_MEMORY));
        return NULL;
    }
    if (read_order(fields, order, error) == 0) {
        order_check(order);
        return order;
    }
    epoch_order_destroy(order);
    return NULL;
}

static int read_life(const msgpack_object *object, struct epoch_life *item, struct error *error)
{
    static const char where[] = "epoch_end.lives";
    const msgpack_object *items;
    size_t count;
    int status = pack_get_array(object, LIFE_COUNT, LIFE_COUNT, &items, &count, where, error);
    LIFE_FIELDS(READ)
    return status;
}

static int read_lives(const msgpack_object *field, struct epoch_end *end, struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status =
        pack_get_array(field, EPOCH_LIVES_MAX, -1, &items, &count, "epoch_end.lives", error);
    for (size_t i = 0; i < count && status == 0; i++) {
        struct epoch_life life;
        status = read_life(&items[i], &life, error);
        if (status == 0 && epoch_end_add_life(end, &life) != 0)
            status = error_set(error, ERR_MEMORY, "epoch_end.lives: %s", error_text(ERR_MEMORY));
    }
    return status;
}

static int read_form(const msgpack_object *object, struct epoch_form *form, struct error *error)
{
    static const char where[] = "epoch_end.forms";
    const msgpack_object *items;
    size_t count;
    int status = pack_get_array(object, FORM_FIELDS, FORM_FIELDS, &items, &count, where, error);
    if (status == 0)
        status = pack_get_u64(&items[0], INT64_MAX, &form->topology, where, error);
    if (status == 0)
        status = pack_get_u64(&items[1], INT64_MAX, &form->life, where, error);
    return status == 0 ? read_bytes(&items[2], &form->egg, where, error) : status;
}

static int read_forms(const msgpack_object *field, struct epoch_end *end, struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status =
        pack_get_array(field, EPOCH_LIVES_MAX, -1, &items, &count, "epoch_end.forms", error);
    for (size_t i = 0; i < count && status == 0; i++) {
        struct epoch_form form = {.life = 0};
        status = read_form(&items[i], &form, error);
        if (status == 0 && epoch_end_add_form(end, &form) != 0)
            status = error_set(error, ERR_MEMORY, "epoch_end.forms: %s", error_text(ERR_MEMORY));
    }
    return status;
}

static int read_end(const msgpack_object *fields, struct epoch_end *end, struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int status = read_bytes(&fields[0], &end->state, "epoch_end.state", error);
    if (status == 0)
        status = read_bytes(&fields[1], &end->traveller, "epoch_end.traveller", error);
    if (status == 0)
        status = pack_get_array(&fields[2], EPOCH_FACT_COUNT, EPOCH_FACT_COUNT, &items, &count,
                                "epoch_end.facts", error);
    for (size_t i = 0; i < count && status == 0; i++)
        status = read_number(&items[i], 0, INT64_MAX, &end->facts[i], "epoch_end.facts", error);
    if (status == 0)
        status = read_lives(&fields[3], end, error);
    return status == 0 ? read_forms(&fields[4], end, error) : status;
}

struct epoch_end *epoch_end_decode(const msgpack_object *fields, struct error *error)
{
    struct epoch_end *end = epoch_end_create();
    if (!end) {
        error_set(error, ERR_MEMORY, "epoch_end: %s", error_text(ERR_MEMORY));
        return NULL;
    }
    if (read_end(fields, end, error) == 0)
        return end;
    epoch_end_destroy(end);
    return NULL;
}
