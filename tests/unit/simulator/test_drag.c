/* Viscosity in all its variants: tensors against sums over many points with rays cast by brute
 * force, motions against closed forms on both solvers, and what must hold for any law. Comments say
 * what was measured. */
#include "simulator/planar/steps/drag.h"

#include "tests/unit/stage_fixture.h"

enum { DOF = BODY_DOF_MAX };

static struct rng rng;

static void setup(void)
{
    stage_open(&stage);
    rng_init(&rng, 31, RNG_TEST, 0, 1);
}

/* The world of one of the eight variants, coefficient 1. */
enum { VARIANTS = 8 };
static struct world variant_world(int variant)
{
    return (struct world){.viscosity_pa_s = 1,
                          .quadratic_drag_kg_m2 = 1,
                          .drag_law = variant & 1 ? DRAG_LAW_QUADRATIC : DRAG_LAW_LINEAR,
                          .drag_faces = variant & 2 ? DRAG_FACES_LEADING : DRAG_FACES_ALL,
                          .drag_exposure = variant >> 2};
}

/* ---------------------------------------------------------------- tensors by brute force */

static struct box boxes[BODY_PARTS_MAX];
static struct motion link_motion[BODY_PARTS_MAX]; /* about the root's origin */

/* A random body in a random pose, some of its parts disks. */
static void draw_body(struct tree *tree, int most)
{
    double q[DOF] = {0}, qd[DOF];
    body_init_random(&stage.body, most, &rng);
    struct phenotype *p = &stage.body.phenotype;
    for (int i = 0; i < p->part_count; i++)
        if (rng_chance(&rng, 0.2)) {
            p->parts[i].shape = PART_DISK;
            p->parts[i].height_m = p->parts[i].width_m;
        }
    for (int i = 0; i < 2 + p->body->link_count; i++) {
        q[i] = rng_uniform(&rng, -3, 3);
        qd[i] = rng_uniform(&rng, -2, 2);
    }
    arena_reset(&stage.arena);
    ck_assert_int_eq(tree_create(tree, p, 0, &stage.arena), 0);
    tree_set_pose(tree, q);
    tree_set_velocity(tree, qd);
    for (int i = 0; i < p->part_count; i++) {
        const struct part *part = &p->parts[i];
        const struct tree_link *l = &tree->links[part->link];
        double angle = l->angle + part->local_angle_rad;
        boxes[i] = (struct box){.x = l->px + (l->cos * part->local.x - l->sin * part->local.y),
                                .y = l->py + (l->sin * part->local.x + l->cos * part->local.y),
                                .half_width = part->width_m / 2,
                                .half_height = part->height_m / 2,
                                .cos = cos(angle),
                                .sin = sin(angle),
                                .shape = part->shape};
    }
    for (int i = 0; i < p->body->link_count; i++) {
        /* as a field: about the root's origin */
        const struct tree_link *l = &tree->links[i];
        struct motion v = l->velocity;
        link_motion[i] = (struct motion){v.w, v.x + v.w * l->py, v.y - v.w * l->px};
    }
}

/* 1 if the ray from (x, y) along (nx, ny) meets the box. */
static int meets(const struct box *box, double x, double y, double nx, double ny)
{
    double dx = x - box->x, dy = y - box->y;
    if (box->shape == PART_DISK) {
        double along = -(dx * nx + dy * ny), across = dx * ny - dy * nx;
        double square = box->half_width * box->half_width - across * across;
        return square > 0 && along + sqrt(square) > 0;
    }
    double from[2] = {box->cos * dx + box->sin * dy, box->cos * dy - box->sin * dx};
    double ray[2] = {box->cos * nx + box->sin * ny, box->cos * ny - box->sin * nx};
    double half[2] = {box->half_width, box->half_height}, enter = 0, leave = HUGE_VAL;
    for (int k = 0; k < 2; k++) {
        double a = (-half[k] - from[k]) / ray[k], b = (half[k] - from[k]) / ray[k];
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter < leave;
}

static int is_exposed(int part, double x, double y, double nx, double ny)
{
    for (int i = 0; i < stage.body.phenotype.part_count; i++)
        if (i != part && meets(&boxes[i], x, y, nx, ny))
            return 0;
    return 1;
}

/* Adds the force on a point of a part's surface of the length ds. */
static void add_point(const struct world *world, int part, double x, double y, double nx, double ny,
                      double ds, struct force *f)
{
    int link = stage.body.parts[part].link;
    struct motion v = link_motion[link];
    double speed = (v.x - v.w * y) * nx + (v.y + v.w * x) * ny, push = -speed * ds;
    if (world->drag_law == DRAG_LAW_QUADRATIC)
        push *= fabs(speed);
    if (world->drag_faces == DRAG_FACES_LEADING && speed < 0)
        return;
    f[link].n += push * (x * ny - y * nx);
    f[link].x += push * nx;
    f[link].y += push * ny;
}

enum { POINTS = 1500 };
static void add_surface(const struct world *world, int part, struct force *f)
{
    static const double face_x[4] = {1, 0, -1, 0}, face_y[4] = {0, 1, 0, -1};
    const struct box *b = &boxes[part];
    if (b->shape == PART_DISK) {
        for (int k = 0; k < 4 * POINTS; k++) {
            double angle = 2 * BODY_PI * (k + 0.5) / (4 * POINTS), r = b->half_width;
            double nx = cos(angle), ny = sin(angle);
            add_point(world, part, b->x + r * nx, b->y + r * ny, nx, ny,
                      2 * BODY_PI * r / (4 * POINTS), f);
        }
        return;
    }
    for (int face = 0; face < 4; face++) {
        double nx = b->cos * face_x[face] - b->sin * face_y[face];
        double ny = b->sin * face_x[face] + b->cos * face_y[face];
        double depth = face % 2 == 0 ? b->half_width : b->half_height;
        double half = face % 2 == 0 ? b->half_height : b->half_width;
        for (int k = 0; k < POINTS; k++) {
            double s = half * (2 * (k + 0.5) / POINTS - 1);
            double x = b->x + depth * nx - s * ny, y = b->y + depth * ny + s * nx;
            if (!world->drag_exposure || is_exposed(part, x, y, nx, ny))
                add_point(world, part, x, y, nx, ny, 2 * half / POINTS, f);
        }
    }
}

/* Velocities of the links as drag wants them. */
static void give_velocities(struct drag *drag, const struct tree *tree)
{
    for (int i = 0; i < tree->count; i++) {
        const struct tree_link *l = &tree->links[i];
        struct motion v = l->velocity;
        drag->velocity[i] =
            (struct motion){v.w, l->cos * v.x + l->sin * v.y, l->cos * v.y - l->sin * v.x};
    }
}

/* The drag of a body that is drawn. */
static void draw_drag(struct drag *drag, struct tree *tree, const struct world *world)
{
    draw_body(tree, 12);
    ck_assert_int_eq(drag_create(drag, &stage.body.phenotype, world, &stage.arena), 0);
    if (world->drag_exposure)
        drag_expose(drag, boxes);
    give_velocities(drag, tree);
    drag_update(drag);
}

/* Force on a link about the root's origin, from its tensor. */
static struct force link_force(const struct drag *drag, const struct tree *tree, int i)
{
    const struct tree_link *l = &tree->links[i];
    const struct tensor *t = &drag->tensors[i];
    struct motion v = drag->velocity[i];
    double x = -(t->nx * v.w + t->xx * v.x + t->xy * v.y);
    double y = -(t->ny * v.w + t->xy * v.x + t->yy * v.y);
    struct force f = {-(t->nn * v.w + t->nx * v.x + t->ny * v.y), l->cos * x - l->sin * y,
                      l->sin * x + l->cos * y};
    f.n += l->px * f.y - l->py * f.x;
    return f;
}

/* Measured: 4e-4 of the largest force at most, the error of the sums. */
TEST(tensors_are_the_integrals)
{
    double worst = 0;
    for (int k = 0; k < 15 * VARIANTS; k++) {
        struct world world = variant_world(k % VARIANTS);
        struct force sums[BODY_PARTS_MAX] = {{0}};
        struct drag drag;
        struct tree tree;
        draw_drag(&drag, &tree, &world);
        for (int i = 0; i < stage.body.phenotype.part_count; i++)
            add_surface(&world, i, sums);
        double size = 1e-3;
        for (int i = 0; i < tree.count; i++)
            size = fmax(size, fmax(fabs(sums[i].n), fmax(fabs(sums[i].x), fabs(sums[i].y))));
        for (int i = 0; i < tree.count; i++) {
            struct force f = link_force(&drag, &tree, i);
            double error =
                fmax(fabs(f.n - sums[i].n), fmax(fabs(f.x - sums[i].x), fabs(f.y - sums[i].y))) /
                size;
            worst = fmax(worst, error);
        }
    }
    ck_assert_double_lt(worst, 2e-3);
}

/* Whatever moves, in whatever direction, loses. */
TEST(tensors_never_do_work)
{
    for (int k = 0; k < 100 * VARIANTS; k++) {
        struct world world = variant_world(k % VARIANTS);
        struct drag drag;
        struct tree tree;
        draw_drag(&drag, &tree, &world);
        for (int i = 0; i < tree.count; i++)
            for (int trial = 0; trial < 4; trial++) {
                const struct tensor *t = &drag.tensors[i];
                double w = rng_uniform(&rng, -1, 1), x = rng_uniform(&rng, -1, 1);
                double y = rng_uniform(&rng, -1, 1);
                double power = t->nn * w * w + t->xx * x * x + t->yy * y * y +
                               2 * (t->nx * w * x + t->ny * w * y + t->xy * x * y);
                ck_assert_double_ge(power, -1e-12 * (t->nn + t->xx + t->yy));
            }
        ck_assert_double_ge(drag_rate(&drag), 0);
    }
}

/* ---------------------------------------------------------------- exposure */

/* Edges of two parts of 1 m x 1 m that remain, summed: of the root, of the other. The second is
 * centred at (x, y), turned by the angle, joined by a hinge or rigidly. */
static void measure_exposed(double x, double y, double angle, int is_rigid, double length[2])
{
    const struct body_part parts[] = {
        {ROOT(1, 1, 1)}, {PART(0, x, y, 1, 1, 1), .is_rigid = is_rigid, .angle_rad = angle}};
    struct world world = variant_world(4);
    struct drag drag;
    body_init(&stage.body, parts, 2);
    arena_reset(&stage.arena);
    ck_assert_int_eq(drag_create(&drag, &stage.body.phenotype, &world, &stage.arena), 0);
    for (int i = 0; i < 2; i++)
        boxes[i] = (struct box){.x = parts[i].x_m,
                                .y = parts[i].y_m,
                                .half_width = 0.5,
                                .half_height = 0.5,
                                .cos = cos(parts[i].angle_rad),
                                .sin = sin(parts[i].angle_rad)};
    drag_expose(&drag, boxes);
    for (int i = 0; i < 2; i++) {
        length[i] = 0;
        for (int edge = 4 * i; edge < 4 * i + 4; edge++) {
            const struct drag_piece *pieces = drag.is_shaded[edge] ? drag.pieces : drag.rest_pieces;
            int count = drag.is_shaded[edge] ? drag.counts[edge] : drag.rest_counts[edge];
            for (int k = 0; k < count; k++)
                length[i] += pieces[edge * 2 + k].to - pieces[edge * 2 + k].from;
        }
    }
}

TEST(what_is_covered_or_faced_is_not_exposed)
{
    const double root = sqrt(2);
    const struct {
        double x, y, angle, first, second;
    } cases[] = {
        {10, 0, 0, 3, 3},          /* they face each other */
        {1, 0, 0, 3, 3},           /* flush */
        {0, -1 - 1e-12, 0, 3, 3},  /* flush but for rounding, below */
        {10, 0.25, 0, 3.25, 3.25}, /* faces beside one another by a quarter */
        {10, 10, 0, 4, 4},         /* nothing in front of anything */
        {0.5, 0.5, 0, 3, 3},       /* a quarter of each covered */
        {3, 0, BODY_PI, 3, 3},     /* turned about */
        {2, 0, BODY_PI / 4, 3, 4}, /* hidden, but its own faces look past the first */
        {0, 0, BODY_PI / 4, 4 - 4 * (root - 1), 4 - 4 * (root - 1)}, /* a star of eight points */
    };
    for (int is_rigid = 0; is_rigid < 2; is_rigid++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            double length[2];
            measure_exposed(cases[i].x, cases[i].y, cases[i].angle, is_rigid, length);
            ck_assert_msg(fabs(length[0] - cases[i].first) < 1e-9 &&
                              fabs(length[1] - cases[i].second) < 1e-9,
                          "case %zu: %g and %g m are exposed", i, length[0], length[1]);
        }
}

/* A box with a paddle inside, which strokes fast one way and slowly back; returns how far the box
 * is moved in 20 s. Nothing of the paddle is exposed: the little that is left is the recoil of its
 * mass. */
static double move_box(int solver, int has_exposure)
{
    const struct body_part parts[] = {
        {ROOT(2, 0.6, 0.2)},
        {PART(0, 0.2, 0, 0.4, 0.05, 0.16), .lower_rad = -1, .upper_rad = 1, .torque_max_n_m = 2}};
    stage.settings.solver = solver;
    stage.settings.rtol = 1e-6;
    stage.settings.constraint_tau_s = 0.01;
    stage.world = (struct world){.viscosity_pa_s = 1, .drag_exposure = has_exposure};
    body_init(&stage.body, parts, 2);
    stage_build(&stage);
    int ticks = 20 * 60, period = 30, stroke = 6;
    for (int i = 0; i < ticks; i++) {
        int at = i % period;
        double from =
            at < stroke ? -0.7 + 1.4 * at / stroke : 0.7 - 1.4 * (at - stroke) / (period - stroke);
        double rate = at < stroke ? 1.4 * 60 / stroke : -1.4 * 60 / (period - stroke);
        dynamics_set_target(stage.dynamics, 1, from, rate);
        stage_run(&stage, 1.0 / 60);
    }
    struct vec3 centre = dynamics_centre_of_mass(stage.dynamics);
    return sqrt(centre.x * centre.x + centre.y * centre.y);
}

TEST_LOOP(a_paddle_inside_a_box_moves_nothing, SOLVER_ARTICULATED, SOLVER_CONSTRAINT + 1)
{
    double without = move_box(_i, 0), with = move_box(_i, 1);
    ck_assert_double_gt(without, 0.4);
    ck_assert_double_lt(with, without / 4);
}

/* ---------------------------------------------------------------- closed forms */

static const struct {
    const char *name;
    int solver, integrator;
    double tolerance;
} methods[] = {
    {"RK4", SOLVER_ARTICULATED, INTEGRATOR_RK4, 1e-6},
    {"midpoint", SOLVER_ARTICULATED, INTEGRATOR_MIDPOINT, 2e-4},
    {"constraint", SOLVER_CONSTRAINT, INTEGRATOR_AUTO, 1e-8},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void use_method(int method)
{
    stage.settings.solver = methods[method].solver;
    stage.settings.integrator = methods[method].integrator;
    stage.settings.rtol = 1e-11;
    stage.settings.constraint_tau_s = 0.01;
}

static void check_method(int method, const char *what, double value, double expected)
{
    ck_assert_msg(fabs(value - expected) < methods[method].tolerance, "%s, %s: %.12g, not %.12g",
                  methods[method].name, what, value, expected);
}

/* All that was lost is booked as drag. */
static void check_ledger(int method)
{
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    double lost = l->energy_start_j - l->kinetic_j - l->potential_j;
    check_method(method, "loss", l->loss_drag_j, lost);
}

/* Falling: v = v_t tanh(g t / v_t), m g = 2 k W v_t^2; one face of the two where they lead. */
TEST(quadratic_drag_has_a_terminal_speed)
{
    const double width = 0.3, mass = 2, k = 1.2;
    for (int m = 0; m < METHODS; m++)
        for (int leading = 0; leading < 2; leading++) {
            use_method(m);
            stage.world =
                (struct world){.gravity_m_s2 = BODY_GRAVITY,
                               .quadratic_drag_kg_m2 = k,
                               .drag_law = DRAG_LAW_QUADRATIC,
                               .drag_faces = leading ? DRAG_FACES_LEADING : DRAG_FACES_ALL};
            body_init_box(&stage.body, width, 0.1, mass);
            stage_build(&stage);
            double top = sqrt(mass * BODY_GRAVITY / ((leading ? 1 : 2) * k * width));
            stage_run(&stage, 0.5);
            check_method(m, "speed", -stage_part(&stage, 0).velocity_m_s.y,
                         top * tanh(BODY_GRAVITY * 0.5 / top));
            stage_run(&stage, 15);
            check_method(m, "terminal speed", -stage_part(&stage, 0).velocity_m_s.y, top);
        }
}

/* A disk: 8/3 k r v^2, whichever way it turns. */
TEST_LOOP(quadratic_drag_of_a_disk, 0, METHODS)
{
    const double radius = 0.2, mass = 0.5, k = 1.5;
    double zero[DOF] = {0}, start[DOF] = {3, -1, 7};
    use_method(_i);
    stage.world = (struct world){.quadratic_drag_kg_m2 = k, .drag_law = DRAG_LAW_QUADRATIC};
    body_init_box(&stage.body, 2 * radius, 2 * radius, mass);
    stage.body.parts[0].shape = PART_DISK;
    stage_start(&stage, zero, start);
    stage_run(&stage, 1);
    double c = 8.0 / 3 * k * radius / mass, slower = 1 / (1 + c * sqrt(10));
    check_method(_i, "vx", stage.dynamics->qd[0], 3 * slower);
    check_method(_i, "vy", stage.dynamics->qd[1], -slower);
    check_method(_i, "rate", stage.dynamics->qd[2], 7);
    check_ledger(_i);
}

/* ---------------------------------------------------------------- steps */

static void build_random(int most)
{
    double q[DOF] = {0}, qd[DOF] = {0};
    body_init_random(&stage.body, most, &rng);
    for (int i = 0; i < 2 + stage.body.phenotype.body->link_count; i++) {
        q[i] = rng_uniform(&rng, -1, 1);
        qd[i] = rng_uniform(&rng, -3, 3);
    }
    stage_start(&stage, q, qd);
}

/* Passive bodies in a medium of any law and thickness lose energy in every step. */
TEST(energy_never_grows)
{
    static const double thickness[] = {0.1, 1, 1000};
    for (int k = 0; k < 6 * VARIANTS; k++) {
        stage.settings.integrator = k % 3 == 0 ? INTEGRATOR_MIDPOINT : INTEGRATOR_AUTO;
        stage.world = variant_world(k % VARIANTS);
        double factor = thickness[k / VARIANTS % 3];
        if (!(k & 1) && factor > 1)
            stage.settings.integrator = INTEGRATOR_MIDPOINT;
        stage.world.viscosity_pa_s = stage.world.quadratic_drag_kg_m2 = factor;
        /* chains: no contacts between parts, whose energies test_contacts looks at */
        double q[DOF] = {0}, qd[DOF];
        body_init_chain(&stage.body, 3, 0.4, 0.1, 0.2);
        for (int i = 0; i < 5; i++) {
            q[i] = i > 2 ? rng_uniform(&rng, -2, 2) : 0;
            qd[i] = rng_uniform(&rng, -3, 3);
        }
        stage.body.phenotype.meetings = (const unsigned char *)"\1\1\1\1\1\1\1\1\1";
        stage_start(&stage, q, qd);
        double energy = stage_energy(&stage), start = energy;
        for (int i = 0; i < 240; i++) {
            stage_run(&stage, stage.settings.dt_s);
            ck_assert_msg(stage_energy(&stage) <= energy + 1e-9 * start,
                          "variant %d, factor %g, step %d: %.17g after %.17g", k % VARIANTS, factor,
                          i, stage_energy(&stage), energy);
            energy = stage_energy(&stage);
        }
        ck_assert_double_lt(energy, start);
    }
}

/* What would explode in explicit steps is taken by implicit ones. */
TEST(stiff_quadratic_drag_is_implicit)
{
    double zero[DOF] = {0}, qd[DOF] = {0, 20, 30};
    stage.settings.integrator = INTEGRATOR_AUTO;
    stage.world = (struct world){.quadratic_drag_kg_m2 = 50, .drag_law = DRAG_LAW_QUADRATIC};
    body_init_box(&stage.body, 0.5, 0.03, 0.015);
    stage_start(&stage, zero, qd);
    for (int i = 0; i < 240; i++) {
        double before = stage_energy(&stage);
        stage_run(&stage, stage.settings.dt_s);
        ck_assert_double_lt(stage_energy(&stage), before);
    }
    uint64_t explicit_steps = stage.dynamics->rk4_steps;
    ck_assert_uint_lt(explicit_steps, stage.dynamics->steps);
    ck_assert_double_lt(stage_part(&stage, 0).velocity_m_s.y, 1);

    /* and explicit again when it is slow */
    stage_set(&stage, zero, zero);
    stage_run(&stage, 1);
    ck_assert_uint_eq(stage.dynamics->rk4_steps, explicit_steps + 240);
}

static void start_chain(void)
{
    double q[DOF] = {0}, qd[DOF] = {0.5, 1, 2, -2, 1.5};
    body_init_chain(&stage.body, 3, 0.4, 0.1, 0.2);
    stage_start(&stage, q, qd);
}

TEST(quadratic_drag_keeps_the_second_order)
{
    stage.settings.integrator = INTEGRATOR_MIDPOINT;
    for (int leading = 0; leading < 2; leading++) {
        stage.world = (struct world){.quadratic_drag_kg_m2 = 2,
                                     .drag_law = DRAG_LAW_QUADRATIC,
                                     .drag_faces = leading ? DRAG_FACES_LEADING : DRAG_FACES_ALL};
        double ratio = stage_order(&stage, start_chain, 1.0 / 480, 0.5);
        ck_assert_double_eq_tol(ratio, 4, 0.5);
    }
}

/* The two solvers in the same medium. The articulated one looks at what is exposed once a step, so
 * with exposure they are apart in the first order: measured 1.6e-4 m, 1e-5 at a sixteenth of the
 * step; without it 4e-10. */
TEST(solvers_agree)
{
    enum { BODIES = 40 };
    double worst[2] = {0};
    for (int k = 0; k < BODIES; k++) {
        struct rng again = rng;
        struct vec3 ends[2];
        struct part_state last[2];
        for (int m = 0; m < 2; m++) {
            use_method(m == 0 ? 0 : 2);
            rng = again;
            stage.settings.integrator = INTEGRATOR_RK4;
            stage.settings.rtol = 1e-8;
            stage.settings.dt_s = 1.0 / 960;
            stage.world = variant_world(k % VARIANTS);
            build_random(8);
            stage_run(&stage, 0.25);
            ends[m] = dynamics_centre_of_mass(stage.dynamics);
            last[m] = stage_part(&stage, stage.body.phenotype.part_count - 1);
            const struct ledger *l = dynamics_ledger(stage.dynamics);
            ck_assert_double_lt(fabs(l->residual_j), 1e-5 * l->energy_start_j);
            ck_assert_double_ge(l->loss_drag_j, 0);
        }
        double error = fabs(ends[0].x - ends[1].x) + fabs(ends[0].y - ends[1].y) +
                       fabs(last[0].at_m.x - last[1].at_m.x) +
                       fabs(last[0].at_m.y - last[1].at_m.y);
        worst[stage.world.drag_exposure] = fmax(worst[stage.world.drag_exposure], error);
    }
    ck_assert_double_lt(worst[0], 1e-8);
    ck_assert_double_lt(worst[1], 3e-4);
}

/* ---------------------------------------------------------------- settings */

/* A law given to dynamics that exist acts from then on; and without viscosity nothing does. */
TEST_LOOP(the_law_can_be_changed, SOLVER_ARTICULATED, SOLVER_CONSTRAINT + 1)
{
    double zero[DOF] = {0}, push[DOF] = {0, 2, 0};
    stage.settings.solver = _i;
    stage.settings.rtol = 1e-9;
    stage.settings.constraint_tau_s = 0.01;
    stage.world = (struct world){0};
    body_init_box(&stage.body, 0.5, 0.1, 1);
    stage_start(&stage, zero, push);
    stage_run(&stage, 0.5);
    ck_assert_double_eq(stage_part(&stage, 0).velocity_m_s.y, 2);
    for (int k = 0; k < VARIANTS; k++) {
        struct world world = variant_world(k);
        dynamics_set_world(stage.dynamics, &world);
        stage_set(&stage, zero, push);
        stage_run(&stage, 0.5);
        double share = k & 2 ? 0.5 : 1;
        double expected = k & 1 ? 2 / (1 + share * 1.0 * 2 * 0.5) : 2 * exp(-share * 0.5);
        ck_assert_double_eq_tol(stage_part(&stage, 0).velocity_m_s.y, expected, 1e-4);
    }
}

TEST(memory_may_run_out)
{
    struct world world = variant_world(5);
    struct drag drag;
    body_init_chain(&stage.body, 6, 0.4, 0.1, 0.2);
    int failures = 0, is_complete = 0;
    for (size_t size = 16; !is_complete; size += 256, failures++) {
        SCOPED(arena) small;
        ck_assert_int_eq(arena_init(&small, size), 0);
        is_complete = drag_create(&drag, &stage.body.phenotype, &world, &small) == 0;
    }
    ck_assert_int_gt(failures, 10);
}

SUITE("drag", 120, setup, NULL)
