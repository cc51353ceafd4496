/* Senses: every sensor of bodies with a known motion, mirrored parts too, and the switches. */
#include "simulator/mind/senses.h"
#include "simulator/world/light.h"

#include "tests/unit/body_fixture.h"
#include "tests/plain_fixture.h"

static struct world world;
static struct light light;
static struct senses senses;
static struct test_body body;
static struct dynamics *dynamics;

static void set_up(void)
{
    arena_open(1 << 20);
    params_set_defaults(&params);
    set("sensor.acceleration=yes", "sensor.light=yes");
}

/* Two bars in a row, the second one hinged to the first; mirror: of the second. */
static void make_pair(int mirror)
{
    static const struct body_part parts[] = {{ROOT(0.4, 0.1, 1)},
                                             {PART(0, 0.4, 0, 0.4, 0.1, 1), ANCHOR(0.2, 0)}};
    struct dynamics_settings settings = {.dt_s = 1.0 / 240,
                                         .integrator = INTEGRATOR_AUTO,
                                         .servo_rad_s = 30,
                                         .joint_speed_rad_s = 20};
    body_init(&body, parts, 2);
    body.parts[1].mirror = mirror;
    body.links[1].sign[0] = mirror;
    world_init(&world, &params, BODY_RECTANGLES);
    dynamics = dynamics_create(&body.phenotype, &world, &settings, &arena);
    ck_assert_ptr_nonnull(dynamics);
    light_init(&light, &params, 1);
    ck_assert_int_eq(senses_create(&senses, &body.phenotype, &params, &arena), 0);
}

static void place(double x, double y, double angle, double joint, double joint_rate)
{
    double q[4] = {x, y, angle, joint}, qd[4] = {0, 0, 0, joint_rate};
    dynamics_set_state(dynamics, q, qd);
}

static struct seen other, object, heard;
static struct scent *scent;

static void feel(double tick_s)
{
    struct surroundings around = {
        .seen = {{light.kind != LIGHT_NONE, light.at, light.brightness}, other, object, heard},
        .scent = scent,
        .pain = 0.25,
        .reserve = 0.75,
        .gravity_m_s2 = world_gravity(&world),
        .tick_s = tick_s};
    senses_read(&senses, dynamics, &around);
}

static double felt(int part, int sensor)
{
    return senses.values[part * SENSOR_COUNT + sensor];
}

TEST(joints_and_their_rates)
{
    for (int mirror = -1; mirror <= 1; mirror += 2) {
        make_pair(mirror);
        place(0, 5, 0.3, 0.7, -2);
        feel(0);
        ck_assert_double_eq(felt(1, SENSOR_JOINT), mirror * 0.7);
        ck_assert_double_eq(felt(1, SENSOR_JOINT_RATE), mirror * -2.0);
        ck_assert_double_eq(felt(0, SENSOR_JOINT), 0);
        ck_assert_double_eq(felt(0, SENSOR_JOINT_RATE), 0);
    }
}

/* In metres of the gene: a part of twice the scale comes out twice as far. A mirrored one, too,
 * feels that it comes out. */
TEST(linear_joints_and_their_rates)
{
    for (int mirror = -1; mirror <= 1; mirror += 2) {
        make_pair(mirror);
        body.links[1].kind = LINK_LINEAR;
        body.links[1].axis = (struct vec3){1, 0, 0};
        body.links[1].sign[0] = 1;
        body.links[1].scale = 2;
        place(0, 5, 0.3, 0.5, -0.25);
        feel(0);
        ck_assert_double_eq(felt(1, SENSOR_JOINT), 0.25);
        ck_assert_double_eq(felt(1, SENSOR_JOINT_RATE), -0.125);
    }
}

/* At rest an accelerometer feels the ground push: 1 g upwards; falling, nothing. */
TEST(accelerometers_feel_weight_and_not_falling)
{
    for (int mirror = -1; mirror <= 1; mirror += 2) {
        make_pair(mirror);
        place(0, 5, 0.5, 0, 0);
        feel(0);
        ck_assert_double_eq_tol(felt(1, SENSOR_ACCELERATION_ALONG), sin(0.5), 1e-12);
        ck_assert_double_eq_tol(felt(1, SENSOR_ACCELERATION_ACROSS), mirror * cos(0.5), 1e-12);
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(dynamics_step(dynamics), 0);
        feel(4.0 / 240);
        for (int part = 0; part < 2; part++) {
            ck_assert_double_eq_tol(felt(part, SENSOR_ACCELERATION_ALONG), 0, 1e-9);
            ck_assert_double_eq_tol(felt(part, SENSOR_ACCELERATION_ACROSS), 0, 1e-9);
        }
    }
}

/* The direction is a unit vector in the part's frame, the level falls with the distance. */
TEST(eyes_see_direction_and_level)
{
    set("light.kind=still");
    for (int mirror = -1; mirror <= 1; mirror += 2) {
        make_pair(mirror);
        place(0, 5, 0, 0, 0);
        light.at = (struct vec3){0, 7, 0};
        feel(0);
        ck_assert_double_eq_tol(felt(0, SENSOR_LIGHT_ALONG), 0, 1e-12);
        ck_assert_double_eq_tol(felt(0, SENSOR_LIGHT_ACROSS), 1, 1e-12);
        ck_assert_double_eq_tol(felt(0, SENSOR_LIGHT_LEVEL), 1.0 / (1 + 4), 1e-12);
        double away = hypot(0.4, 2);
        ck_assert_double_eq_tol(felt(1, SENSOR_LIGHT_ALONG), -0.4 / away, 1e-12);
        ck_assert_double_eq_tol(felt(1, SENSOR_LIGHT_ACROSS), mirror * 2 / away, 1e-12);
        /* a quarter turn of the whole body turns what it sees */
        place(0, 5, BODY_PI / 2, 0, 0);
        feel(0);
        ck_assert_double_eq_tol(felt(0, SENSOR_LIGHT_ALONG), 1, 1e-12);
        ck_assert_double_eq_tol(felt(0, SENSOR_LIGHT_ACROSS), 0, 1e-12);
    }
    place(0, 7, 0, 0, 0);
    feel(0);
    ck_assert_double_eq(felt(0, SENSOR_LIGHT_ALONG), 0);
    ck_assert_double_eq(felt(0, SENSOR_LIGHT_LEVEL), 1);
}

/* The other creature and the object are seen as the light is. */
TEST(others_and_objects_are_seen_as_the_light)
{
    set("light.kind=still", "sensor.other=yes", "sensor.object=yes");
    make_pair(-1);
    place(0.3, 5, 0.7, 0, 0);
    light.at = (struct vec3){2, 7, 0};
    other = object = (struct seen){1, light.at, light.brightness};
    feel(0);
    for (int part = 0; part < 2; part++)
        for (int k = 0; k < SENSOR_COUNT; k++)
            if (sights[SIGHT_LIGHT].sensors & SENSOR_BIT(k)) {
                ck_assert(k == SENSOR_LIGHT_THROUGH || felt(part, k) != 0);
                ck_assert(felt(part, sight_sensor_of(k, SIGHT_LIGHT, SIGHT_OTHER)) ==
                          felt(part, k));
                ck_assert(felt(part, sight_sensor_of(k, SIGHT_LIGHT, SIGHT_OBJECT)) ==
                          felt(part, k));
            }
    other.is_there = 0;
    make_pair(-1);
    place(0.3, 5, 0.7, 0, 0);
    feel(0);
    ck_assert_double_eq(felt(0, SENSOR_OTHER_LEVEL), 0);
}

/* Sounds are heard as lights are seen; what is not there any more is not sensed any more. */
TEST(sounds_come_and_go)
{
    set("sensor.sound=yes", "sensor.pain=yes");
    make_pair(1);
    place(0, 5, 0, 0, 0);
    heard = (struct seen){1, {0, 7, 0}, 0.5};
    feel(0);
    ck_assert_double_eq(felt(0, SENSOR_SOUND_ACROSS), 1);
    ck_assert_double_eq(felt(0, SENSOR_SOUND_LEVEL), 0.5 / 5);
    ck_assert_double_eq(felt(1, SENSOR_PAIN), 0.25);
    ck_assert_double_eq(felt(1, SENSOR_RESERVE), 0); /* it is switched off */
    heard.is_there = 0;
    feel(0);
    ck_assert_double_eq(felt(0, SENSOR_SOUND_ACROSS), 0);
    ck_assert_double_eq(felt(0, SENSOR_SOUND_LEVEL), 0);
}

/* Noses find the way to more of a scent where they are, in the part's own frame. */
TEST(noses_smell_direction_and_level)
{
    struct scent there = {.cell_m = 0.5, .half = 100, .middle_m = {0, 5, 0}};
    set("sensor.scent=yes");
    for (int mirror = -1; mirror <= 1; mirror += 2) {
        make_pair(mirror);
        ck_assert_int_eq(scent_create(&there, (struct vec3){8, 8, 0}, &arena), 0);
        for (int i = 0; i < there.cell_count; i++)
            there.amounts[1][i] = 40 * (i / there.cells[0]);
        scent = &there;
        place(0, 5, BODY_PI / 2, 0, 0);
        feel(0);
        ck_assert_double_eq_tol(felt(0, SENSOR_SCENT_2_ALONG), 1, 1e-12);
        ck_assert_double_eq_tol(felt(0, SENSOR_SCENT_2_ACROSS), 0, 1e-12);
        ck_assert_double_eq_tol(felt(0, SENSOR_SCENT_2_LEVEL), 300.0 / 400, 1e-12);
        /* the other part is 0.4 m farther up */
        ck_assert_double_eq_tol(felt(1, SENSOR_SCENT_2_LEVEL), 332.0 / 432, 1e-9);
        ck_assert_double_eq(felt(0, SENSOR_SCENT_1_ALONG), 0);
        ck_assert_double_eq(felt(0, SENSOR_SCENT_1_LEVEL), 0);
        place(0, 5, 0, 0, 0);
        feel(0);
        ck_assert_double_eq_tol(felt(1, SENSOR_SCENT_2_ACROSS), mirror, 1e-12);
        scent = NULL;
        feel(0);
        ck_assert_double_eq(felt(1, SENSOR_SCENT_2_ACROSS), 0);
    }
}

TEST(contacts_are_felt_by_the_faces_that_touch)
{
    make_pair(1);
    place(0, 0.05, 0, 0, 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(dynamics_step(dynamics), 0);
    feel(0);
    for (int part = 0; part < 2; part++) {
        ck_assert_double_eq(felt(part, SENSOR_CONTACT_BOTTOM), 1);
        ck_assert_double_eq(felt(part, SENSOR_CONTACT_TOP), -1);
        ck_assert_double_eq(felt(part, SENSOR_CONTACT_LEFT), -1);
        ck_assert_double_eq(felt(part, SENSOR_CONTACT_RIGHT), -1);
    }
}

TEST(what_is_switched_off_reads_nothing)
{
    static const char *const switches[] = {"sensor.joint=no", "sensor.joint_rate=no",
                                           "sensor.contact=no", "sensor.acceleration=no",
                                           "sensor.light=no"};
    set("light.kind=still");
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        set(switches[i]);
    make_pair(1);
    place(0, 0.05, 0, 0.4, 1);
    ck_assert_int_eq(dynamics_step(dynamics), 0);
    feel(0);
    for (int k = 0; k < 2 * SENSOR_COUNT; k++)
        ck_assert_double_eq(senses.values[k], 0);
}

SUITE("senses", 0, set_up, NULL)
