/* Many contacts at once: more than there is room for at first, in every solver. Comments say what
 * was measured. */
#include <stdarg.h>

#include "simulator/body/dynamics.h"
#include "tests/scene_fixture.h"

enum { BODIES_MAX = 31 };

static char text[1 << 16];

/* ---------------------------------------------------------------- scenes */

__attribute__((format(printf, 1, 2))) static void write(const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(text);
    va_start(arguments, format);
    int added = vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    ck_assert_uint_lt(used + (size_t)added, sizeof text);
}

static void begin(int dimensions, const char *solver)
{
    text[0] = '\0';
    write("{'scene': 1, 'dimensions': %d, 'world': {'ground': true, 'friction': 0.6}, "
          "'simulation': {'solver': '%s'}, 'bodies': [",
          dimensions, solver);
}

/* Boxes one on another, each `gap` above the next and a little aside. */
static void write_stack(int dimensions, int count, double width, double gap, double aside)
{
    for (int i = 0; i < count; i++) {
        double x = i % 2 ? aside : -aside, y = 0.1 + (0.2 + gap) * i;
        write("%s{'name': 'b%d', ", i > 0 ? ", " : "", i);
        if (dimensions == 3)
            write("'boxes': [{'size_m': [%.17g, 0.2, 0.2], 'mass_kg': 1}], 'position_m': [%.17g, "
                  "%.17g, 0]}",
                  width, x, y);
        else
            write("'rectangles': [{'width_m': %.17g, 'height_m': 0.2, 'mass_kg': 1}], "
                  "'position_m': [%.17g, %.17g]}",
                  width, x, y);
    }
    write("]}");
}

/* Bodies of two boxes each beside one another on the ground: 62 boxes. */
static void write_field(int dimensions)
{
    for (int i = 0; i < BODIES_MAX; i++) {
        write("%s{'name': 'b%d', '%s': [", i > 0 ? ", " : "", i,
              dimensions == 3 ? "boxes" : "rectangles");
        for (int k = 0; k < 2; k++)
            write(dimensions == 3
                      ? "%s{'size_m': [0.2, 0.2, 0.2], 'mass_kg': 1, 'at_m': [%g, 0, 0]}"
                      : "%s{'width_m': 0.2, 'height_m': 0.2, 'mass_kg': 1, 'at_m': [%g, 0]}",
                  k > 0 ? ", " : "", k > 0 ? 0.3 : 0.0);
        write("], 'position_m': [%d, 0.1%s]}", i, dimensions == 3 ? ", 0" : "");
    }
    write("]}");
}

/* One body of so many rectangles in a row. */
static void write_row(int count)
{
    write("{'name': 'a', 'rectangles': [");
    for (int i = 0; i < count; i++)
        write("%s{'width_m': 0.2, 'height_m': 0.2, 'mass_kg': 1, 'at_m': [%g, 0]}",
              i > 0 ? ", " : "", 0.3 * i);
    write("], 'position_m': [0, 0.1]}]}");
}

/* ---------------------------------------------------------------- motions */

static void start(void)
{
    ck_ok(read_quoted(text));
    start_scene();
}

/* How far contacts came off their law in all those steps, m. */
static double move(int count)
{
    double missed = 0;
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(dynamics_step(run), 0);
        missed += run->touches.law_miss_m;
    }
    return missed;
}

/* The greatest distance in height of bodies from where they were put. */
static double sunk(double pitch)
{
    double most = 0;
    for (int i = 0; i < scene.body_count; i++) {
        struct part_state state;
        dynamics_link_state(run, scene_is_in_space(&scene) ? i : scene.bodies[i].link, &state);
        most = fmax(most, fabs(state.at_m.y - 0.1 - pitch * i));
    }
    return most;
}

/* ---------------------------------------------------------------- the plane */

/* 10 s leave it where it is, too. The upper ones lay 10 mm deep after 0.1 s. */
TEST(twenty_squares_stand)
{
    begin(2, "articulated");
    write_stack(2, 20, 0.2, 0, 0);
    start();
    ck_assert_double_lt(move(240), 1e-5);
    ck_assert_double_lt(sunk(0.2), 1e-5);
}

TEST(six_dropped_boxes_come_to_rest)
{
    begin(2, "articulated");
    write_stack(2, 6, 0.4, 1e-3, 0.01);
    start();
    ck_assert_double_lt(move(480), 1e-4);
    ck_assert_double_lt(sunk(0.2), 6e-3);
    ck_assert_double_lt(dynamics_ledger(run)->kinetic_j, 1e-8);
}

TEST(all_that_lie_in_the_plane_are_carried)
{
    const struct contact_point *points;
    begin(2, "articulated");
    write_field(2);
    start();
    ck_assert_double_lt(move(60), 1e-5);
    ck_assert_double_lt(sunk(0), 1e-5);
    ck_assert_int_eq(dynamics_contacts(run, &points), 4 * BODIES_MAX);
}

/* The reference takes room as it needs it. */
TEST(forty_in_a_row_lie_by_the_reference)
{
    const struct contact_point *points;
    begin(2, "constraint");
    write_row(40);
    start();
    ck_assert_int_eq(dynamics_step(run), 0);
    ck_assert_int_ge(dynamics_contacts(run, &points), 2 * 40);
}

/* ---------------------------------------------------------------- space */

static const char *const solvers[] = {"articulated", "constraint"};
static const int few_steps[] = {120, 4};

/* By the reference a step takes 40 ms; 5 s by the other one leave it where it is, too. It
 * collapsed. */
TEST_LOOP(a_tower_of_twenty_stands, 0, 2)
{
    begin(3, solvers[_i]);
    write_stack(3, 20, 0.2, 0, 0.002);
    start();
    move(few_steps[_i]);
    ck_assert_double_lt(sunk(0.2), 5e-5);
}

TEST_LOOP(all_that_lie_are_carried, 0, 2)
{
    const struct contact_point *points;
    begin(3, solvers[_i]);
    write_field(3);
    start();
    move(few_steps[_i]);
    ck_assert_double_lt(sunk(0), 5e-5);
    ck_assert_int_eq(dynamics_contacts(run, &points), 8 * BODIES_MAX);
}

/* Just what creation takes: there is no room for more contacts. */
TEST_LOOP(no_memory_for_contacts_is_an_error, 0, 2)
{
    begin(3, solvers[_i]);
    write_field(3);
    start();
    size_t bytes = arena.used_bytes;
    arena_open(bytes);
    start();
    ck_assert_int_eq(dynamics_step(run), 1);
    ck_refused_as(scene_fail_step(&scene, run, DYNAMICS_BROKEN, &arena, 1.5, &error), ERR_MEMORY,
                  "contacts do not fit into memory at 1.5 s");
    arena_reset(&arena);
    ck_assert_int_eq(scene_fail_step(&scene, run, DYNAMICS_BROKEN, &arena, 1.5, &error), ERR_RANGE);
}

TEST(no_solution_is_an_error)
{
    const struct dynamics_solver solver = {.step = NULL};
    const struct dynamics still = {.solver = &solver, .touches = {.count = 7, .law_miss_m = 0.001}};
    scene.settings.dt_s = 0.004;
    ck_refused_as(scene_fail_step(&scene, &still, DYNAMICS_UNSOLVED, &arena, 1.5, &error),
                  ERR_RANGE, "contacts have no solution: off by 0.25 m/s at 7 contacts, at 1.5 s");
    scene_fail_step(&scene, &still, DYNAMICS_BROKEN, &arena, 1.5, &error);
    ck_assert_str_eq(error.message, "the motion is not finite at 1.5 s");
}

SUITE("crowds", 60, scene_set_up, NULL)
