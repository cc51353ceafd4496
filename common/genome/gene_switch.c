/* See gene_switch.h. */
#include "common/genome/gene_switch.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

/* The functions of parts, as bits: emitters by EMITTER_BIT(), and these. */
enum { ACT_MUSCLES = 1 << EMITTER_COUNT, ACT_STRETCHING = 2 << EMITTER_COUNT };

static const struct gene_switch {
    const char *key, *what;
    size_t field;
    int is_real; /* a double, on above 0; else an int */
    uint32_t acts;
} switches[] = {
#define SWITCH(section, name, is_real, what, acts)                                                 \
    {                                                                                              \
#section "." #name, what, offsetof(struct params, section##_##name), is_real, acts         \
    }
    SWITCH(sensor, joint, 0, "sensors of joints", 0),
    SWITCH(sensor, contact, 0, "sensors of contact", 0),
    SWITCH(sensor, joint_rate, 0, "sensors of joint rates", 0),
    SWITCH(sensor, acceleration, 0, "sensors of acceleration", 0),
    SWITCH(sensor, light, 0, "sight of light", 0),
    SWITCH(sensor, other, 0, "sight of others", 0),
    SWITCH(sensor, object, 0, "sight of objects", 0),
    SWITCH(sensor, sound, 0, "sound", EMITTER_BIT(EMITTER_SOUND)),
    SWITCH(sensor, scent, 0, "scent", EMITTER_BIT(EMITTER_SCENT_1) | EMITTER_BIT(EMITTER_SCENT_2)),
    SWITCH(sensor, pain, 0, "pain", 0),
    SWITCH(sensor, reserve, 0, "the sensor of its reserve", 0),
    SWITCH(sensor, touch_kind, 0, "sensors of what is touched", 0),
    SWITCH(spheres, sensor_bone, 0, "sensors of bones", 0),
    SWITCH(sensor, height, 0, "sensors of height", 0),
    SWITCH(creature, stretch_max, 1, "stretching", ACT_STRETCHING),
    SWITCH(creature, effectors, 0, "muscles", ACT_MUSCLES),
#undef SWITCH
};
enum { SWITCH_COUNT = sizeof switches / sizeof switches[0] };

static int is_on(const struct gene_switch *row, const struct params *params)
{
    const void *field = (const char *)params + row->field;
    return row->is_real ? *(const double *)field > 0 : *(const int *)field != 0;
}

static uint64_t sensors_of(const struct gene_switch *row)
{
    uint64_t set = 0;
    for (int i = 0; i < SENSOR_COUNT; i++)
        if (sensors[i].switch_at == row->field)
            set |= SENSOR_BIT(i);
    return set;
}

uint64_t sensors_switched_on(const struct params *params)
{
    uint64_t set = 0;
    for (int i = 0; i < SWITCH_COUNT; i++)
        if (is_on(&switches[i], params))
            set |= sensors_of(&switches[i]);
    return set;
}

uint32_t emitters_switched_on(const struct params *params)
{
    uint32_t set = 0;
    for (int i = 0; i < SWITCH_COUNT; i++)
        if (is_on(&switches[i], params))
            set |= switches[i].acts;
    return set & (EMITTER_BIT(EMITTER_COUNT) - 1);
}

/* ---- what a genome has ---- */

struct wants {
    uint64_t sensors;
    uint32_t acts;
    double stretch; /* the greatest limit */
};

static uint32_t acts_of(const struct body_gene *body)
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
        wants.acts |= acts_of(body);
        wants.stretch = fmax(wants.stretch, body->stretch.limit);
    }
    return wants;
}

int gene_switches_explain(const struct genome *genome, const struct params *params,
                          char text[GENE_SWITCH_TEXT_SIZE])
{
    struct wants wants = wants_of(genome);
    char number[TEXT_NUMBER_SIZE];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < SWITCH_COUNT; i++) {
        const struct gene_switch *row = &switches[i];
        int is_wanted = (wants.sensors & sensors_of(row)) || (wants.acts & row->acts);
        if (!is_wanted || is_on(row, params) || used + 1 >= GENE_SWITCH_TEXT_SIZE)
            continue;
        used += (size_t)snprintf(text + used, GENE_SWITCH_TEXT_SIZE - used, "%s%s (on: -s %s=%s)",
                                 used ? ", " : "these parameters switch off ", row->what, row->key,
                                 row->is_real ? text_print_double(wants.stretch, number) : "yes");
    }
    return used > 0;
}
