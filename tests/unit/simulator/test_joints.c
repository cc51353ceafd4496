/* The joints of creatures as evaluations show them, on both solvers: linear joints and their units,
 * limits beyond whole turns, parts joined rigidly. All float where nothing acts on them but their
 * muscles. */
#include "tests/unit/body_fixture.h"
#include "tests/unit/genome_fixture.h"
#include "tests/unit/grown_fixture.h"
#include "simulator/evaluate/evaluate.h"

enum { TICKS_MAX = 400 };

static struct evaluation result;

/* What was seen at the last tick; the joint is that of the last link. */
static struct {
    double joint, felt, effort, out_m;
    double angles[TICKS_MAX];
    int ticks, links, parts;
} seen;

/* The loop number chooses the solver. */
static void prepare(int solver)
{
    grown_set_up(BODY_RECTANGLES);
    set("world.gravity_m_s2=0", "world.ground=no", "guard.motionless_s=0",
        "simulation.duration_s=2");
    set(solver == SOLVER_ARTICULATED ? "simulation.solver=articulated"
                                     : "simulation.solver=constraint");
}

static struct body_gene *add_body(double width_m, double height_m, int joint, double lower,
                                  double upper)
{
    struct body_gene *body = grown_rectangle(width_m, height_m, joint, lower, upper);
    body->sensors = SENSOR_BIT(SENSOR_JOINT);
    return body;
}

/* Asks the joint of a body for a constant. */
static void ask(struct body_gene *body, double signal)
{
    body->has_effector = 1;
    body->effector_strength = 1;
    body->effector_input = fixture_constant(signal, 1);
}

static int look(void *context, const struct evaluate_view *view)
{
    const struct phenotype *p = view->phenotype;
    int link = p->body->link_count - 1, part = p->body->links[link].part;
    struct part_state root, child;
    if (view->phase != PHASE_SCORE)
        return 0;
    dynamics_part_state(view->dynamics, 0, &root);
    dynamics_part_state(view->dynamics, part, &child);
    seen.joint = view->dynamics->q[2 + link];
    seen.effort = read_effort(view->dynamics, link);
    seen.felt = view->sensors[part * SENSOR_COUNT + SENSOR_JOINT];
    seen.out_m = cos(root.angle_rad) * (child.at_m.x - root.at_m.x) +
                 sin(root.angle_rad) * (child.at_m.y - root.at_m.y);
    seen.links = p->body->link_count;
    seen.parts = p->part_count;
    if (seen.ticks < TICKS_MAX)
        seen.angles[seen.ticks++] = seen.joint;
    return 0;
}

static int run(void)
{
    ck_ok(genome_check(&genome, &error));
    seen.ticks = 0;
    evaluate(&genome, &params, 7, &arena, look, NULL, &result);
    return result.verdict;
}

static void check_near(const char *what, double value, double expected, double tolerance)
{
    ck_assert_msg(fabs(value - expected) <= tolerance, "%s: %.9g instead of %.9g", what, value,
                  expected);
}

/* ---------------------------------------------------------------- linear joints */

/* Requests and sensors are in the gene's metres, half as far at half the scale; what is asked for
 * beyond the limits is not aimed at; a mirrored part slides out as any other. */
TEST_LOOP(extensions_are_clamped_and_scaled, 0, 2)
{
    static const struct {
        double signal, felt;
    } cases[] = {{0.2, 0.2}, {-0.07, -0.07}, {5, 0.3}, {-5, -0.1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int is_reflected = 0; is_reflected < 2; is_reflected++) {
            prepare(_i);
            add_body(0.4, 0.2, JOINT_RIGID, 0, 0);
            ask(add_body(0.3, 0.1, JOINT_LINEAR, -0.1, 0.3), cases[i].signal);
            struct connection_gene *connection = grown_hang(1, 2, FACE_RIGHT, FACE_LEFT);
            connection->scale = 0.5;
            connection->is_reflected = (uint8_t)is_reflected;
            ck_assert_int_eq(run(), VERDICT_OK);
            check_near("extension", seen.joint, cases[i].felt / 2, 1e-6);
            check_near("felt", seen.felt, cases[i].felt, 1e-4);
            check_near("place", seen.out_m, 0.2 + 0.075 + cases[i].felt / 2, 1e-6);
            ck_assert_double_gt(result.measures.joint_speed_max_m_s, 0.01);
            ck_assert_double_eq(result.measures.joint_speed_max_rad_s, 0);
            grown_tear_down();
        }
}

/* In torque mode the signal is a share of the force, whatever the scale; the limits hold against
 * it. */
TEST_LOOP(forces_press_against_the_limits, 0, 2)
{
    for (int side = -1; side <= 1; side += 2) {
        prepare(_i);
        set("creature.effector_mode=torque", "rectangles.linear_strength_n_m=2");
        add_body(0.4, 0.2, JOINT_RIGID, 0, 0);
        ask(add_body(0.3, 0.1, JOINT_LINEAR, -0.1, 0.3), side * 0.75);
        grown_hang(1, 2, FACE_RIGHT, FACE_LEFT)->scale = 0.5;
        ck_assert_int_eq(run(), VERDICT_OK);
        check_near("extension", seen.joint, side > 0 ? 0.15 : -0.05, 1e-4);
        /* in a step by impulses the joint moves a little before the limit throws it back */
        check_near("force", seen.effort, side * 0.75 * 2 * 0.2,
                   _i == SOLVER_CONSTRAINT ? 1e-4 : 0.03);
        ck_assert_double_gt(result.measures.loss_limit_j, 1e-3);
        ck_assert_double_lt(result.measures.residual_share, 1e-3);
        grown_tear_down();
    }
}

/* Six reversals a second of a joint that slides. */
TEST_LOOP(sliding_to_and_fro_is_counted, 0, 2)
{
    prepare(_i);
    add_body(0.4, 0.2, JOINT_RIGID, 0, 0);
    struct body_gene *limb = add_body(0.3, 0.1, JOINT_LINEAR, -0.2, 0.2);
    ask(limb, 0);
    grown_hang(1, 2, FACE_RIGHT, FACE_LEFT);
    struct neuron_gene *wave = genome_add(&genome, GENOME_NEURONS);
    wave->id = 1001;
    wave->owner = 2;
    wave->function = NEURON_OSCILLATE_WAVE;
    wave->inputs[0] = fixture_constant(3, 1);
    wave->inputs[1] = fixture_constant(0.1, 1);
    limb->effector_input = fixture_neuron(SCOPE_OWN, 1001, 0, 1);
    set("guard.reversals_hz=7");
    ck_assert_int_eq(run(), VERDICT_OK);
    /* 2 pi f a, less what filter and servo take */
    check_near("rate", result.measures.joint_speed_max_m_s, 1.7, 0.18);
    set("guard.reversals_hz=5");
    ck_assert_int_eq(run(), VERDICT_VIBRATION);
    grown_tear_down();
}

/* ---------------------------------------------------------------- turning far */

/* Limits beyond half a turn and beyond whole ones: angles are never wrapped. */
TEST_LOOP(limits_beyond_whole_turns, 0, 2)
{
    static const struct {
        double lower, upper, signal, reached;
    } cases[] = {{-0.5, 3.5, 3.4, 3.4}, {-0.5, 3.5, 9, 3.5},      {-0.5, 11, 10, 10},
                 {-0.5, 11, 20, 11},    {-12, 0.5, -11.8, -11.8}, {-12, 0.5, -99, -12},
                 {-7, 7, 6.4, 6.4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int is_reflected = 0; is_reflected < 2; is_reflected++) {
            double sign = is_reflected ? -1 : 1;
            prepare(_i);
            set("guard.turn_rad=0", "guard.joint_speed_rad_s=0");
            add_body(0.4, 0.2, JOINT_RIGID, 0, 0);
            ask(add_body(0.3, 0.1, JOINT_ROTARY, cases[i].lower, cases[i].upper), cases[i].signal);
            grown_hang(1, 2, FACE_RIGHT, FACE_LEFT)->is_reflected = (uint8_t)is_reflected;
            ck_assert_int_eq(run(), VERDICT_OK);
            check_near("angle", seen.joint, sign * cases[i].reached, 1e-4);
            check_near("felt", seen.felt, cases[i].reached, 1e-2);
            grown_tear_down();
        }
}

/* ---------------------------------------------------------------- rigid joints */

/* A limb of one piece, of two, or of three moves alike. */
TEST_LOOP(rigid_parts_move_as_one, 0, 2)
{
    double whole[TICKS_MAX];
    for (int pieces = 1; pieces <= 3; pieces++) {
        prepare(_i);
        add_body(0.4, 0.2, JOINT_RIGID, 0, 0);
        struct body_gene *limb = add_body(0.6 / pieces, 0.1, JOINT_ROTARY, -2, 2);
        ask(limb, 1.5);
        grown_hang(1, 2, FACE_RIGHT, FACE_LEFT);
        for (int k = 1; k < pieces; k++) {
            add_body(0.6 / pieces, 0.1, JOINT_RIGID, -1, 1);
            grown_hang((gene_id)k + 1, (gene_id)k + 2, FACE_RIGHT, FACE_LEFT);
        }
        ck_assert_int_eq(run(), VERDICT_OK);
        ck_assert_int_eq(seen.links, 2);
        ck_assert_int_eq(seen.parts, 1 + pieces);
        ck_assert_int_eq(seen.ticks, 121);
        for (int k = 0; k < seen.ticks; k++) {
            if (pieces == 1)
                whole[k] = seen.angles[k];
            check_near("angle", seen.angles[k], whole[k], 1e-9);
        }
        check_near("end", seen.joint, 1.5, 1e-3);
        grown_tear_down();
    }
}

SUITE("joints", 120, NULL, NULL)
