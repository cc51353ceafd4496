/* A kind of body that only this file knows: a single ball. It has rows in the three tables of
 * kinds, which this program has instead of the project's, and nothing else; docs/developing.md, "A
 * kind of body". It is drawn at random, mutates, is checked and travels, grows, falls, feels and is
 * evaluated. */
#include "common/growth/phenotype_grow.h"
#include "common/math/detmath.h"
#include "common/genome/gene_rows.h"
#include "common/math/hash.h"
#include "common/genetics/genetics.h"
#include "common/genetics/genetics_kind.h"
#include "simulator/body/physics.h"
#include "tests/suite.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/set_param.h"

#define DENSITY_KG_M3 1000
#define RESTITUTION   0.5

/* ---------------------------------------------------------------- genes and growth */

static const struct gene_field body_genes[] = {
    GENE_ROW_ID(GENE_BODY(id)),
    {.name = "diameter_m",
     .words = "diameter",
     .unit = "m",
     .type = GENE_REAL,
     .flags = GENE_REQUIRED | GENE_WRITTEN,
     GENE_BODY(width_m),
     GENE_BETWEEN(0.01, 10),
     .mutation = {.change = CHANGE_SIZE, .digits = 3}},
    GENE_ROWS_GROWTH(1),
    GENE_END,
};
static const struct gene_field connection_genes[] = {GENE_ROWS_ENDS, GENE_END};

static int begin(struct grower *grower, struct arena *arena)
{
    return 0;
}

static void place(struct grower *grower, int index)
{
    struct part *part = &grower->phenotype->parts[index];
    const struct body_gene *gene = &grower->genome->bodies[grower->growths[index].body_row];
    double radius = gene->width_m / 2;
    part->width_m = part->height_m = part->cross_section_m = gene->width_m;
    part->mass_kg = DENSITY_KG_M3 * 4 * DET_PI / 3 * radius * radius * radius;
    part->sensors = gene->sensors;
}

static int join(struct grower *grower, struct arena *arena)
{
    struct phenotype *p = grower->phenotype;
    if (phenotype_take_tables(p, arena, 0, 0, p->part_count) != 0)
        return ERR_MEMORY;
    p->piece_count = p->part_count;
    for (int i = 0; i < p->part_count; i++) {
        double radius = p->parts[i].width_m / 2;
        p->shapes[i] = (struct shape){.kind = SHAPE_BALL,
                                      .part = i,
                                      .other = -1,
                                      .drive = -1,
                                      .turn = {1, 0, 0, 0},
                                      .half_m = {radius, radius, radius}};
    }
    return 0;
}

static const struct body_growth growth = {.begin = begin, .place = place, .join = join};

const int body_kind_count = 1;
const struct body_kind_info body_kinds[] = {
    {.name = "toys",
     .body_noun = "ball",
     .connection_noun = "connection",
     .brace_noun = "connection",
     .body = body_genes,
     .connection = connection_genes,
     .sensors = SENSOR_BIT(SENSOR_TOUCH) | SENSOR_BIT(SENSOR_HEIGHT),
     .growth = &growth,
     .solvers = SOLVER_BIT(SOLVER_ARTICULATED),
     .format_version = 1},
};

/* ---------------------------------------------------------------- genetics */

static int has_none(const struct genome *genome, int row)
{
    return 0;
}

static void draw_body(struct maker *maker, struct body_gene *body)
{
    body->width_m = rng_uniform(maker->rng, 0.1, 0.5);
}

static void enlarge(struct maker *maker, struct body_gene *body)
{
    body->width_m *= 2;
}

static void draw_connection(struct maker *maker, struct connection_gene *connection)
{
}

static int random_joint(struct maker *maker, int except)
{
    return -1;
}

static const struct genetics_kind genetics = {.has_mover = has_none,
                                              .has_limits = has_none,
                                              .draw_body = draw_body,
                                              .enlarge = enlarge,
                                              .draw_connection = draw_connection,
                                              .random_joint = random_joint};
const struct genetics_kind *const genetics_kinds[] = {&genetics};

/* -------------------------------------------------- physics: falls, and bounces off the ground */

struct toy {
    struct dynamics base;
    const struct phenotype *phenotype;
    struct world world;
    struct vec3 at, velocity;
    double dt_s, radius;
    struct contact_point contact;
};

extern const struct dynamics_solver toy_solver;

static struct dynamics *create(const struct phenotype *phenotype, const struct world *world,
                               const struct dynamics_settings *settings, struct arena *arena)
{
    struct toy *toy = arena_take(arena, 1, sizeof *toy);
    if (!toy)
        return NULL;
    toy->base.solver = &toy_solver;
    toy->phenotype = phenotype;
    toy->world = *world;
    toy->dt_s = settings->dt_s;
    toy->base.substeps = 1;
    toy->base.touches.points = &toy->contact;
    toy->radius = phenotype->shapes[0].half_m.y;
    return &toy->base;
}

static struct toy *toy_of(const struct dynamics *dynamics)
{
    return (struct toy *)dynamics;
}

static int step(struct dynamics *dynamics)
{
    struct toy *toy = toy_of(dynamics);
    double g = toy->world.gravity_m_s2, dt = toy->dt_s;
    double fallen = toy->velocity.y * dt - g * dt * dt / 2;
    toy->base.touches.count = 0;
    if (toy->world.has_ground && toy->at.y + fallen < toy->radius) {
        double before = toy->velocity.y, after = fabs(before) > 0.1 ? -RESTITUTION * before : 0;
        toy->velocity.y = after;
        toy->contact = (struct contact_point){.other_creature = -1,
                                              .other = CONTACT_GROUND,
                                              .at = {toy->at.x, 0, toy->at.z},
                                              .normal = {0, 1, 0}};
        toy->base.touches.count = 1;
        toy->base.ledger.loss_impact_j +=
            toy->phenotype->mass_kg * (before * before - after * after) / 2;
    } else {
        toy->at.y += fallen;
        toy->velocity.y -= g * dt;
    }
    toy->base.steps++;
    toy->base.work += 10;
    return 0;
}

static void set_world(struct dynamics *dynamics, const struct world *world)
{
    toy_of(dynamics)->world = *world;
}

static void set_number(struct dynamics *dynamics, double number)
{
}

static void shift(struct dynamics *dynamics, struct vec3 by_m)
{
    toy_of(dynamics)->at = vec3_add(toy_of(dynamics)->at, by_m);
}

static void energy(struct dynamics *dynamics, double *kinetic_j, double *potential_j)
{
    const struct toy *toy = toy_of(dynamics);
    double mass = toy->phenotype->mass_kg;
    *kinetic_j = mass * vec3_dot(toy->velocity, toy->velocity) / 2;
    *potential_j = mass * toy->world.gravity_m_s2 * toy->at.y;
}

static void stop(struct dynamics *dynamics)
{
    toy_of(dynamics)->velocity = (struct vec3){0, 0, 0};
}

static void part_state(const struct dynamics *dynamics, int part, struct part_state *state)
{
    const struct toy *toy = toy_of(dynamics);
    *state = (struct part_state){.at_m.x = toy->at.x,
                                 .at_m.y = toy->at.y,
                                 .at_m.z = toy->at.z,
                                 .velocity_m_s.y = toy->velocity.y};
}

static struct vec3 centre_of_mass(const struct dynamics *dynamics)
{
    return toy_of(dynamics)->at;
}

static void momentum(const struct dynamics *dynamics, struct vec3 *linear, struct vec3 *angular)
{
    const struct toy *toy = toy_of(dynamics);
    *linear = vec3_scale(toy->velocity, toy->phenotype->mass_kg);
    *angular = vec3_cross(toy->at, *linear);
}

static void bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    const struct toy *toy = toy_of(dynamics);
    struct vec3 half = {toy->radius, toy->radius, toy->radius};
    *low = vec3_sub(toy->at, half);
    *high = vec3_add(toy->at, half);
}

static uint64_t hash_part(const struct dynamics *dynamics, int part, uint64_t hash)
{
    const struct toy *toy = toy_of(dynamics);
    return hash_double(hash_double(hash, toy->at.y), toy->velocity.y);
}

static double none(const struct dynamics *dynamics)
{
    return 0;
}

static const struct dynamics_reader toy_reader = {.part_state = part_state,
                                                  .centre_of_mass = centre_of_mass,
                                                  .momentum = momentum,
                                                  .bounds = bounds,
                                                  .hash_part = hash_part,
                                                  .overlap = none};

const struct dynamics_solver toy_solver = {.create = create,
                                           .step = step,
                                           .set_world = set_world,
                                           .set_joint_damping = set_number,
                                           .shift = shift,
                                           .stop = stop,
                                           .read = &toy_reader,
                                           .energy = energy};

static int judge(const struct phenotype *phenotype, const struct world *world,
                 const struct params *params, double dt_s)
{
    return VERDICT_OK;
}

static void feel(struct senses *senses, const struct dynamics *dynamics,
                 const struct surroundings *around)
{
    senses->values[SENSOR_TOUCH] = dynamics->touches.count > 0 ? 1 : -1;
    senses->values[SENSOR_HEIGHT] = toy_of(dynamics)->at.y;
}

static void perturb(struct dynamics *dynamics, const struct phenotype *phenotype, struct vec3 turn,
                    struct rng *rng, double most_rad)
{
}

static double unearned_j(const struct ledger *l, double gain_j)
{
    return gain_j + fabs(l->residual_j);
}

static const struct body_physics physics = {.solvers = {&toy_solver},
                                            .judge = judge,
                                            .feel = feel,
                                            .perturb = perturb,
                                            .unearned_j = unearned_j};
const struct body_physics *const body_physics[] = {&physics};

/* ---------------------------------------------------------------- tests */

static struct genome genome;
static struct params params;
static struct arena arena;
static struct error error;
static struct evaluation result;

static void set_up(void)
{
    static const char *const settings[] = {"creature.parts_min=1", "creature.parts_max=1",
                                           "settle.drop_m=1",      "simulation.duration_s=2",
                                           "guard.motionless_s=0", "initial.bodies_min=1",
                                           "initial.bodies_max=1"};
    genome_init(&genome);
    params_set_defaults(&params);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        ck_ok(set_param(&params, settings[i], &error));
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
}

static void tear_down(void)
{
    genome_deinit(&genome);
    arena_deinit(&arena);
}

static void make_ball(double diameter_m)
{
    struct body_gene *body = genome_add(&genome, GENOME_BODIES);
    body->id = genome.root = 1;
    body->width_m = diameter_m;
    body->recursive_limit = 1;
    body->sensors = body_kinds[0].sensors;
    ck_ok(genome_check(&genome, &error));
}

/* What was seen at the end of each tick. */
static double heights[200], felt_heights[200], touches[200];
static int tick_count;

static int observe(void *context, const struct evaluate_view *view)
{
    if (view->phase != PHASE_SCORE || tick_count == 200)
        return 0;
    struct part_state state;
    dynamics_part_state(view->dynamics, 0, &state);
    heights[tick_count] = state.at_m.y;
    felt_heights[tick_count] = view->sensors[SENSOR_HEIGHT];
    touches[tick_count++] = view->sensors[SENSOR_TOUCH];
    return 0;
}

static void run(void)
{
    tick_count = 0;
    evaluate(&genome, &params, 1, &arena, observe, NULL, &result);
    ck_assert_str_eq(verdict_name(result.verdict), "ok");
}

TEST(it_falls_feels_and_is_evaluated)
{
    make_ball(0.4);
    run();
    const struct measures *m = &result.measures;
    ck_assert_double_eq_tol(m->mass_kg, 1000 * 4.0 / 3 * acos(-1) * 0.008, 1e-9);
    ck_assert_double_eq(m->parts, 1);
    ck_assert_double_eq_tol(m->lowest_start_m, 1, 1e-12);
    // 18 ticks of 1/60 s after it was let go
    ck_assert_double_eq_tol(heights[18], 1.2 - 9.81 * 0.3 * 0.3 / 2, 1e-9);
    ck_assert_double_eq(felt_heights[19], heights[18]);
    ck_assert_double_eq(touches[19], -1);
    int has_touched = 0;
    for (int i = 0; i < tick_count; i++) {
        has_touched |= touches[i] > 0;
        ck_assert_double_ge(heights[i], 0.2 - 1e-9);
    }
    ck_assert_int_eq(has_touched, 1);
    ck_assert_double_gt(m->contact_share, 0);
    ck_assert_double_gt(m->loss_impact_j, 0.7 * m->mass_kg * 9.81);
    ck_assert_double_lt(fabs(m->residual_j), 0.01 * m->mass_kg * 9.81);
}

TEST(it_settles_and_starts_perturbed)
{
    static const char *const settings[] = {"settle.drop_m=0", "simulation.perturbation=1"};
    make_ball(0.4);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(set_param(&params, settings[i], &error), 0);
    run();
    ck_assert_double_eq_tol(result.measures.height_start_m, 0.2, 1e-3);
}

TEST(same_balls_move_alike_and_others_do_not)
{
    make_ball(0.4);
    run();
    uint64_t digest = result.digest;
    run();
    ck_assert_uint_eq(result.digest, digest);
    genome.bodies[0].width_m = 0.5;
    run();
    ck_assert_uint_ne(result.digest, digest);
}

TEST(its_genes_are_drawn_mutate_and_are_written)
{
    struct gene_counter ids = {.creature = 1};
    char text[200];
    struct rng rng = test_rng(1, 0, 0);
    for (int i = 0; i < 50; i++) {
        genome_deinit(&genome);
        ck_assert_int_eq(genetics_random(&genome, &params, &rng, &ids), 0);
        ck_assert_int_eq(genetics_mutate(&genome, 3, &params, &rng, &ids, text, sizeof text), 0);
        ck_ok(genome_check(&genome, &error));
        run();
    }
}

SUITE("kind", 0, set_up, tear_down)
