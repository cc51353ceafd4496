/* Perturbed starts. A motion that lives on a coincidence is another one from there on; a gait goes
 * on.
 *
 * Eight starts are eight conditions: a 2^3 factorial design (Box, Hunter and Hunter, Statistics for
 * Experimenters, 1978, chapter 10). Friction and drag are more or less, the body is tilted one way
 * or the other, and the floor slopes one way or the other. Each is off by the whole of its amount.
 * A run's own trials, the polish and the exam have the same amounts (exam.*) and other numbers: a
 * run whose starts were off by a twentieth of the exam's bred hoppers that failed it.
 * A ground with relief has other waves in each start. The height of the drop is in another eighth
 * of its range in each start; its upper half goes with the product of the three signs. In space the
 * way of a tilt or a slope is one of eight directions along the ground, of which its sign chooses
 * the half and the other two signs the place in that half. The signs of tilt and slope, and the
 * first of the eight directions, are drawn from the seed for eight starts together. The rest
 * (joints, heights within their eighths) is drawn for each start. */
#include "simulator/evaluate/run.h"

#include "common/judge/trial.h"
#include "common/math/detmath.h"
#include "common/math/rng.h"
#include "simulator/evaluate/terrain.h"

enum { STARTS = TRIAL_RUN_STARTS };
/* The signs, by bit. */
enum { SIGN_FRICTION, SIGN_TILT, SIGN_SLOPE };

/* The resistance: friction, and the medium. */
static void resist(struct world *world, double factor)
{
    world->friction *= factor;
    world->own_friction *= factor;
    world->viscosity_pa_s *= factor;
    world->quadratic_drag_kg_m2 *= factor;
    world->viscosity_pa_s_m *= factor;
    world->quadratic_drag_kg_m3 *= factor;
}

/* 0, 1/8, ... 7/8: three signs as the digits of a number. */
static double share_of(int signs, int first, int second, int third)
{
    return ((signs >> first & 1) * 4 + (signs >> second & 1) * 2 + (signs >> third & 1)) / 8.0;
}

/* Along the ground; in a plane ahead or back. */
static struct vec3 way_of(const struct run *run, double share, double first_rad)
{
    const struct body_physics *physics = physics_of(&run->phenotype);
    double sine, cosine;
    if (physics->is_flat && physics->is_flat(run->params))
        return (struct vec3){share < 0.5 ? 1 : -1, 0, 0};
    det_sincos(first_rad + 2 * DET_PI * share, &sine, &cosine);
    return (struct vec3){cosine, 0, sine};
}

/* Tilts the body towards a way. Parts that its turned joints bring into one another are apart
 * again before the clock begins, as at birth. */
static int turn(struct run *run, double turn_rad, struct vec3 way, struct rng *rng)
{
    struct vec3 axis = {way.z, 0, -way.x};
    double height_m = terrain_height(&run->world, &run->phenotype, run->dynamics);
    physics_of(&run->phenotype)
        ->perturb(run->dynamics, &run->phenotype, vec3_scale(axis, turn_rad), rng, turn_rad);
    int verdict = run_push_apart(run);
    run_put_at(run, height_m);
    return verdict;
}

/* The floor falls off along a way. */
static void slope(struct world *world, double slope_rad, struct vec3 way)
{
    double sine, cosine, gravity = world->gravity_m_s2;
    det_sincos(slope_rad, &sine, &cosine);
    world->gravity_m_s2 = gravity * cosine;
    world->gravity_x_m_s2 = gravity * sine * way.x;
    world->gravity_z_m_s2 = gravity * sine * way.z;
}

/* The changes that a floor makes possible. */
static void perturb_on_floor(struct run *run, int signs, double first_rad, struct rng *rng)
{
    const struct params *p = run->params;
    double relief_m = det_max(p->exam_relief_m, p->world_relief_m);
    int product = (signs ^ signs >> 1 ^ signs >> 2) & 1;
    double slope_share = share_of(signs, SIGN_SLOPE, SIGN_FRICTION, SIGN_TILT);
    double height_share = share_of((signs & ~1) | product, SIGN_FRICTION, SIGN_TILT, SIGN_SLOPE);
    slope(&run->world, p->exam_slope_rad, way_of(run, slope_share, first_rad));
    run->drop_m = p->exam_drop_m * (height_share + rng_unit(rng) / STARTS);
    if (!run->world.has_ground || !(relief_m > 0))
        return;
    /* other waves, of a seed of the start's own; the body stays as high above them as it is */
    double height_m = terrain_height(&run->world, &run->phenotype, run->dynamics);
    world_set_relief(&run->world, p, run->phenotype.kind, relief_m, rng_u64(rng));
    run_put_at(run, height_m);
}

int run_perturb_start(struct run *run)
{
    const struct params *p = run->params;
    struct rng rng;
    run->has_landed = 1;
    if (p->simulation_perturbation == 0)
        return VERDICT_OK;
    /* perturbations come in eights */
    uint64_t number = (uint64_t)(p->simulation_perturbation - 1);
    rng_init(&rng, run->seed, RNG_PERTURBATION, 1, number / STARTS);
    int signs = (int)(number % STARTS) ^ (int)(rng_below(&rng, 4) << SIGN_TILT);
    double tilt_rad = rng_uniform(&rng, 0, 2 * DET_PI);
    double slope_rad = rng_uniform(&rng, 0, 2 * DET_PI);
    double tilt_share = share_of(signs, SIGN_TILT, SIGN_SLOPE, SIGN_FRICTION);
    int is_less = signs >> SIGN_FRICTION & 1;

    rng_init(&rng, run->seed, RNG_PERTURBATION, 0, (uint64_t)p->simulation_perturbation);
    resist(&run->world, 1 + (is_less ? -p->exam_friction_share : p->exam_friction_share));
    int verdict = turn(run, p->exam_turn_rad, way_of(run, tilt_share, tilt_rad), &rng);
    if (terrain_can_carry(&run->world) && run->world.gravity_m_s2 > 0)
        perturb_on_floor(run, signs, slope_rad, &rng);
    dynamics_set_world(run->dynamics, &run->world);
    return verdict;
}

void run_perturb_height(struct run *run)
{
    if (run->drop_m <= 0)
        return;
    dynamics_shift(run->dynamics, (struct vec3){0, run->drop_m, 0});
    run->has_landed = 0;
}
