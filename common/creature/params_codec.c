/* Parameters and measures as MessagePack. Values of parameters go through params_set() as text, so
 * that a message and a creature file are held to the same ranges as an INI file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/creature/creature_codec.h"
#include "common/text.h"

static int is_evaluation_row(int index)
{
    return param_table[index].scope == 'E';
}

int creature_records_param(int index)
{
    ENSURE(index >= 0 && index < param_count, "parameter %d", index);
    return is_evaluation_row(index) || param_table[index].scope == 'J';
}

static void encode_value(const struct params *params, int index, struct pack_writer *writer)
{
    const struct param_info *info = &param_table[index];
    const void *value = (const char *)params + info->offset;
    char text[PARAM_TEXT_SIZE];
    switch (info->type) {
    case PARAM_REAL:
        pack_double(writer, *(const double *)value);
        break;
    case PARAM_INT:
        pack_i64(writer, *(const int64_t *)value);
        break;
    case PARAM_BOOL:
        pack_bool(writer, *(const int *)value);
        break;
    case PARAM_CHOICE:
    case PARAM_TEXT:
        params_print_value(params, index, text, sizeof(text));
        pack_text(writer, text);
        break;
    }
}

/* Whether the row is wanted and, of a file with a base, must be there: its value differs from the
 * one that readers assume without it. A preset is left out, since the rows that it sets are there. */
static int is_encoded(const struct params *params, int (*is_wanted)(int index),
                      const struct params *base, int index)
{
    int is_assumed =
        base && (index == params_find("world.preset") || params_is_same(params, base, index));
    return (!is_wanted || is_wanted(index)) && !is_assumed;
}

void params_encode_rows(const struct params *params, int (*is_wanted)(int index),
                        const struct params *base, struct pack_writer *writer)
{
    size_t count = 0;
    for (int i = 0; i < param_count; i++)
        count += is_encoded(params, is_wanted, base, i);
    pack_map(writer, count);
    for (int i = 0; i < param_count; i++)
        if (is_encoded(params, is_wanted, base, i)) {
            pack_text(writer, param_table[i].key);
            encode_value(params, i, writer);
        }
}

void params_encode(const struct params *params, int is_all, struct pack_writer *writer)
{
    params_encode_rows(params, is_all ? NULL : is_evaluation_row, NULL, writer);
}

void params_encode_changed(const struct params *params, struct pack_writer *writer)
{
    struct params base;
    params_set_recorded_defaults(&base);
    params_encode_rows(params, creature_records_param, &base, writer);
}

/* Prints a value as text for params_set(), by the row's type. */
static int print_object(const msgpack_object *object, const struct param_info *info,
                        char text[PARAM_TEXT_SIZE], struct error *error)
{
    double real = 0;
    int64_t number = 0;
    int is_on = 0, rc = 0;
    switch (info->type) {
    case PARAM_REAL:
        rc = pack_get_double(object, &real, info->key, error);
        text_print_double(real, text);
        break;
    case PARAM_INT:
        rc = pack_get_i64(object, &number, info->key, error);
        snprintf(text, PARAM_TEXT_SIZE, "%" PRId64, number);
        break;
    case PARAM_BOOL:
        rc = pack_get_bool(object, &is_on, info->key, error);
        snprintf(text, PARAM_TEXT_SIZE, "%d", is_on);
        break;
    case PARAM_CHOICE:
    case PARAM_TEXT:
        rc = pack_get_text(object, text, PARAM_TEXT_SIZE, info->key, error);
        break;
    }
    return rc;
}

static int decode_entry(struct params *params, const msgpack_object_kv *entry,
                        struct params_remark *remark, struct error *error)
{
    char key[64], text[PARAM_TEXT_SIZE];
    int rc = pack_get_text(&entry->key, key, sizeof(key), "a parameter's key", error);
    if (rc != 0)
        return rc;
    int index = params_find(key);
    /* a former parameter that is a constant now: all of those were numbers */
    const struct param_info number = {.key = key, .type = PARAM_REAL};
    const struct param_info *info = index >= 0             ? &param_table[index]
                                    : params_is_fixed(key) ? &number
                                                           : NULL;
    text[0] = '\0';
    if (info)
        rc = print_object(&entry->val, info, text, error);
    return rc != 0 ? rc : params_set_recorded(params, key, text, remark, error);
}

int params_decode(struct params *params, const msgpack_object *object, struct params_remark *remark,
                  struct error *error)
{
    *remark = (struct params_remark){""};
    params_set_recorded_defaults(params);
    if (!object || object->type != MSGPACK_OBJECT_MAP)
        return error_set(error, ERR_FORMAT, "parameters: expected a map");
    if (object->via.map.size > (uint32_t)params_known_count())
        return error_set(error, ERR_LIMIT, "parameters: expected at most %d, not %" PRIu32,
                         params_known_count(), object->via.map.size);
    // the preset first, since it sets other rows
    const msgpack_object *preset = pack_find(object, "world.preset");
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < object->via.map.size; i++) {
            const msgpack_object_kv *entry = &object->via.map.ptr[i];
            int rc = (&entry->val == preset) == (pass == 0)
                         ? decode_entry(params, entry, remark, error)
                         : 0;
            if (rc != 0)
                return rc;
        }
    return params_check(params, error);
}

void measures_encode(const struct measures *measures, struct pack_writer *writer)
{
    pack_array(writer, MEASURE_COUNT);
    for (int i = 0; i < MEASURE_COUNT; i++)
        pack_double(writer, measures_get(measures, i));
}

int measures_decode(struct measures *measures, const msgpack_object *object, struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    memset(measures, 0, sizeof(*measures));
    int rc =
        pack_get_array(object, MEASURE_COUNT, MEASURE_COUNT, &items, &count, "measures", error);
    for (int i = 0; rc == 0 && i < MEASURE_COUNT; i++) {
        double value = 0;
        rc = pack_get_double(&items[i], &value, measure_table[i].name, error);
        if (rc == 0)
            measures_set(measures, i, value);
    }
    if (rc != 0)
        memset(measures, 0, sizeof(*measures));
    return rc;
}
