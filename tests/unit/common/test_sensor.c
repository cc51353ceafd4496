/* common/sensor: the tables and their names. */
#include "common/genome/body_kind.h"
#include "common/genome/genome.h"
#include "common/genome/sensor.h"
#include "common/version.h"
#include "tests/plain_fixture.h"

/* The sensor with that name, or -1. */
static int sensor_find(const char *name)
{
    for (int i = 0; i < SENSOR_COUNT; i++)
        if (!strcmp(sensors[i].name, name))
            return i;
    return -1;
}

static int face_find(const char *name)
{
    for (int i = 0; i < FACE_COUNT; i++)
        if (!strcmp(face_names[i], name))
            return i;
    return -1;
}

TEST(names_are_distinct_and_found)
{
    for (int i = 0; i < SENSOR_COUNT; i++) {
        ck_assert_str_ne(sensors[i].name, "");
        ck_assert_str_ne(sensors[i].meaning, "");
        ck_assert_int_eq(sensor_find(sensors[i].name), i);
        ck_assert_int_le(sensors[i].since, CREATURE_FORMAT_VERSION);
    }
    for (int i = 0; i < FACE_COUNT; i++)
        ck_assert_int_eq(face_find(face_names[i]), i);
}

/* Files refer to sensors and faces by these names. */
TEST(the_table_stands)
{
    uint64_t of_version_10 = SENSOR_BIT(47) - 1;
    ck_assert_int_eq(sensor_find("stretch"), 46);
    ck_assert_uint_eq(body_kinds[BODY_RECTANGLES].sensors & of_version_10, 0x7ddddd8007ff);
    ck_assert_uint_eq(body_kinds[BODY_BOXES].sensors & of_version_10, 0x3fffffffa7ff);
    ck_assert_int_eq(sensor_find("joint"), SENSOR_JOINT);
    ck_assert_int_eq(sensor_find("contact-left"), SENSOR_CONTACT_LEFT);
    ck_assert_int_eq(face_find("right"), FACE_RIGHT);
    ck_assert_int_eq(face_find("bottom"), FACE_BOTTOM);

    for (int face = 0; face < FACE_COUNT; face++)
        ck_assert_str_eq(sensors[face_sensors[face]].name + 8, face_names[face]);
    ck_assert_uint_eq(SENSOR_BIT(SENSOR_CONTACT_BOTTOM), 16);
}

/* Each sensor has a parameter that switches on it and those of the same switch, and no other. */
TEST(the_switches_share_out_the_sensors)
{
    uint64_t all = 0;
    for (int i = 0; i < param_count; i++) {
        const struct param_info *row = &param_table[i];
        uint64_t own = 0;
        for (int k = 0; k < SENSOR_COUNT; k++)
            if (sensors[k].switch_at == row->offset)
                own |= SENSOR_BIT(k);
        memset(&params, 0, sizeof params);
        if (row->type == PARAM_BOOL)
            *(int *)((char *)&params + row->offset) = 1;
        if (row->type == PARAM_REAL)
            *(double *)((char *)&params + row->offset) = 0.5;
        ck_assert_msg(sensors_switched_on(&params) == own, "%s", row->key);
        all |= own;
    }
    ck_assert_uint_eq(all, SENSOR_BIT(SENSOR_COUNT) - 1);
}

TEST(unknown_names_are_not_found)
{
    static const char *const unknown[] = {"", "Joint", "joint ", "contact", "up"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        ck_assert_int_eq(sensor_find(unknown[i]), -1);
        ck_assert_int_eq(face_find(unknown[i]), -1);
    }
}

TEST(two_sights_are_read)
{
    static const char *const wrong[] = {
        "", "light", "light:", ":light", "light:light", "lights:other", "light:other "};
    struct sight_exchange see;
    ck_assert_int_eq(sights_read_exchange("light:object", &see, &error), 0);
    ck_assert(see.sights[0] == SIGHT_LIGHT && see.sights[1] == SIGHT_OBJECT);
    ck_assert_int_eq(sights_read_exchange("other:light", &see, &error), 0);
    ck_assert(see.sights[0] == SIGHT_OTHER && see.sights[1] == SIGHT_LIGHT);
    ck_assert_int_eq(sights_read_exchange("light:scent-2", &see, &error), 0);
    ck_assert(see.sights[0] == SIGHT_LIGHT && see.sights[1] == SIGHT_SCENT_2);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_int_eq(sights_read_exchange(wrong[i], &see, &error), ERR_USAGE);
    ck_assert_int_eq(sight_sensor_of(SENSOR_LIGHT_THROUGH, SIGHT_LIGHT, SIGHT_OTHER),
                     SENSOR_OTHER_THROUGH);
    ck_assert_int_eq(sight_sensor_of(SENSOR_JOINT, SIGHT_LIGHT, SIGHT_OTHER), SENSOR_JOINT);
}

/* Worlds of one creature draw from the sensors that they always had. */
TEST(sensors_of_contests_are_drawn_where_they_are_on)
{
    uint64_t of_contests = ~(SENSOR_BIT(SENSOR_OTHER_ALONG) - 1);
    params_set_defaults(&params);
    for (int kind = 0; kind < body_kind_count; kind++)
        ck_assert_uint_eq(sensors_drawn(kind, &params), body_kinds[kind].sensors & ~of_contests);
    params.sensor_object = 1;
    ck_assert_uint_eq(sensors_drawn(BODY_BOXES, &params),
                      body_kinds[BODY_BOXES].sensors &
                          (sights[SIGHT_OBJECT].sensors | ~of_contests));
}

/* One part reads the light, sounds, and stretches; another has a sensor of scent that no neuron
 * reads. */
static void make_asking(struct genome *genome)
{
    genome_init(genome);
    struct body_gene *body = genome_add(genome, GENOME_BODIES);
    body->sensors = SENSORS_OF_SIGHT(LIGHT);
    body->stretch.limit = 0.5;
    body->stretch.input =
        (struct input_gene){.kind = INPUT_SENSOR, .sensor = SENSOR_LIGHT_ALONG, .weight = 1};
    body->emitters[EMITTER_SOUND].is_there = 1;
    body = genome_add(genome, GENOME_BODIES);
    body->sensors = SENSORS_OF_SIGHT(SCENT_1);
}

TEST(what_is_switched_off_is_said)
{
    char text[GENE_SWITCH_TEXT_SIZE];
    SCOPED(genome) genome;
    make_asking(&genome);
    params_set_defaults(&params);
    ck_assert_int_eq(gene_switches_explain(&genome, &params, text), 1);
    ck_assert_str_eq(text, "these parameters switch off some genes (on: -s "
                           "creature.stretch_max=0.5 -s sensor.light=yes -s sensor.sound=yes)");
    params.sensor_light = params.sensor_sound = 1;
    params.creature_stretch_max = 0.1;
    ck_assert_int_eq(gene_switches_explain(&genome, &params, text), 0);
    ck_assert_str_eq(text, "");
    genome.bodies[0].joint = JOINT_ROTARY;
    genome.bodies[0].has_effector = 1;
    ck_assert_int_eq(gene_switches_explain(&genome, &params, text), 0);
    params.creature_effectors = 0;
    ck_assert_int_eq(gene_switches_explain(&genome, &params, text), 1);
    ck_assert_str_eq(text,
                     "these parameters switch off some genes (on: -s creature.effectors=yes)");
}

/* There is room for everything that a genome may read. */
TEST(all_that_is_off_is_named)
{
    char text[GENE_SWITCH_TEXT_SIZE];
    SCOPED(genome) genome;
    make_asking(&genome);
    memset(&params, 0, sizeof params);
    genome.bodies[1].sensors = SENSOR_BIT(SENSOR_COUNT) - 1;
    for (int i = 0; i < SENSOR_COUNT; i++) {
        struct neuron_gene *neuron = genome_add(&genome, GENOME_NEURONS);
        neuron->inputs[0] = (struct input_gene){.kind = INPUT_SENSOR, .sensor = (uint8_t)i};
    }
    ck_assert_int_eq(gene_switches_explain(&genome, &params, text), 1);
    ck_assert_uint_lt(strlen(text), sizeof text - 64);
    ck_assert_ptr_nonnull(strstr(text, " -s sensor.joint=yes "));
    ck_assert_ptr_nonnull(strstr(text, " -s sensor.height=yes"));
}

SUITE("sensor", 0, NULL, NULL)
