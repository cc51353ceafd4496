/* Parameters that switch on what genes have: sensors (the table of sensor.h names the parameter of
 * each), emitters, muscles, stretching. */
#include "common/genome/genome.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/math/detmath.h"
#include "common/text.h"

const char *const emitter_names[EMITTER_COUNT] = {"sound", "scent_1", "scent_2"};

/* The functions of parts, as bits: emitters by EMITTER_BIT(), and these. */
enum { ACT_MUSCLES = 1 << EMITTER_COUNT, ACT_STRETCHING = 2 << EMITTER_COUNT };

/* A function, and the parameter that switches it on. */
#define ACTS(X)                                                                                    \
    X(EMITTER_BIT(EMITTER_SOUND), sensor_sound)                                                    \
    X(EMITTER_BIT(EMITTER_SCENT_1), sensor_scent)                                                  \
    X(EMITTER_BIT(EMITTER_SCENT_2), sensor_scent)                                                  \
    X(ACT_STRETCHING, creature_stretch_max)                                                        \
    X(ACT_MUSCLES, creature_effectors)

uint64_t sensors_switched_on(const struct params *params)
{
#define X(id, name, kinds, version, field, ...) | (params->field > 0 ? SENSOR_BIT(SENSOR_##id) : 0)
    return 0 SENSORS(X);
#undef X
}

static uint32_t acts_switched_on(const struct params *params)
{
#define X(act, field) | (params->field > 0 ? (uint32_t)(act) : 0)
    return 0 ACTS(X);
#undef X
}

uint32_t emitters_switched_on(const struct params *params)
{
    return acts_switched_on(params) & (EMITTER_BIT(EMITTER_COUNT) - 1);
}

int emitter_is_on(int emitter, const struct params *params)
{
    ENSURE(emitter >= 0 && emitter < EMITTER_COUNT, "emitter %d", emitter);
    return (emitters_switched_on(params) & EMITTER_BIT(emitter)) != 0;
}

int emitter_count_on(const struct params *params)
{
    return __builtin_popcount(emitters_switched_on(params));
}

static uint64_t sensors_of(size_t field)
{
    uint64_t set = 0;
    for (int i = 0; i < SENSOR_COUNT; i++)
        if (sensors[i].switch_at == field)
            set |= SENSOR_BIT(i);
    return set;
}

static uint32_t acts_of(size_t field)
{
#define X(act, name) | (field == offsetof(struct params, name) ? (uint32_t)(act) : 0)
    return 0 ACTS(X);
#undef X
}

/* ---- what a genome has ---- */

struct wants {
    uint64_t sensors;
    uint32_t acts;
    double stretch; /* the greatest limit */
};

static uint32_t acts_of_body(const struct body_gene *body)
{
    uint32_t acts = 0;
    for (int k = 0; k < EMITTER_COUNT; k++)
        if (body->emitters[k].is_there)
            acts |= EMITTER_BIT(k);
    if (body->joint != JOINT_RIGID && (body->has_effector || body->drive_strength > 0))
        acts |= ACT_MUSCLES;
    return acts | (body->stretch.limit > 0 ? ACT_STRETCHING : 0);
}

static struct wants wants_of(const struct genome *genome)
{
    struct wants wants = {.sensors = genome_sensors_read(genome)};
    for (int i = 0; i < genome->body_count; i++) {
        const struct body_gene *body = &genome->bodies[i];
        wants.acts |= acts_of_body(body);
        wants.stretch = det_max(wants.stretch, body->stretch.limit);
    }
    return wants;
}

int gene_switches_explain(const struct genome *genome, const struct params *params,
                          char text[GENE_SWITCH_TEXT_SIZE])
{
    struct wants wants = wants_of(genome);
    uint64_t off_sensors = wants.sensors & ~sensors_switched_on(params);
    uint32_t off_acts = wants.acts & ~acts_switched_on(params);
    char number[TEXT_NUMBER_SIZE];
    text[0] = '\0';
    for (int i = 0; i < param_count; i++) {
        const struct param_info *row = &param_table[i];
        if (!(off_sensors & sensors_of(row->offset)) && !(off_acts & acts_of(row->offset)))
            continue;
        text_append(text, GENE_SWITCH_TEXT_SIZE, "%s -s %s=%s",
                    *text ? "" : "these parameters switch off some genes (on:", row->key,
                    row->type == PARAM_REAL ? text_print_double(wants.stretch, number) : "yes");
        ENSURE(strlen(text) + 2 < GENE_SWITCH_TEXT_SIZE, "%zu characters of switches",
               strlen(text));
    }
    if (*text)
        text_append(text, GENE_SWITCH_TEXT_SIZE, ")");
    return *text != '\0';
}
