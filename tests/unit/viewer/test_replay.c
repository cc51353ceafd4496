/* Replays: recording, comparing with the record, bounds of memory, and creatures that end early. */
#include "viewer/replay/replay.h"

#include "common/judge/contest.h"
#include "common/version.h"
#include "tests/unit/genome_fixture.h"
#include "tests/unit/pose_fixture.h"
#include "tests/plain_fixture.h"

OWNER(replay, replay_destroy)

#define SEED 77

static struct creature creature;

/* Two segments; an oscillator bends the joint. */
static void setup(void)
{
    creature_deinit(&creature);
    creature_init(&creature);
    snprintf(creature.name, sizeof creature.name, "worm");
    fixture_make_worm(&creature.genome, 0.4);
    creature.genome.bodies[0].height_m = 0.12;
    creature.genome.bodies[1].width_m = 0.3;
    creature.genome.neurons[0].inputs[2].value = 0.2;
    ck_ok(genome_check(&creature.genome, &error));
    params_set_defaults(&params);
    set("simulation.duration_s=2", "evolution.behaviour=custom");
    strcpy(params.fitness_expression, "1.25");
}

static struct replay *replay_now(int is_recorded)
{
    struct replay *replay;
    ck_ok(replay_create(&replay, &creature, &params, SEED, is_recorded, NULL, 0, &error));
    return replay;
}

/* Writes the creature's record as a controller would. */
static void record(void)
{
    OWNED(replay) *replay = replay_now(0);
    ck_assert_int_eq(replay->status, REPLAY_UNRECORDED);
    creature.has_evaluation = 1;
    creature.params = params;
    creature.seed = SEED;
    creature.verdict = replay->verdict;
    creature.measures = replay->measures;
    creature.digest = replay->digest;
    creature.fitness = 1.25;
    creature.genome_hash = genome_hash(&creature.genome);
    creature.simulator_version = SIMULATOR_VERSION;
}

static void expect_status(enum replay_status status, const char *detail)
{
    OWNED(replay) *replay = replay_now(1);
    ck_assert_int_eq(replay->status, status);
    ck_assert_msg(strstr(replay->detail, detail) != NULL, "'%s' is not in '%s'", detail,
                  replay->detail);
}

/* ---- recording ---- */

TEST(records_every_tick)
{
    OWNED(replay) *replay = replay_now(0);
    ck_assert_int_eq(replay->verdict, VERDICT_OK);
    ck_assert_int_eq(replay->part_count, 2);
    ck_assert_int_eq(replay->drive_count, 2);
    ck_assert_int_eq(replay->effector_count, 1);
    ck_assert_int_eq(replay->drives[1].effector, 0);
    ck_assert(replay->parts[1].joint == 1 && replay->parts[0].joint == -1);
    ck_assert(!replay->drives[1].is_linear && !replay->has_depth);
    ck_assert_int_eq(replay->frame_count, 121);
    ck_assert_double_eq_tol(replay_duration(replay), 2, 1e-9);
    struct replay_frame frame = frame_at(replay, 0);
    ck_assert_double_eq(frame.centre.x, 0);
    ck_assert_double_gt(frame.centre.y, 0.01); /* above the ground */
    frame = replay_get_frame(replay, 120);
    ck_assert_double_eq_tol(frame.time_s, 2, 1e-9);
    ck_assert_double_eq_tol(fabs(frame.centre.x), replay->measures.distance_m, 1e-5);
    ck_assert_double_gt(frame.energies[ENERGY_work_j], 0);
}

/* The place where a child hangs is on the outline of its parent, in every frame: geometry, poses
 * and anchors fit together. */
TEST(parts_hang_together)
{
    OWNED(replay) *replay = replay_now(0);
    const struct shape *parent = &replay->shapes[0];
    const struct replay_part *child = &replay->parts[1];
    for (int i = 0; i < replay->frame_count; i++) {
        struct replay_frame frame = frame_at(replay, i);
        const struct replay_pose *a = &frame.poses[0], *b = &frame.poses[1];
        struct vec3 at = replay_pose_back(a, replay_pose_place(b, child->anchor));
        ck_assert_xy(at, parent->half_m.x, 0, 1e-4);
        ck_assert_double_eq_tol(replay_pose_angle(b) - replay_pose_angle(a),
                                (double)frame.values[1], 1e-4);
    }
}

/* A slider: from its base on the parent's outline the part's anchor is off by the extension along
 * the axis, which turns with both. */
TEST(a_linear_part_slides_along_its_axis)
{
    creature.genome.bodies[1].joint = JOINT_LINEAR;
    creature.genome.bodies[1].lower = -0.1;
    creature.genome.bodies[1].upper = 0.15;
    creature.genome.connections[0].angle_rad = 0.5;
    OWNED(replay) *replay = replay_now(0);
    const struct replay_part *child = &replay->parts[1];
    const struct replay_drive *drive = &replay->drives[1];
    double least = 0, most = 0;
    ck_assert(child->joint == 1 && drive->is_linear);
    ck_assert_double_eq(drive->signal_full, 0.15);
    ck_assert_double_eq_tol(child->base.x, replay->shapes[0].half_m.x, 1e-9);
    ck_assert_double_eq_tol(drive->way.x, cos(0.5), 1e-9); /* it hangs by its left face */
    ck_assert_double_eq_tol(drive->way.y, sin(0.5), 1e-9);
    for (int i = 0; i < replay->frame_count; i++) {
        struct replay_frame frame = frame_at(replay, i);
        const struct replay_pose *a = &frame.poses[0], *b = &frame.poses[1];
        double q = (double)frame.values[1];
        struct vec3 at = replay_pose_place(b, child->anchor);
        struct vec3 base = replay_pose_place(a, child->base);
        struct vec3 wanted = vec3_along(base, replay_pose_turn(a, drive->way), q);
        ck_assert_double_eq_tol(vec3_length(vec3_sub(at, wanted)), 0, 1e-4);
        ck_assert_double_eq_tol(replay_pose_angle(b) - replay_pose_angle(a), 0.5, 1e-4);
        least = fmin(least, q);
        most = fmax(most, q);
    }
    ck_assert(least < -0.05 && most > 0.1);
}

TEST(samples_between_frames)
{
    OWNED(replay) *replay = replay_now(0);
    struct replay_moment moment;
    struct replay_frame a = replay_get_frame(replay, 30);
    struct replay_frame b = replay_get_frame(replay, 31);
    replay_get_moment(replay, 30.5 / 60, &moment);
    ck_assert_double_eq_tol(moment.frame.centre.x, (a.centre.x + b.centre.x) / 2, 1e-6);
    ck_assert_double_eq_tol(replay_pose_angle(&moment.frame.poses[1]),
                            (replay_pose_angle(&a.poses[1]) + replay_pose_angle(&b.poses[1])) / 2,
                            1e-5);
    ck_assert_double_eq_tol((double)moment.frame.values[1],
                            ((double)a.values[1] + (double)b.values[1]) / 2, 1e-5);
    ck_assert_ptr_eq(moment.frame.signals, a.signals);
    ck_assert_int_eq(replay_frame_index(replay, 31.0 / 60), 31);
    /* outside, and not a number at all */
    ck_assert_int_eq(replay_frame_index(replay, -5), 0);
    ck_assert_int_eq(replay_frame_index(replay, 1e300), 120);
    ck_assert_int_eq(replay_frame_index(replay, NAN), 0);
    replay_get_moment(replay, 99, &moment);
    a = replay_get_frame(replay, 120);
    ck_assert_double_eq(moment.frame.centre.x, a.centre.x);
}

TEST(floats_in_water_around_its_start)
{
    ck_assert_int_eq(params_set(&params, "world.preset", "water", &error), 0);
    OWNED(replay) *replay = replay_now(0);
    ck_assert(!replay->has_ground);
    ck_assert_int_eq(replay->medium, REPLAY_WATER);
    struct replay_frame frame = frame_at(replay, 0);
    ck_assert_xy(frame.centre, 0, 0, 0);
}

/* What resists is water only where nothing falls, by whichever law it resists. */
TEST(tells_water_from_air)
{
    static const struct {
        const char *preset, *change;
        enum replay_medium medium;
    } worlds[] = {
        {"world.preset=land", "world.drag_law=linear", REPLAY_SKY},
        {"world.preset=water", "world.drag_law=quadratic", REPLAY_WATER},
        {"world.preset=water", "world.ground=yes", REPLAY_WATER},
        {"world.preset=water", "world.viscosity_pa_s=0", REPLAY_AIR},
        {"world.preset=air", "world.drag_law=linear", REPLAY_AIR},
        {"world.preset=air", "world.viscosity_pa_s=2", REPLAY_AIR},
        {"world.preset=air", "world.ground=yes", REPLAY_SKY},
        {"world.preset=moon", "world.ground=no", REPLAY_AIR},
    };
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        set("world.drag_law=linear", worlds[i].preset, worlds[i].change);
        OWNED(replay) *replay = replay_now(0);
        ck_assert_msg(replay->medium == worlds[i].medium, "%s, %s: %s", worlds[i].preset,
                      worlds[i].change, replay_medium_names[replay->medium]);
    }
}

/* Obstacles are shifted with the body, and heights stay. */
TEST(stands_on_obstacles)
{
    set("world.ground=no", "world.obstacles=0 2 9 1 0, 3 3 1 1 0.5");
    OWNED(replay) *replay = replay_now(0);
    double bounds[4], height;
    ck_assert(!replay->has_ground);
    ck_assert(replay_has_floor(replay));
    ck_assert_int_eq(replay->obstacles.count, 2);
    struct replay_frame frame = frame_at(replay, 0);
    replay_get_bounds(replay, frame.poses, frame.values, bounds);
    ck_assert_double_eq(frame.centre.x, 0);
    ck_assert_double_eq_tol(bounds[1], 2.5, 2e-3);
    ck_assert_double_eq_tol(replay->obstacles.list[1].x_m - replay->obstacles.list[0].x_m, 3,
                            1e-12);
    ck_assert_double_eq(replay->obstacles.list[1].y_m, 3);
    ck_assert_int_eq(replay_find_surface(replay, 0, frame.centre.y, &height), 1);
    ck_assert_double_eq_tol(height, 2.5, 1e-9);
}

/* Parts that stretch are seen with their present sides: the second one hangs on the end of the
 * first, wherever that is. */
TEST(parts_that_stretch_hang_together)
{
    double longest = 0;
    params.creature_stretch_max = 0.5;
    for (int i = 0; i < 2; i++) {
        creature.genome.bodies[i].stretch.limit = 0.5;
        creature.genome.bodies[i].stretch.input =
            (struct input_gene){.kind = INPUT_NEURON,
                                .scope = i ? SCOPE_OWN : SCOPE_CHILD,
                                .source = 21,
                                .via = i ? 0 : 11,
                                .weight = 1};
    }
    ck_ok(genome_check(&creature.genome, &error));
    OWNED(replay) *replay = replay_now(0);
    for (int i = 0; i < replay->frame_count; i++) {
        struct replay_frame frame = frame_at(replay, i);
        struct shape first = replay_shape_now(replay, 0, frame.values);
        struct shape second = replay_shape_now(replay, 1, frame.values);
        struct vec3 end = replay_pose_place(&frame.poses[0], (struct vec3){first.half_m.x, 0, 0});
        struct vec3 begin =
            replay_pose_place(&frame.poses[1], (struct vec3){-second.half_m.x, 0, 0});
        struct vec3 back = replay_place_now(replay, 0, frame.values, first.half_m, 1);
        ck_assert_xy(end, begin.x, begin.y, 1e-5);
        ck_assert_double_eq_tol(first.half_m.x * first.half_m.y, 0.2 * 0.06, 1e-9);
        ck_assert_double_eq_tol(back.x, 0.2, 1e-9);
        longest = fmax(longest, first.half_m.x);
    }
    ck_assert_double_gt(longest, 0.23);
}

TEST(keeps_memory_bounded)
{
    set("simulation.duration_s=90", "simulation.brain_hz=1000", "simulation.dt_s=0.001",
        "guard.motionless_s=0");
    OWNED(replay) *replay = replay_now(0);
    ck_assert_int_eq(replay->verdict, VERDICT_OK);
    ck_assert_uint_le((size_t)replay->frame_count * replay->row_floats * sizeof(float),
                      REPLAY_BYTES_MAX);
    ck_assert_double_gt(replay->frame_s, 0.0015);
    ck_assert_double_eq_tol(replay_duration(replay), 90, 2 * replay->frame_s);
    /* every row has its time: the last is where the creature ended */
    struct replay_frame frame = frame_at(replay, replay->frame_count - 1);
    ck_assert_double_eq_tol(fabs(frame.centre.x), replay->measures.distance_m, 0.02);
}

/* ---- creatures that end early, or never begin ---- */

TEST(motionless_is_shown_to_its_end)
{
    creature.genome.bodies[1].has_effector = 0;
    params.simulation_duration_s = 30;
    OWNED(replay) *replay = replay_now(0);
    ck_assert_int_eq(replay->verdict, VERDICT_MOTIONLESS);
    ck_assert_int_gt(replay->frame_count, 60);
    ck_assert_double_lt(replay_duration(replay), 10);
}

TEST(unsettled_shows_its_settling)
{
    set("settle.required=yes", "settle.limit_s=0.3");
    OWNED(replay) *replay = replay_now(0);
    ck_assert_int_eq(replay->verdict, VERDICT_UNSETTLED);
    ck_assert_int_ge(replay->frame_count, 10);
}

TEST(overlapping_shows_its_birth)
{
    struct body_gene *body = fixture_body(&creature.genome, 3);
    body->width_m = 0.3;
    body->height_m = 0.1;
    fixture_connection(&creature.genome, 12, 1, 3)->child_face = FACE_LEFT;
    params.creature_overlap = OVERLAP_REJECT;
    OWNED(replay) *replay = replay_now(0);
    ck_assert_int_eq(replay->verdict, VERDICT_OVERLAP);
    ck_assert_int_eq(replay->frame_count, 1);
    ck_assert_int_eq(replay->part_count, 3);
    ck_assert_double_eq(replay_duration(replay), 0);
}

TEST(what_has_no_body_is_refused)
{
    struct replay *replay;
    params.creature_parts_min = 9;
    ck_assert_int_lt(replay_create(&replay, &creature, &params, SEED, 0, NULL, 0, &error), 0);
    ck_assert_ptr_null(replay);
    ck_assert_msg(strstr(error.message, "worm") != NULL, "%s", error.message);
}

TEST(quarantined_is_not_simulated)
{
    struct replay *replay;
    creature.has_evaluation = 1;
    creature.verdict = VERDICT_QUARANTINED;
    ck_assert_int_lt(replay_create(&replay, &creature, &params, SEED, 1, NULL, 0, &error), 0);
    ck_assert_ptr_null(replay);
}

/* ---- comparing ---- */

TEST(same_motion_is_verified)
{
    record();
    expect_status(REPLAY_VERIFIED, "");
    OWNED(replay) *replay = replay_now(1);
    ck_assert_str_eq(replay->score, "fitness 1.25");
}

/* ---- lives that are changed ---- */

static float last_x(const struct replay *replay)
{
    struct replay_frame frame = frame_at(replay, replay->frame_count - 1);
    return frame.poses[0].x_m;
}

/* The creature's life so far, until its end; NULL: it has none. */
static struct replay_live *live;

static void end_life(void)
{
    replay_live_close(live);
    live = NULL;
}

/* Another life in its place. */
static const struct replay *live_as(enum replay_origin origin, size_t arena_bytes)
{
    end_life();
    ck_ok(replay_live_open(&live, &creature, &params, SEED, origin, NULL, 0, arena_bytes, &error));
    return replay_live_replay(live);
}

static void go_back(int tick, int snapshot)
{
    ck_assert_int_eq(replay_live_back(live, tick), snapshot);
}

/* A snapshot lies at tick 60: what was done there is undone with what came later, and what was done
 * before stays. */
TEST(a_life_goes_back_to_the_same_bits)
{
    record();
    const struct replay *replay = live_as(REPLAY_RECORDED, 1 << 20);
    uint64_t whole = replay->digest;
    float end = last_x(replay);
    int frames = replay->frame_count;
    ck_assert_int_eq(replay->status, REPLAY_VERIFIED);

    go_back(60, 60);
    replay_live_pull(live, (struct vec3){30, 0, 0});
    ck_assert_int_eq(replay_live_go(live, 66), 0);
    replay_live_pull(live, (struct vec3){-30, 0, 0});
    replay_live_finish(live);
    uint64_t pushed = replay->digest;
    ck_assert_int_eq(replay->status, REPLAY_CHANGED);
    ck_assert_uint_ne(pushed, whole);
    ck_assert_float_gt(last_x(replay), end + 0.1F);

    go_back(95, 90);
    ck_assert_int_eq(replay_live_go(live, 95), 0);
    ck_assert_int_eq(replay_live_change(live, "world.gravity_m_s2", "2", &error), 0);
    ck_assert_int_eq(replay_live_change(live, "creature.parts_max", "2", &error), ERR_USAGE);
    ck_assert_int_eq(replay_live_change(live, "world.gravity_m_s2", "-2", &error), ERR_RANGE);
    replay_live_finish(live);
    ck_assert_uint_ne(replay->digest, pushed);
    go_back(95, 90);
    replay_live_finish(live);
    ck_assert_uint_eq(replay->digest, pushed);

    go_back(60, 60);
    replay_live_finish(live);
    ck_assert_int_eq(replay->status, REPLAY_VERIFIED);
    ck_assert_uint_eq(replay->digest, whole);
    ck_assert_int_eq(replay->frame_count, frames);
    ck_assert_float_eq(last_x(replay), end);
    replay_check(replay);
    end_life();
}

/* A light of several trials stays where it was put, and its places come back with the snapshot. */
TEST(a_light_stays_where_it_is_put)
{
    params.light_kind = LIGHT_MOVING;
    record();
    const struct replay *replay = live_as(REPLAY_RECORDED, 1 << 20);
    const struct vec3 place = {1.5, 0.75, 0};
    ck_assert_int_eq(replay->status, REPLAY_VERIFIED);
    go_back(60, 60);
    replay_live_hold_light(live, place);
    replay_live_finish(live);
    ck_assert_int_eq(replay->status, REPLAY_CHANGED);
    for (double time_s = 1.1; time_s < 2; time_s += 0.2) {
        struct replay_frame frame = replay_frame_at(replay, time_s);
        ck_assert_double_eq_tol(vec3_length(vec3_sub(frame.light, place)), 0, 1e-5);
    }
    go_back(60, 60);
    replay_live_finish(live);
    ck_assert_int_eq(replay->status, REPLAY_VERIFIED);
    struct replay_frame frame = replay_get_frame(replay, replay->frame_count - 1);
    ck_assert_double_gt(vec3_length(vec3_sub(frame.light, place)), 0.1);
    end_life();
}

/* The same by what the creature is from its start, and by what is done to it on its way. */
TEST(no_guard_ends_a_life_that_is_played_with)
{
    record();
    params.guard_speed_m_s = 1e-3;
    const struct replay *replay = live_as(REPLAY_UNKNOWN, 1 << 20);
    ck_assert_int_eq(replay->verdict, VERDICT_TOO_FAST);
    go_back(0, 0);
    replay_live_pull(live, (struct vec3){1, 0, 0});
    replay_live_finish(live);
    ck_assert_int_eq(replay->verdict, VERDICT_OK);
    replay = live_as(REPLAY_PLAYED, 1 << 20);
    ck_assert(replay->verdict == VERDICT_OK && replay->status == REPLAY_UNRECORDED);
    end_life();
}

TEST(a_life_in_too_little_memory_says_so)
{
    record();
    int status = replay_live_open(&live, &creature, &params, SEED, REPLAY_RECORDED, NULL, 0,
                                  16 << 10, &error);
    ck_assert(status != 0 || replay_live_replay(live)->verdict == VERDICT_MEMORY);
    end_life();
    replay_live_close(NULL);
}

/* Where parents are chosen by hand the fitness is 1 for all, and nothing that one should see. */
TEST_LOOP(without_a_goal_there_is_no_fitness, 0, 2)
{
    const struct replay_cut cut = {CUT_NEURON, 0, 0};
    record();
    params.evolution_behaviour = BEHAVIOUR_INTERACTIVE;
    OWNED(replay) *replay;
    ck_assert_int_eq(replay_create(&replay, &creature, &params, SEED, 1, &cut, _i, &error), 0);
    ck_assert_msg(strstr(replay->score, "went ") == replay->score, "%s", replay->score);
    ck_assert_msg(!strstr(replay->score, "fitness"), "%s", replay->score);
    ck_assert_int_eq(replay->has_goal, 0);
    ck_assert(replay->fitness_most == 0 && replay->fitness_least == 0);
}

/* The least over trials comes first, as in lists; what no trial can have left is only recorded. */
TEST(what_is_recorded_is_told_from_what_is_verified)
{
    record();
    creature.fitness = 1;
    OWNED(replay) *replay = replay_now(1);
    ck_assert_int_eq(replay->status, REPLAY_VERIFIED);
    ck_assert_str_eq(replay->score, "fitness 1 (this start: 1.25)");
    replay_destroy(replay);
    creature.fitness = 1000;
    expect_status(REPLAY_DIFFERS, "fitness: recorded 1000, now 1.25");
    replay = replay_now(1);
    ck_assert_str_eq(replay->score, "fitness 1.25, recorded 1e+03");
}

TEST(what_was_changed_differs)
{
    record();
    creature.digest ^= 1;
    expect_status(REPLAY_DIFFERS, "moves otherwise");
    creature.digest ^= 1;
    creature.verdict = VERDICT_ENERGY;
    expect_status(REPLAY_DIFFERS, "verdict");
    creature.verdict = VERDICT_OK;
    creature.measures.distance_m += 1e-9;
    expect_status(REPLAY_DIFFERS, "distance_m");
    creature.measures.distance_m -= 1e-9;
    creature.genome.bodies[1].width_m += 1e-12;
    expect_status(REPLAY_DIFFERS, "genome");
}

/* It may move creatures otherwise; what moves in the same way to the last bit is verified all the
 * same. */
TEST(another_version_may_differ)
{
    record();
    creature.simulator_version = SIMULATOR_VERSION + 1;
    expect_status(REPLAY_VERIFIED, "");
    creature.digest ^= 1;
    expect_status(REPLAY_OTHER_VERSION, "version");
    creature.digest ^= 1;
    creature.genome.bodies[1].width_m += 1e-12;
    expect_status(REPLAY_OTHER_VERSION, "version");
}

TEST(another_seed_or_world_is_unrecorded)
{
    record();
    params.world_gravity_m_s2 = 3;
    OWNED(replay) *replay = replay_now(0);
    ck_assert_int_eq(replay->status, REPLAY_UNRECORDED);
    ck_assert_msg(strstr(replay->score, "went") == replay->score, "%s", replay->score);
}

/* ---- what the body feels and does, and its fitness so far ---- */

TEST(fitness_grows_to_that_of_the_evaluation)
{
    params.fitness_size_floor_m = 0.001;
    params_set(&params, "evolution.behaviour", "head-up", &error);
    OWNED(replay) *replay = replay_now(0);
    ck_assert_double_gt(replay->fitness, 0);
    struct replay_frame frame = frame_at(replay, replay->frame_count - 1);
    ck_assert_double_eq_tol(frame.fitness, replay->fitness, 1e-6);
    ck_assert_double_ge(replay->fitness_most, frame.fitness);
    /* what the head has been raised on average so far */
    frame = replay_get_frame(replay, 0);
    double sum = 0, start_m = frame.poses[0].y_m;
    for (int i = 1; i <= 60; i++) {
        frame = replay_get_frame(replay, i);
        sum += frame.poses[0].y_m;
    }
    ck_assert_double_eq_tol(frame.fitness, sum / 60 - start_m, 1e-5);
}

TEST(sensors_and_torques_are_recorded)
{
    int touches = 0, pushes = 0;
    creature.genome.bodies[1].sensors =
        SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_CONTACT_BOTTOM);
    OWNED(replay) *replay = replay_now(0);
    ck_assert_uint_eq(replay->parts[1].sensors & SENSOR_BIT(SENSOR_JOINT),
                      SENSOR_BIT(SENSOR_JOINT));
    ck_assert_double_gt(replay->drives[1].strength, 0);
    for (int i = 1; i < replay->frame_count; i++) {
        struct replay_frame frame = frame_at(replay, i);
        const float *felt = frame.sensors + SENSOR_COUNT;
        struct replay_frame before =
            frame_at(replay, i - 1); /* what was read when the tick began */
        ck_assert_double_eq_tol(felt[SENSOR_JOINT], (double)before.values[1], 1e-6);
        touches += felt[SENSOR_CONTACT_BOTTOM] > 0;
        pushes += fabs(frame.torques[0]) > 1e-6;
        ck_assert_double_le(fabs(frame.torques[0]), replay->drives[1].strength * (1 + 1e-6));
    }
    ck_assert_int_gt(touches, 0);
    ck_assert_int_gt(pushes, 60);
}

/* ---- cuts ---- */

static struct replay *replay_cut_now(const struct replay_cut *cuts, int count)
{
    struct replay *replay;
    ck_ok(replay_create(&replay, &creature, &params, SEED, 1, cuts, count, &error));
    return replay;
}

TEST_LOOP(a_cut_neuron_stops_the_body, 0, 2)
{
    const struct replay_cut cuts[] = {{CUT_NEURON, 0, 0}, {CUT_EFFECTOR_INPUT, 0, 0}};
    record();
    OWNED(replay) *whole = replay_now(1);
    OWNED(replay) *cut = replay_cut_now(&cuts[_i], 1);
    ck_assert_int_eq(cut->status, REPLAY_CHANGED);
    ck_assert_str_eq(replay_status_names[cut->status], "changed");
    ck_assert_uint_ne(cut->digest, whole->digest);
    ck_assert_msg(strstr(cut->score, "whole 1.25") != NULL, "%s", cut->score);
    ck_assert(replay_is_cut(cut, &cuts[_i]) && !replay_is_cut(cut, &cuts[1 - _i]));
    /* the brain is shown whole */
    ck_assert_int_eq(cut->effectors[0].input.kind, WIRE_NEURON);
    struct replay_frame frame = frame_at(cut, 60);
    ck_assert_double_eq(frame.signals[0], 0);
}

TEST(a_cut_input_reads_nothing)
{
    const struct replay_cut amplitude = {CUT_NEURON_INPUT, 0, 1};
    record();
    OWNED(replay) *cut = replay_cut_now(&amplitude, 1);
    for (int i = 0; i < cut->frame_count; i++) {
        struct replay_frame frame = frame_at(cut, i);
        ck_assert_double_le(fabs(frame.neurons[0]), 0.2 + 1e-6); /* only its offset is left */
    }
}

TEST(cuts_that_point_nowhere_change_nothing)
{
    const struct replay_cut cuts[] = {{CUT_NONE, 0, 0},           {CUT_NEURON, 1, 0},
                                      {CUT_NEURON, -1, 0},        {CUT_NEURON_INPUT, 0, 3},
                                      {CUT_NEURON_INPUT, 0, -1},  {CUT_EFFECTOR_INPUT, 1, 0},
                                      {CUT_EFFECTOR_INPUT, -1, 0}};
    record();
    OWNED(replay) *replay = replay_cut_now(cuts, 7);
    ck_assert_int_eq(replay->status, REPLAY_VERIFIED);
    ck_assert_int_eq(replay->cut_count, 0);
}

/* ---- text ---- */

TEST(names_are_made_clean)
{
    char clean[16];
    replay_clean_text("a\x1b[31mb\nc\xff", clean, sizeof clean);
    ck_assert_str_eq(clean, "a?[31mb?c?");
    replay_clean_text("\xc3\xa4\xe2\x82\xac", clean, sizeof clean);
    ck_assert_str_eq(clean, "\xc3\xa4\xe2\x82\xac");
    /* cut between characters, never inside one */
    replay_clean_text("abc\xe2\x82\xac", clean, 6);
    ck_assert_str_eq(clean, "abc");
    /* a character that the end of the text cuts */
    replay_clean_text("ab\xe2\x82", clean, sizeof clean);
    ck_assert_str_eq(clean, "ab??");
    replay_clean_text("", clean, sizeof clean);
    ck_assert_str_eq(clean, "");
}

/* With any creature followed, a contest's middle is at x = 0, and so is the platform under it. */
TEST(a_contest_has_its_middle_at_zero)
{
    SCOPED(replay_bout) bout = {.seed = SEED, .number = 1};
    for (int i = 0; i < 2; i++) {
        creature_init(&bout.creatures[i]);
        ck_assert_int_eq(genome_copy(&bout.creatures[i].genome, &creature.genome), 0);
    }
    bout.creatures[1].genome.bodies[1].width_m = 0.6;
    contest_apply(&params);
    params.contest_goal = CONTEST_SUMO;
    params.simulation_duration_s = 0.2;
    strcpy(params.world_obstacles, "0 -0.25 9 0.5 0");
    double widths[3];
    for (int follow = -1; follow < 2; follow++) {
        OWNED(replay) *replay;
        params.world_ground = follow < 0;
        bout.params = params;
        bout.follow = follow;
        ck_ok(replay_create_bout(&replay, &bout, &error));
        /* what is shown is held against the digest of the record, if there is one */
        ck_assert_int_eq(replay->status, follow < 0   ? REPLAY_UNRECORDED
                                         : follow > 0 ? REPLAY_VERIFIED
                                                      : REPLAY_DIFFERS);
        bout.is_recorded = 1;
        bout.digest = replay->digest;
        ck_assert_int_gt(replay->frame_count, 5);
        ck_assert_double_eq(replay->obstacles.list[0].x_m, 0);
        /* without a follower on the ground, else on a platform, which has no ring */
        ck_assert_double_eq(replay->ring_m, follow < 0 ? params.contest_ring_m : 0);
        ck_assert_int_eq(replay->has_depth, 0);
        /* each has its joints, and a voice */
        ck_assert_int_gt(replay->drive_count, 0);
        ck_assert_int_eq(replay->drive_count % 2, 0);
        for (int i = 0; i < replay->part_count; i++)
            ck_assert_int_eq(
                replay->parts[i].parent < 0 ? i : replay->drives[replay->parts[i].joint].part, i);
        ck_assert_int_eq(replay->voice_count, 2);
        ck_assert_double_gt(replay->voice_hz[0], replay->voice_hz[1]); /* the other is heavier */
        widths[follow + 1] = replay->width_m;
    }
    /* one alone is framed where one is followed */
    ck_assert_double_gt(widths[0], widths[1]);
    ck_assert_double_gt(widths[0], widths[2]);
    ck_assert_double_gt(widths[2], widths[1]);
}

SUITE("replay", 120, setup, NULL)
