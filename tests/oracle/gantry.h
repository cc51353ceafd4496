/* Pinned rods: their motion, integrated in 128-bit floating point by two independent formulations, and
 * a gantry of rectangles on which they hang, for a creature's root is free. */
#ifndef TESTS_ORACLE_GANTRY_H
#define TESTS_ORACLE_GANTRY_H

#include "tests/oracle/rows.h"
#include "tests/unit/body_fixture.h"

/* A gantry on the ground with `count` slender rods hung one on another, pinned at a height of 3 m.
 * Its part 0 is the hanger, centred 1 m above the pin. */
enum { GANTRY_PARTS = 4, RODS_MAX = 5 };
#define PIN_HEIGHT_M 3.0

static inline void build_rods(struct stage *stage, int count, const double *lengths,
                              const double *masses, const double *angles)
{
    struct body_part parts[GANTRY_PARTS + RODS_MAX] = {
        {ROOT(0.01, 2, 100)},
        {.parent = 0, .x_m = -1.5, .y_m = 1, .width_m = 3, .height_m = 0.01},
        {.parent = 1, .x_m = -3, .y_m = -1.5, .width_m = 0.01, .height_m = 5},
        {.parent = 2, .y_m = -3.95, .width_m = 8, .height_m = 0.1}};
    for (int i = 1; i < GANTRY_PARTS; i++) {
        parts[i].is_rigid = 1;
        parts[i].mass_kg = 100;
    }
    double x = 0, q[BODY_DOF_MAX] = {0, PIN_HEIGHT_M + 1, 0}, zero[BODY_DOF_MAX] = {0};
    for (int i = 0; i < count; i++) {
        parts[GANTRY_PARTS + i] = (struct body_part){
            PART(i ? GANTRY_PARTS + i - 1 : 0, x + lengths[i] / 2, -1, lengths[i], 1e-3, masses[i]),
            ANCHOR(x, -1), .inertia_kg_m2 = masses[i] * lengths[i] * lengths[i] / 12};
        x += lengths[i];
        q[3 + i] = angles[i];
    }
    stage->world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .has_ground = 1, .friction = 1};
    body_init(&stage->body, parts, GANTRY_PARTS + count);
    stage_start(stage, q, zero);
}

/* States of pinned rods: angles (the first absolute) and rates with their tolerances, and the tip; of
 * cases.json, but for the tolerance of the constraint solver. */
struct rods_case {
    double t_s;
    double constraint; /* of the angles by the constraint solver; 0: not compared */
    double q[RODS_MAX], q_engine;
    double qd[RODS_MAX], qd_engine; /* 0: too sensitive to compare */
    double tip[2];
};

enum { RODS_CASES_MAX = 8 };

/* Rods that hang on one another: lengths, masses and angles; their name in cases.json; and times with
 * the tolerance of the constraint solver. */
static const struct rods {
    const char *name;
    int count, case_count;
    double lengths[RODS_MAX], masses[RODS_MAX], angles[RODS_MAX];
    double times[RODS_CASES_MAX][2];
} double_pendulum = {.name = "double_pendulum_rods",
                     .count = 2,
                     .case_count = 5,
                     .lengths = {1, 0.7},
                     .masses = {1, 0.8},
                     .angles = {-BODY_PI / 6, 0},
                     .times = {{0.25, 1e-8}, {0.5, 1e-8}, {1, 1e-7}, {2, 1e-7}, {3, 1e-6}}},
  chain5 = {.name = "chain5_pinned",
            .count = 5,
            .case_count = 8,
            .lengths = {0.2, 0.2, 0.2, 0.2, 0.2},
            .masses = {0.2, 0.2, 0.2, 0.2, 0.2},
            .times = {{0.1, 1e-8}, {0.2}, {0.3}, {0.4}, {0.5, 1e-6}, {0.75}, {1, 1e-5}, {1.5}}};

/* Those of the rods that were read last. */
static struct rods_case rods_cases[RODS_CASES_MAX];

/* The value of that quantity, whose tolerance is put into `tolerance` (NULL: nowhere). */
static inline double rods_number(const json_t *rows, const char *quantity, double t_s,
                                 double *tolerance)
{
    json_t *row;
    size_t i;
    json_array_foreach(rows, i, row) if (strcmp(word(row, "quantity"), quantity) == 0 &&
                                         fabs(number(row, "t_s") - t_s) < 1e-9)
    {
        if (tolerance)
            *tolerance = number(row, "tol_engine");
        return number(row, "value");
    }
    ck_abort_msg("cases.json has no %s at %g s", quantity, t_s);
    return NAN;
}

static inline void rods_read(const struct rods *rods)
{
    json_t *all = NULL;
    char name[16];
    rows_load(&all, "tests/oracle/cases.json");
    const json_t *rows = json_object_get(all, rods->name);
    for (int k = 0; k < rods->case_count; k++) {
        struct rods_case *c = &rods_cases[k];
        c->t_s = rods->times[k][0];
        c->constraint = rods->times[k][1];
        for (int i = 0; i < rods->count; i++) {
            snprintf(name, sizeof name, "q%d", i + 1);
            c->q[i] = rods_number(rows, name, c->t_s, &c->q_engine);
            snprintf(name, sizeof name, "dq%d/dt", i + 1);
            c->qd[i] = rods_number(rows, name, c->t_s, &c->qd_engine);
        }
        c->tip[0] = rods_number(rows, "tip_x", c->t_s, NULL);
        c->tip[1] = rods_number(rows, "tip_y", c->t_s, NULL);
    }
    json_decref(all);
}

#endif
