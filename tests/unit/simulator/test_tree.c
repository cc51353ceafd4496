/* The articulated-body algorithm against an independent dense formulation: positions by complex
 * arithmetic, Jacobians about the joints (or along their axes), their derivatives by the complex
 * step (exact to rounding), drag by quadrature over the edges, and Gaussian elimination. Nothing is
 * shared with the tree's files but the meaning of q. */
#include "simulator/planar/tree/tree.h"

#include <complex.h>

#include "common/math/detmath.h"
#include "common/error.h"
#include "tests/unit/body_fixture.h"
#include "tests/plain_fixture.h"

enum { LINKS = BODY_LINKS_MAX, DOF = BODY_DOF_MAX, TREES = 2000, PARTS = 8 };

/* Largest relative error measured: accelerations 5e-13, impulses 1e-12 (they grow with mass
 * ratios). */
#define TOLERANCE 1e-10

static struct test_body body;
static struct tree tree;
static struct rng rng;

static void setup(void)
{
    arena_open(1u << 20);
    rng_init(&rng, 20, RNG_TEST, 0, 1);
}

/* ---------------------------------------------------------------- the dense formulation */

struct dense {
    int dof;
    double mass[DOF][DOF];
    double bias[DOF];         /* Coriolis and centrifugal terms */
    double weight[DOF];       /* generalised force of a gravity of 1 m/s2 */
    double damping[DOF][DOF]; /* of the world's drag */
};

struct pose {
    double complex angle[LINKS], px[LINKS], py[LINKS], cx[LINKS], cy[LINKS];
    double complex grow[LINKS];                /* exp of the stretch; else 1 */
    double complex out_x[LINKS], out_y[LINKS]; /* the joint from the parent's origin */
};

/* Where a place of a link at birth is now, in its frame. */
static void stretch_place(const struct pose *pose, int link, double complex *x, double complex *y)
{
    const struct body_link *l = &body.links[link];
    if (l->kind != LINK_STRETCH)
        return;
    double complex along = (l->axis.x * *x + l->axis.y * *y) * pose->grow[link];
    double complex across = (l->axis.x * *y - l->axis.y * *x) / pose->grow[link];
    *x = along * l->axis.x - across * l->axis.y;
    *y = along * l->axis.y + across * l->axis.x;
}

static void find_pose(struct pose *pose, const double complex *q)
{
    const struct body_link *links = body.links;
    for (int i = 0; i < body.phenotype.body->link_count; i++) {
        int parent = links[i].parent;
        pose->angle[i] = q[2 + i];
        pose->px[i] = q[0];
        pose->py[i] = q[1];
        pose->grow[i] = i && links[i].kind == LINK_STRETCH ? cexp(q[2 + i]) : 1;
        if (i) {
            double complex c = ccos(pose->angle[parent]), s = csin(pose->angle[parent]);
            double complex x = links[i].joint.x, y = links[i].joint.y;
            stretch_place(pose, parent, &x, &y);
            pose->out_x[i] = c * x - s * y;
            pose->out_y[i] = s * x + c * y;
            if (links[i].kind == LINK_LINEAR) {
                x += q[2 + i] * links[i].axis.x;
                y += q[2 + i] * links[i].axis.y;
            }
            if (links[i].kind != LINK_REVOLUTE)
                pose->angle[i] = 0;
            pose->angle[i] += pose->angle[parent];
            pose->px[i] = pose->px[parent] + c * x - s * y;
            pose->py[i] = pose->py[parent] + s * x + c * y;
        }
        double complex c = ccos(pose->angle[i]), s = csin(pose->angle[i]);
        double complex x = links[i].centre.x, y = links[i].centre.y;
        stretch_place(pose, i, &x, &y);
        pose->cx[i] = pose->px[i] + c * x - s * y;
        pose->cy[i] = pose->py[i] + s * x + c * y;
    }
}

static int is_on_path(int joint, int link)
{
    for (; link >= 0; link = body.links[link].parent)
        if (link == joint)
            return 1;
    return 0;
}

/* The column of the stretch of link k: what hangs on it goes with the joint that leads there. */
static void find_stretch_column(const struct pose *pose, int k, int link, double complex x,
                                double complex y, double complex j[3][DOF])
{
    double complex rx = x - pose->px[k], ry = y - pose->py[k];
    for (int at = link; at != k; at = body.links[at].parent) {
        rx = pose->out_x[at];
        ry = pose->out_y[at];
    }
    double complex c = ccos(pose->angle[k]), s = csin(pose->angle[k]);
    double complex ax = c * body.links[k].axis.x - s * body.links[k].axis.y;
    double complex ay = s * body.links[k].axis.x + c * body.links[k].axis.y;
    double complex along = ax * rx + ay * ry, across = ax * ry - ay * rx;
    j[1][2 + k] = along * ax + across * ay;
    j[2][2 + k] = along * ay - across * ax;
}

/* Rows angle, x, y of the Jacobian of a point (x, y) of a link. */
static void find_jacobian(const struct pose *pose, int link, double complex x, double complex y,
                          double complex j[3][DOF])
{
    for (int k = 0; k < DOF; k++)
        j[0][k] = j[1][k] = j[2][k] = 0;
    j[1][0] = j[2][1] = 1;
    for (int k = 0; k < body.phenotype.body->link_count; k++) {
        if (!is_on_path(k, link))
            continue;
        if (k > 0 && body.links[k].kind == LINK_LINEAR) {
            double complex c = ccos(pose->angle[k]), s = csin(pose->angle[k]);
            j[1][2 + k] = c * body.links[k].axis.x - s * body.links[k].axis.y;
            j[2][2 + k] = s * body.links[k].axis.x + c * body.links[k].axis.y;
            continue;
        }
        if (k > 0 && body.links[k].kind == LINK_STRETCH)
            find_stretch_column(pose, k, link, x, y, j);
        if (k > 0 && body.links[k].kind != LINK_REVOLUTE)
            continue;
        j[0][2 + k] = 1;
        j[1][2 + k] = -(y - pose->py[k]);
        j[2][2 + k] = x - pose->px[k];
    }
}

/* Adds the edges of one part, two Gauss points each: exact, since the integrands are quadratic. */
static void add_drag(struct dense *dense, const struct pose *pose, const struct part *part,
                     double viscosity)
{
    static const double corner_x[4] = {1, -1, -1, 1}, corner_y[4] = {1, 1, -1, -1};
    static const double normal_x[4] = {0, -1, 0, 1}, normal_y[4] = {1, 0, -1, 0};
    double link_angle = creal(pose->angle[part->link]);
    double angle = link_angle + part->local_angle_rad, c = cos(angle), s = sin(angle);
    double x0 = creal(pose->px[part->link]) + cos(link_angle) * part->local.x -
                sin(link_angle) * part->local.y;
    double y0 = creal(pose->py[part->link]) + sin(link_angle) * part->local.x +
                cos(link_angle) * part->local.y;
    for (int edge = 0; edge < 4; edge++) {
        int next = (edge + 1) % 4;
        double length = edge % 2 ? part->height_m : part->width_m;
        double nx = c * normal_x[edge] - s * normal_y[edge];
        double ny = s * normal_x[edge] + c * normal_y[edge];
        for (int g = 0; g < 2; g++) {
            double t = 0.5 + (g ? 0.5 : -0.5) / sqrt(3);
            double u = (corner_x[edge] * (1 - t) + corner_x[next] * t) * part->width_m / 2;
            double v = (corner_y[edge] * (1 - t) + corner_y[next] * t) * part->height_m / 2;
            double complex j[3][DOF];
            find_jacobian(pose, part->link, x0 + c * u - s * v, y0 + s * u + c * v, j);
            for (int a = 0; a < dense->dof; a++)
                for (int b = 0; b < dense->dof; b++)
                    dense->damping[a][b] += viscosity * length / 2 *
                                            creal(nx * j[1][a] + ny * j[2][a]) *
                                            creal(nx * j[1][b] + ny * j[2][b]);
        }
    }
}

/* A change of q along the motion, for derivatives by the complex step. */
static const double tiny = 1e-30;

/* Adds a mass with an inertia about it, at a place of a link. */
static void add_mass(struct dense *dense, const struct pose *pose, int link, double complex x,
                     double complex y, double mass, double inertia, const double *qd)
{
    double weight[3] = {inertia, mass, mass};
    double complex j[3][DOF];
    find_jacobian(pose, link, x, y, j);
    for (int row = 0; row < 3; row++) {
        /* the imaginary part is the derivative along the motion */
        double acceleration = 0;
        for (int a = 0; a < dense->dof; a++)
            acceleration += cimag(j[row][a]) / tiny * qd[a];
        for (int a = 0; a < dense->dof; a++) {
            dense->bias[a] += weight[row] * creal(j[row][a]) * acceleration;
            for (int b = 0; b < dense->dof; b++)
                dense->mass[a][b] += weight[row] * creal(j[row][a]) * creal(j[row][b]);
        }
    }
    for (int a = 0; a < dense->dof; a++)
        dense->weight[a] -= mass * creal(j[2][a]);
}

/* Adds a rectangle that stretches: four masses that have its moments go with it. */
static void add_stretching_mass(struct dense *dense, const struct pose *pose, int i,
                                const double *qd)
{
    const struct body_link *l = &body.links[i];
    double complex c = ccos(pose->angle[i]), s = csin(pose->angle[i]);
    for (int corner = 0; corner < 4; corner++) {
        double along = (corner & 1 ? 1 : -1) * l->half_m.x / sqrt(3);
        double across = (corner & 2 ? 1 : -1) * l->half_m.y / sqrt(3);
        double complex x = l->centre.x + along * l->axis.x - across * l->axis.y;
        double complex y = l->centre.y + along * l->axis.y + across * l->axis.x;
        stretch_place(pose, i, &x, &y);
        add_mass(dense, pose, i, pose->px[i] + c * x - s * y, pose->py[i] + s * x + c * y,
                 l->mass_kg / 4, 0, qd);
    }
}

static void make_dense(struct dense *dense, const double *q, const double *qd, double viscosity)
{
    double complex moved[DOF] = {0};
    struct pose pose;
    *dense = (struct dense){.dof = 2 + body.phenotype.body->link_count};
    for (int i = 0; i < dense->dof; i++)
        moved[i] = q[i] + I * (tiny * qd[i]);
    find_pose(&pose, moved);
    for (int i = 0; i < body.phenotype.body->link_count; i++) {
        const struct body_link *link = &body.links[i];
        if (i > 0 && link->kind == LINK_STRETCH)
            add_stretching_mass(dense, &pose, i, qd);
        else
            add_mass(dense, &pose, i, pose.cx[i], pose.cy[i], link->mass_kg, link->inertia.zz, qd);
    }
    for (int i = 0; i < body.phenotype.part_count && viscosity > 0; i++)
        add_drag(dense, &pose, &body.parts[i], viscosity);
}

/* Gaussian elimination with partial pivoting; destroys both, the answer is in b. */
static void solve_dense(double a[DOF][DOF], double *b, int n)
{
    for (int col = 0; col < n; col++) {
        int pivot = col;
        for (int i = col + 1; i < n; i++)
            if (fabs(a[i][col]) > fabs(a[pivot][col]))
                pivot = i;
        for (int k = 0; k < n; k++) {
            double t = a[col][k];
            a[col][k] = a[pivot][k];
            a[pivot][k] = t;
        }
        double t = b[col];
        b[col] = b[pivot];
        b[pivot] = t;
        for (int i = col + 1; i < n; i++) {
            double factor = a[i][col] / a[col][col];
            for (int k = col; k < n; k++)
                a[i][k] -= factor * a[col][k];
            b[i] -= factor * b[col];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
}

static double multiply(double a[DOF][DOF], const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            sum += x[i] * a[i][k] * y[k];
    return sum;
}

/* ---------------------------------------------------------------- random cases */

struct sample {
    double q[DOF], qd[DOF], start[DOF], tau[DOF], extra[DOF];
    double gravity, viscosity;
};

static void draw_pose(struct sample *s, double viscosity)
{
    ck_assert_int_eq(tree_create(&tree, &body.phenotype, viscosity, &arena), 0);
    ck_assert_int_eq(tree.dof, 2 + body.phenotype.body->link_count);
    for (int i = 0; i < tree.dof; i++) {
        s->q[i] = rng_uniform(&rng, -4, 4);
        s->qd[i] = rng_uniform(&rng, -5, 5);
        s->start[i] = rng_uniform(&rng, -5, 5);
        s->tau[i] = i > 2 ? rng_uniform(&rng, -3, 3) : 0;
        if (i > 2 && body.links[i - 2].kind == LINK_STRETCH)
            s->q[i] /= 6; /* up to ln 2 */
        if (i > 2 && body.links[i - 2].kind == LINK_RIGID)
            s->q[i] = s->qd[i] = s->start[i] = 0;
    }
    tree_set_pose(&tree, s->q);
    tree_set_velocity(&tree, s->qd);
}

static void draw_sample(struct sample *s, double viscosity)
{
    *s = (struct sample){.gravity = rng_uniform(&rng, 0, 20), .viscosity = viscosity};
    arena_reset(&arena);
    body_init_mixed(&body, PARTS, rng_chance(&rng, 0.5) ? 0.4 : 0, &rng);
    draw_pose(s, viscosity);
}

static void draw_stretching(struct sample *s)
{
    *s = (struct sample){.gravity = rng_uniform(&rng, 0, 20)};
    arena_reset(&arena);
    body_init_stretching(&body, PARTS, &rng);
    draw_pose(s, 0);
}

/* Every other body has parts that stretch. */
static void draw_either(struct sample *s, int i)
{
    if (i % 2)
        draw_stretching(s);
    else
        draw_sample(s, 0);
}

/* Largest difference, relative to the largest number (and to 1). */
static double find_error(const double *a, const double *b, int count)
{
    double most = 0, size = 1;
    for (int i = 0; i < count; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return most / size;
}

/* Coordinates that do not move have no equation. */
static void lock_fixed(double mass[DOF][DOF], double *force)
{
    for (int i = 3; i < tree.dof; i++) {
        if (body.links[i - 2].kind != LINK_RIGID)
            continue;
        for (int k = 0; k < tree.dof; k++)
            mass[i][k] = mass[k][i] = i == k;
        force[i] = 0;
    }
}

static double acceleration_error(const struct sample *s, double half, int has_bias)
{
    struct dense dense;
    double qdd[DOF], expected[DOF];
    tree_set_start_velocity(&tree, s->start);
    tree_accelerate(&tree, s->tau, s->extra, s->gravity, half, qdd);

    make_dense(&dense, s->q, s->qd, s->viscosity);
    const double *slow = half > 0 ? s->start : s->qd;
    for (int i = 0; i < dense.dof; i++) {
        expected[i] = s->tau[i] + s->gravity * dense.weight[i] - has_bias * dense.bias[i];
        for (int k = 0; k < dense.dof; k++) {
            expected[i] -= dense.damping[i][k] * slow[k];
            dense.mass[i][k] += half * dense.damping[i][k];
        }
        dense.mass[i][i] += s->extra[i];
    }
    lock_fixed(dense.mass, expected);
    solve_dense(dense.mass, expected, dense.dof);
    return find_error(qdd, expected, dense.dof);
}

TEST(accelerations_match_the_dense_formulation)
{
    double worst = 0;
    for (int i = 0; i < TREES; i++) {
        struct sample s;
        draw_sample(&s, i % 2 ? rng_uniform(&rng, 0.1, 5) : 0);
        worst = fmax(worst, acceleration_error(&s, 0, 1));
    }
    ck_assert_double_lt(worst, TOLERANCE);
}

/* Rectangles that stretch, and what hangs on them; the servo of a stretch is implicit, too. */
TEST(accelerations_of_stretching_parts_match_the_dense_formulation)
{
    double worst = 0;
    for (int i = 0; i < TREES; i++) {
        struct sample s;
        draw_stretching(&s);
        ck_assert_double_lt(tree_energy(&tree, s.gravity).kinetic, HUGE_VAL);
        for (int k = 3; k < tree.dof && i % 2; k++)
            s.extra[k] = rng_uniform(&rng, 0, 0.5);
        worst = fmax(worst, acceleration_error(&s, i % 2 ? 0.01 : 0, 1));
    }
    ck_assert_double_lt(worst, 3e-10);
}

TEST(implicit_accelerations_match_the_dense_formulation)
{
    double worst = 0;
    for (int i = 0; i < TREES; i++) {
        struct sample s;
        draw_sample(&s, rng_uniform(&rng, 0.1, 5));
        for (int k = 3; k < tree.dof; k++)
            s.extra[k] = rng_uniform(&rng, 0, 0.5);
        worst = fmax(worst, acceleration_error(&s, rng_uniform(&rng, 0.001, 0.1), 1));
    }
    ck_assert_double_lt(worst, TOLERANCE);
}

/* The comparison above can fail: without the velocity products it does, nearly always. */
TEST(comparison_notices_missing_velocity_products)
{
    int noticed = 0;
    for (int i = 0; i < TREES; i++) {
        struct sample s;
        draw_sample(&s, 0);
        noticed += acceleration_error(&s, 0, 0) > 1e6 * TOLERANCE;
    }
    ck_assert_int_gt(noticed, TREES * 8 / 10);
}

/* For other velocities and torques, and with the factors for impulses made in between: bit for bit
 * what the whole gives. */
TEST(accelerations_again_are_those_of_the_whole)
{
    int others = 0;
    for (int i = 0; i < TREES; i++) {
        struct sample s;
        double qd[DOF], first[DOF], again[DOF], whole[DOF], half = i % 4 < 2 ? 0.01 : 0;
        draw_either(&s, i);
        for (int k = 0; k < tree.dof; k++) {
            s.extra[k] = half > 0 && k > 2 ? rng_uniform(&rng, 0, 0.5) : 0;
            qd[k] = s.qd[k] + rng_uniform(&rng, -2, 2);
            if (k > 2 && body.links[k - 2].kind == LINK_RIGID)
                qd[k] = 0;
        }
        tree_accelerate(&tree, s.tau, s.extra, s.gravity, half, first);
        tree_factor(&tree);
        for (int k = 3; k < tree.dof; k++)
            s.tau[k] += rng_uniform(&rng, -1, 1);
        tree_set_velocity(&tree, qd);
        tree_accelerate_again(&tree, s.tau, s.gravity, again);
        tree_accelerate(&tree, s.tau, s.extra, s.gravity, half, whole);
        others += find_error(first, whole, tree.dof) > 1e-3;
        for (int k = 0; k < tree.dof; k++)
            ck_assert(again[k] == whole[k]);
    }
    ck_assert_int_gt(others, TREES / 2);
}

TEST(drag_power_matches_the_quadrature)
{
    double worst = 0;
    for (int i = 0; i < TREES; i++) {
        struct sample s;
        struct dense dense;
        double qdd[DOF], mean[DOF], half = i % 2 ? 0.01 : 0;
        draw_sample(&s, rng_uniform(&rng, 0.1, 5));
        make_dense(&dense, s.q, s.qd, s.viscosity);
        tree_set_start_velocity(&tree, s.start);
        tree_accelerate(&tree, s.tau, s.extra, s.gravity, half, qdd);
        for (int k = 0; k < dense.dof; k++)
            mean[k] = half > 0 ? s.start[k] + half * qdd[k] : s.qd[k];
        double expected = -multiply(dense.damping, s.qd, mean, dense.dof);
        struct force sum;
        double power =
            half > 0 ? tree_drag_power(&tree, s.qd, half, &sum) : tree_drag_power_now(&tree, &sum);
        double forces[] = {sum.x, sum.y, sum.n};
        worst = fmax(worst, fabs(power - expected) / fmax(1, fabs(expected)));
        for (int k = 0; k < 3; k++) {
            double force = 0;
            for (int j = 0; j < dense.dof; j++)
                force -= dense.damping[k][j] * mean[j];
            worst = fmax(worst, fabs(forces[k] - force) / fmax(1, fabs(force)));
        }
        if (half == 0)
            ck_assert_double_le(power, 0);
    }
    ck_assert_double_lt(worst, TOLERANCE);
}

/* ---------------------------------------------------------------- impulses */

/* Generalised impulse of an impulse about a link's origin on it. */
static void add_impulse(double *into, const double *q, struct force f, int link, double sign)
{
    double complex still[DOF] = {0}, j[3][DOF];
    struct pose pose;
    for (int i = 0; i < tree.dof; i++)
        still[i] = q[i];
    find_pose(&pose, still);
    find_jacobian(&pose, link, pose.px[link], pose.py[link], j);
    for (int i = 0; i < tree.dof; i++)
        into[i] += sign * creal(f.n * j[0][i] + f.x * j[1][i] + f.y * j[2][i]);
}

static struct tree_rows make_rows(const struct tree *of, int count)
{
    struct tree_rows rows;
    ck_assert_int_eq(tree_create_rows(of, &rows, count, &arena), 0);
    return rows;
}

static void respond_to(const struct tree *of, const struct tree_rows *rows, int row, double *rates)
{
    tree_respond(of, rows->shares + row * rows->stride,
                 (struct force){rows->n[row], rows->x[row], rows->y[row]}, rates);
}

static struct force_pair random_forces(void)
{
    struct force_pair f;
    for (int k = 0; k < 2; k++) {
        f.n[k] = rng_uniform(&rng, -1, 1);
        f.x[k] = rng_uniform(&rng, -1, 1);
        f.y[k] = rng_uniform(&rng, -1, 1);
        f.stretch[k] = 0;
    }
    return f;
}

static struct force force_of(const struct force_pair *f, int k)
{
    return (struct force){f->n[k], f->x[k], f->y[k]};
}

/* Two rows from this one on, in both formulations: impulses on one or two links, or on joints. */
static void draw_rows(const struct sample *s, struct tree_rows *rows, int row,
                      double general[2][DOF])
{
    int links = tree.count;
    int a = (int)rng_below(&rng, (uint32_t)links);
    int b = rng_chance(&rng, 0.5) ? (int)rng_below(&rng, (uint32_t)links) : -1;
    struct force_pair on_a = random_forces(), on_b = random_forces();
    int are_joints = links > 1 && rng_chance(&rng, 0.3);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < tree.dof; i++)
            general[k][i] = 0;
    for (int k = 0; k < 2 && are_joints; k++) {
        int joint = 1 + (int)rng_below(&rng, (uint32_t)(links - 1));
        general[k][2 + joint] = rng_uniform(&rng, -1, 1);
        if (body.links[joint].kind == LINK_RIGID)
            general[k][2 + joint] = 0;
        tree_carry_joint(&tree, joint, general[k][2 + joint], rows, row + k);
    }
    if (are_joints)
        return;
    for (int k = 0; k < 2; k++) {
        on_a.stretch[k] = tree.links[a].stretch ? rng_uniform(&rng, -1, 1) : 0;
        on_b.stretch[k] = b >= 0 && tree.links[b].stretch ? rng_uniform(&rng, -1, 1) : 0;
    }
    tree_carry(&tree, a, &on_a, b, &on_b, rows, row);
    for (int k = 0; k < 2; k++) {
        general[k][2 + a] += on_a.stretch[k];
        if (b >= 0)
            general[k][2 + b] += on_b.stretch[k];
        add_impulse(general[k], s->q, force_of(&on_a, k), a, 1);
        if (b >= 0)
            add_impulse(general[k], s->q, force_of(&on_b, k), b, 1);
    }
}

enum { ROWS = 4 };

TEST(impulses_match_the_dense_formulation)
{
    double worst = 0, worst_couple = 0;
    for (int i = 0; i < TREES; i++) {
        struct sample s;
        struct dense dense;
        double got[DOF], general[ROWS][DOF], expected[ROWS][DOF];
        draw_either(&s, i);
        make_dense(&dense, s.q, s.qd, 0);
        tree_factor(&tree);
        struct tree_rows rows = make_rows(&tree, ROWS);
        /* twice: rows are used again */
        draw_rows(&s, &rows, 0, general);
        tree_clear_rows(&rows, 2);
        for (int k = 0; k < ROWS; k += 2)
            draw_rows(&s, &rows, k, general + k);
        for (int k = 0; k < ROWS; k++) {
            struct dense copy = dense;
            memcpy(expected[k], general[k], sizeof expected[k]);
            lock_fixed(copy.mass, expected[k]);
            solve_dense(copy.mass, expected[k], dense.dof);
            respond_to(&tree, &rows, k, got);
            worst = fmax(worst, find_error(got, expected[k], dense.dof));
        }

        double couplings[ROWS * (ROWS + 1)];
        tree_couple(&tree, &rows, ROWS, ROWS + 1, couplings);
        for (int f = 0; f < ROWS; f++)
            for (int g = 0; g < ROWS; g++) {
                double coupled = 0;
                for (int k = 0; k < dense.dof; k++)
                    coupled += general[f][k] * expected[g][k];
                double got_coupled = couplings[f * (ROWS + 1) + g];
                worst_couple = fmax(worst_couple, find_error(&got_coupled, &coupled, 1));
                ck_assert_double_eq(got_coupled, couplings[g * (ROWS + 1) + f]);
            }

        /* an odd number of rows is coupled with nothing beyond it */
        tree_clear_rows(&rows, ROWS - 1);
        draw_rows(&s, &rows, 0, general);
        if (tree.count > 1)
            tree_carry_joint(&tree, tree.count - 1, 1, &rows, 2);
        tree_couple(&tree, &rows, ROWS - 1, ROWS, couplings);
        for (int k = 0; k < ROWS; k++)
            ck_assert_double_eq(couplings[k * ROWS + ROWS - 1], 0);
    }
    ck_assert_double_lt(worst, TOLERANCE);
    ck_assert_double_lt(worst_couple, TOLERANCE);
}

static void couple_same(const struct sample *s, double couplings[ROWS * ROWS], uint64_t seed)
{
    double general[2][DOF];
    struct tree_rows rows = make_rows(&tree, ROWS);
    rng_init(&rng, seed, RNG_TEST, 0, 2);
    tree_factor(&tree);
    for (int k = 0; k < ROWS; k += 2)
        draw_rows(s, &rows, k, general);
    tree_couple(&tree, &rows, ROWS, ROWS, couplings);
}

/* An evaluation with implicit servos finds the factors for impulses on its way: the same ones, to
 * the bit, and no longer when the pose is another. */
TEST(factors_of_an_evaluation_are_the_same)
{
    for (int i = 0; i < TREES; i++) {
        struct sample s;
        double alone[ROWS * ROWS], beside[ROWS * ROWS], qdd[DOF];
        rng_init(&rng, 21, RNG_TEST, 0, (uint64_t)i);
        draw_sample(&s, i % 4 == 0 ? 0.5 : 0);
        couple_same(&s, alone, (uint64_t)i);
        tree_accelerate(&tree, s.tau, s.extra, s.gravity, 0.01, qdd);
        couple_same(&s, beside, (uint64_t)i);
        ck_assert_mem_eq(alone, beside, sizeof alone);

        for (int k = 3; k < tree.dof; k++)
            s.q[k] += 0.3;
        tree_set_pose(&tree, s.q);
        couple_same(&s, beside, (uint64_t)i);
        tree_accelerate(&tree, s.tau, s.extra, s.gravity, 0.01, qdd);
        couple_same(&s, alone, (uint64_t)i);
        ck_assert_mem_eq(alone, beside, sizeof alone);
        tree_turn(&tree, s.q, s.qd);
        couple_same(&s, beside, (uint64_t)i);
        for (int k = 0; k < ROWS * ROWS; k++)
            ck_assert_double_eq_tol(alone[k], beside[k], 1e-9 * (1 + fabs(alone[k])));
    }
}

/* ---------------------------------------------------------------- pose and energies */

/* Momentum is what pushes of the root meet: rows 0 to 2 of the mass matrix. */
static void check_bulk(struct dense *dense, const struct sample *s, const struct pose *pose)
{
    struct tree_bulk bulk = tree_bulk(&tree);
    double sum[3] = {0, 0, 0}, x = creal(pose->px[0]) - tree.root_x + bulk.centre_x;
    double y = creal(pose->py[0]) - tree.root_y + bulk.centre_y;
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < dense->dof; k++)
            sum[row] += dense->mass[row][k] * s->qd[k];
    double size = 1 + fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]);
    ck_assert_double_eq_tol(tree.mass * bulk.velocity_x, sum[0], 1e-11 * size);
    ck_assert_double_eq_tol(tree.mass * bulk.velocity_y, sum[1], 1e-11 * size);
    ck_assert_double_eq_tol(bulk.spin, sum[2] - (x * sum[1] - y * sum[0]), 1e-11 * size);
    ck_assert_double_eq_tol(bulk.inertia,
                            dense->mass[2][2] - tree.mass * (bulk.centre_x * bulk.centre_x +
                                                             bulk.centre_y * bulk.centre_y),
                            1e-11 * dense->mass[2][2]);
}

TEST(poses_velocities_and_energies_match)
{
    for (int i = 0; i < TREES; i++) {
        struct sample s;
        struct dense dense;
        draw_either(&s, i);
        make_dense(&dense, s.q, s.qd, 0);
        double kinetic = multiply(dense.mass, s.qd, s.qd, dense.dof) / 2, potential = 0;

        double complex still[DOF] = {0};
        struct pose pose;
        for (int k = 0; k < tree.dof; k++)
            still[k] = s.q[k];
        find_pose(&pose, still);
        for (int k = 0; k < tree.count; k++) {
            const struct tree_link *l = &tree.links[k];
            ck_assert_double_eq_tol(tree.root_x + l->px, creal(pose.px[k]), 1e-12);
            ck_assert_double_eq_tol(tree.root_y + l->py, creal(pose.py[k]), 1e-12);
            struct vec2 centre = tree_centre(l);
            ck_assert_double_eq_tol(tree.root_x + centre.x, creal(pose.cx[k]), 1e-12);
            ck_assert_double_eq_tol(tree.root_y + centre.y, creal(pose.cy[k]), 1e-12);
            potential += 3.7 * body.links[k].mass_kg * creal(pose.cy[k]);
        }
        ck_assert_double_eq_tol(tree_kinetic_energy(&tree), kinetic, 1e-11 * (1 + kinetic));
        check_bulk(&dense, &s, &pose);
        ck_assert_double_eq_tol(tree_energy(&tree, 3.7).potential, potential,
                                1e-11 * (1 + fabs(potential)));
    }
}

/* Sines that are turned from a base are those of the angles: step by step, after leaps, and
 * anew. */
TEST(turned_poses_are_the_same)
{
    double worst = 0;
    for (int i = 0; i < TREES / 10; i++) {
        struct sample s;
        draw_sample(&s, 0);
        for (int step = 0; step < 100; step++) {
            double most = step % 10 == 9 ? 3 : 0.1;
            for (int k = 2; k < tree.dof; k++)
                s.q[k] += rng_uniform(&rng, -most, most);
            if (step == 50)
                tree_forget_turns(&tree);
            tree_turn(&tree, s.q, s.qd);
            for (int k = 0; k < tree.count; k++) {
                const struct tree_link *l = &tree.links[k];
                double sine, cosine;
                det_sincos(l->angle, &sine, &cosine);
                worst = fmax(worst, fmax(fabs(l->sin - sine), fabs(l->cos - cosine)));
            }
        }
    }
    ck_assert_msg(worst < 1e-15, "sines off by %g", worst);
}

TEST(a_full_arena_is_an_error)
{
    SCOPED(arena) small;
    body_init_chain(&body, 8, 0.4, 0.1, 1);
    ck_assert_int_eq(arena_init(&small, 64), 0);
    ck_assert_int_eq(tree_create(&tree, &body.phenotype, 0, &small), ERR_MEMORY);
}

SUITE("tree", 0, setup, NULL)
