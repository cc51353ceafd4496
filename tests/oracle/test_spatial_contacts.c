/* Reference cases of contacts in space that need no motion: contact problems of walking
 * bodies, on which the usual projected sweeps go in circles; pairs of boxes; what is exposed of a
 * face. Cases and numbers, with at least 12 digits, are in space_contacts.json; all tolerances are
 * absolute. Drag is in test_spatial_forms.c.
 *
 * With the argument --markdown: a line for each case, for `make oracle`. */
#include "simulator/contact/contact_solver.h"
#include "simulator/links/exposure.h"
#include "simulator/contact/solids.h"
#include "tests/oracle/rows.h"
#include "tests/plain_fixture.h"
#include "tests/tally.h"

#define FILE_NAME "tests/oracle/space_contacts.json"
/* Areas and places of clipped polygons, m and m^2. */
#define GEOMETRY_TOLERANCE 1e-12

static json_t *cases;

static void setup(void)
{
    rows_load(&cases, FILE_NAME);
    arena_open(1u << 20);
}

static double given(const json_t *object, const char *key)
{
    ck_assert_msg(json_is_number(json_object_get(object, key)), "%s is no number", key);
    return number(object, key);
}

static double element(const json_t *list, size_t i)
{
    ck_assert(i < json_array_size(list));
    return json_number_value(json_array_get(list, i));
}

static struct vec3 vector(const json_t *object, const char *key)
{
    const json_t *list = json_object_get(object, key);
    ck_assert_msg(json_array_size(list) == 3, "%s is no vector", key);
    return (struct vec3){element(list, 0), element(list, 1), element(list, 2)};
}

static struct solid solid_of(const json_t *object)
{
    const json_t *turn = json_object_get(object, "turn");
    struct solid solid;
    ck_assert_int_eq(json_array_size(turn), 4);
    struct quaternion q = {element(turn, 0), element(turn, 1), element(turn, 2), element(turn, 3)};
    q = quaternion_normalised(q);
    struct mat3 columns = quaternion_matrix(q);
    solids_place(&solid, vector(object, "centre_m"), &columns,
                 vec3_scale(vector(object, "size_m"), 0.5));
    return solid;
}

static void expect(double value, double expected, double tolerance)
{
    tally_number(fabs(value - expected), tolerance);
    ck_assert_double_eq_tol(value, expected, tolerance);
}

static void assert_near(struct vec3 a, struct vec3 b, double tolerance)
{
    ck_assert_xyz(a, b.x, b.y, b.z, tolerance);
}

/* ---------------------------------------------------------------- contact problems */

/* W = Y Y': Cholesky's factor, with 0 for what other rows say already. */
static void factor(struct contact_solver *s, const json_t *w)
{
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j <= i; j++) {
            double *a = contact_solver_row(s, i), *b = contact_solver_row(s, j);
            double sum = element(json_array_get(w, (size_t)i), (size_t)j);
            for (int k = 0; k < j; k++)
                sum -= a[k] * b[k];
            if (i == j)
                a[j] = sum > 1e-10 ? sqrt(sum) : 0;
            else
                a[j] = b[j] > 0 ? sum / b[j] : 0;
        }
}

static void load_problem(struct contact_solver *s, const json_t *problem)
{
    int contacts = (int)given(problem, "contacts");
    const json_t *w = json_object_get(problem, "w");
    ck_assert_int_eq(contact_solver_create(s, contacts, 3 * contacts, 3 * contacts, &arena), 0);
    contact_solver_begin(s, 3 * contacts);
    s->count = contacts;
    factor(s, w);
    for (int i = 0; i < s->rows; i++)
        s->free[i] = element(json_object_get(problem, "free"), (size_t)i);
    for (int i = 0; i < contacts; i++) {
        double bound = element(json_object_get(problem, "bounds"), (size_t)i);
        s->laws[i] = (struct cone_law){.row = 3 * i,
                                       .size = 3,
                                       .to = s->rows,
                                       .bound = bound,
                                       .friction = given(problem, "friction")};
    }
}

TEST(contact_problems)
{
    const json_t *problem, *list = json_object_get(cases, "contact_problems");
    size_t index;
    ck_assert_int_eq(json_array_size(list), 4);
    tally_open("contact-problems");
    json_array_foreach(list, index, problem)
    {
        struct contact_solver s;
        arena_reset(&arena);
        load_problem(&s, problem);
        double enough[2] = {s.enough, 1e-11}; /* as the simulator has it, and fine */
        const char *keys[2] = {"tol_engine", "tol_ref"};
        for (int k = 0; k < 2; k++) {
            s.enough = enough[k];
            for (int i = 0; i < s.rows; i++)
                s.impulse[i] = 0;
            contact_solver_solve(&s);
            ck_assert_double_le(s.residual, 1e-5);
            for (int i = 0; i < s.rows; i++) {
                const json_t *v = json_object_get(problem, "velocities");
                const json_t *l = json_object_get(problem, "impulses");
                expect(s.velocity[i], element(v, (size_t)i), given(problem, keys[k]));
                expect(s.impulse[i], element(l, (size_t)i), given(problem, keys[k]));
            }
        }
    }
}

/* ---------------------------------------------------------------- pairs of boxes */

/* "A1": axis of the first box; "E20": its axis 2 and axis 0 of the second. The larger box is the
 * first in solids.c, by volume or else by its sides. */
static int axis_of(const char *name, int is_exchanged)
{
    int i = name[1] - '0', j = name[0] == 'E' ? name[2] - '0' : 0;
    if (name[0] == 'E')
        return 6 + (is_exchanged ? 3 * j + i : 3 * i + j);
    return i + ((name[0] == 'B') != is_exchanged ? 3 : 0);
}

/* Area and centroid of the points around the normal of a face, in their order. */
static double polygon(const struct solid_point *points, int count, struct vec3 *centroid)
{
    double area = 0;
    *centroid = (struct vec3){0, 0, 0};
    for (int i = 1; i + 1 < count; i++) {
        struct vec3 a = points[0].at, b = points[i].at, c = points[i + 1].at;
        double part = vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / 2;
        area += part;
        *centroid = vec3_along(*centroid, vec3_add(a, vec3_add(b, c)), part / 3);
    }
    *centroid = vec3_scale(*centroid, 1 / area);
    return area;
}

static void check_polygon(const json_t *pair, const struct solid_manifold *m)
{
    struct vec3 centroid;
    const json_t *expected = json_object_get(pair, "centroid_xz_m");
    ck_assert_int_eq(m->count, (int)given(pair, "points"));
    expect(polygon(m->points, m->count, &centroid), given(pair, "area_m2"), GEOMETRY_TOLERANCE);
    expect(centroid.x, element(expected, 0), GEOMETRY_TOLERANCE);
    expect(centroid.z, element(expected, 1), GEOMETRY_TOLERANCE);
}

TEST(box_box_geometry)
{
    const json_t *pair, *list = json_object_get(cases, "box_box_geometry");
    size_t index;
    ck_assert_int_eq(json_array_size(list), 5);
    tally_open("box-box-geometry");
    json_array_foreach(list, index, pair)
    {
        struct solid a = solid_of(json_object_get(pair, "a"));
        struct solid b = solid_of(json_object_get(pair, "b"));
        double expected = given(pair, "separation_m");
        double of_a = a.half[0] * a.half[1] * a.half[2], of_b = b.half[0] * b.half[1] * b.half[2];
        int is_exchanged = of_b > of_a || (of_b == of_a && b.half[0] > a.half[0]);
        struct solid_manifold m;
        expect(solids_separation(&a, &b), expected, 1e-12);
        ck_assert_double_eq_tol(solids_separation(&b, &a), expected, 1e-12);
        solids_meet(&a, &b, 1e-3, NULL, &m);
        if (expected > 0) {
            ck_assert_int_eq(m.count, 0);
            continue;
        }
        ck_assert_int_eq(m.axis,
                         axis_of(json_string_value(json_object_get(pair, "axis")), is_exchanged));
        assert_near(vec3_negated(m.normal), vector(pair, "normal_from_a_to_b"), 1e-12);
        double deepest = HUGE_VAL;
        for (int i = 0; i < m.count; i++)
            deepest = fmin(deepest, m.points[i].gap);
        expect(deepest, expected, 1e-12);
        if (json_object_get(pair, "points"))
            check_polygon(pair, &m);
    }
}

/* ---------------------------------------------------------------- exposure */

/* Area, and integrals of x, z, x^2, x z, z^2 over pieces of a face across y, by the midpoints of
 * triangles' sides. */
static void add_piece(const struct exposure_piece *piece, double sign, double moments[6])
{
    const struct exposure_corner *c = piece->corners;
    for (int k = 2; k < piece->count; k++) {
        const struct exposure_piece triangle = {3, {c[0], c[k - 1], c[k]}};
        double third = sign * exposure_area(&triangle) / 3;
        for (int i = 0; i < 3; i++) {
            double z = (triangle.corners[i].s + triangle.corners[(i + 1) % 3].s) / 2;
            double x = (triangle.corners[i].t + triangle.corners[(i + 1) % 3].t) / 2;
            const double values[6] = {1, x, z, x * x, x * z, z * z};
            for (int j = 0; j < 6; j++)
                moments[j] += third * values[j];
        }
    }
}

TEST(face_exposure)
{
    const json_t *all = json_object_get(cases, "face_exposure"), *entry;
    size_t index;
    ck_assert_int_eq(json_array_size(json_object_get(all, "cases")), 4);
    tally_open("face-exposure");
    json_array_foreach(json_object_get(all, "cases"), index, entry)
    {
        const json_t *others = json_object_get(entry, "others");
        const json_t *expected = json_object_get(entry, "moments");
        struct solid solids[4];
        struct exposure_piece pieces[EXPOSURE_PIECES_MAX];
        double moments[6] = {0};
        size_t count = json_array_size(others);
        ck_assert(count >= 1 && count < 4);
        solids[0] = solid_of(json_object_get(all, "face_of"));
        for (size_t i = 0; i < count; i++)
            solids[1 + i] = solid_of(json_array_get(others, i));
        struct exposure_other shading[4];
        double u = solids[0].half[2], v = solids[0].half[0];
        const struct exposure_piece whole = {4, {{-u, -v}, {u, -v}, {u, v}, {-u, v}}};
        exposure_screen(solids, (int)count + 1, 0, shading);
        int found = exposure_find(&solids[0], 3, shading, (int)count + 1, pieces);
        if (found != EXPOSURE_ALL_HIDDEN)
            add_piece(&whole, 1, moments);
        for (int i = 0; i < found; i++)
            add_piece(&pieces[i], -1, moments);
        for (int i = 0; i < 6; i++)
            expect(moments[i], element(expected, (size_t)i), GEOMETRY_TOLERANCE);
    }
}

TALLY_SUITE("spatial_contacts", 120, setup, NULL)
