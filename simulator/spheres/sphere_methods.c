/* The two methods of the documents, for comparison: "How to simulate bones and joints" (2016)
 * and a comment on it. One step a step, contacts first, then the bones; joints do nothing. Their
 * gains and losses stand in docs/physics-spheres.md; creatures moved by them are judged by the
 * same ledger and the same guards.
 *
 * rejection, as the code there is printed: a bone that is off by more than 5 % (their bones were
 * about 1 long) takes from both its spheres the velocity that makes it worse, averages what they
 * lost, and gives the average back to both; then it adds the difference of the length asked for and
 * the length it had, metres for metres per second, to both spheres, away from each other. Masses do
 * not occur: with spheres of different masses no momentum is kept, and what beats its heavy and its
 * light end together flies.
 *
 * nudge: the spheres move as if there were no bones; then four times every bone says where its
 * spheres should be, by their masses, and each sphere goes to the average of what is said to it;
 * velocities follow from the places. Each average has its own divisor: action is not reaction.
 *
 * The work of muscles is booked as such, impulse times mean velocity; all else that bones do to the
 * energy is a loss, or an unearned gain. */
#include "simulator/spheres/sphere_system.h"

#define REJECTION_SHARE 0.05
#define NUDGES          4
/* Bones shorter than this have no direction, m. */
#define SHORTEST_M 1e-9

static struct vec3 mean(struct vec3 a, struct vec3 b)
{
    return vec3_scale(vec3_add(a, b), 0.5);
}

/* The length that the bone should have now. */
static double wanted_length(const struct sphere_system *s, int index)
{
    if (index >= s->fixed_rods)
        return s->muscle[index - s->fixed_rods].length;
    return sqrt(s->rod[index].length_sq);
}

static void advance_lengths(struct sphere_system *s)
{
    for (int i = 0; i < s->muscle_count; i++) {
        struct muscle *muscle = &s->muscle[i];
        double goal = s->effectors == EFFECTORS_ON ? muscle->target : muscle->birth;
        double most = muscle->rate * s->h;
        goal = fmin(fmax(goal, muscle->shortest), muscle->longest);
        muscle->length += fmin(fmax(goal - muscle->length, -most), most);
        muscle->target += muscle->target_rate * s->h;
    }
}

static double kinetic_energy(const struct sphere_system *s)
{
    double sum = 0;
    for (int i = 0; i < s->balls; i++)
        sum += 0.5 * s->ball[i].mass * vec3_dot(s->ball[i].velocity, s->ball[i].velocity);
    return sum;
}

/* Change of the kinetic energy and work of the muscles. */
static void book(struct sphere_system *s, double change, double work, double positive)
{
    double left = change - work;
    s->ledger.work_effector_j += work;
    s->ledger.work_effector_positive_j += positive;
    *(left > 0 ? &s->ledger.gain_limit_j : &s->ledger.loss_limit_j) += fabs(left);
}

/* ---------------------------------------------------------------- rejection */

/* The part of a velocity that a surface with that normal takes. */
static struct vec3 lost(struct vec3 velocity, struct vec3 normal)
{
    double along = vec3_dot(velocity, normal);
    return along > 0 ? vec3_scale(normal, along) : (struct vec3){0, 0, 0};
}

/* One bone; returns the work of its added velocity. */
static double apply_bone(struct sphere_system *s, int index)
{
    const struct rod *rod = &s->rod[index];
    struct ball *a = &s->ball[rod->a], *b = &s->ball[rod->b];
    struct vec3 d = vec3_sub(a->at, b->at);
    double length = vec3_length(d), wanted = wanted_length(s, index), off = length - wanted;
    if (fabs(off) < REJECTION_SHARE * wanted || length < SHORTEST_M)
        return 0;
    struct vec3 away = vec3_scale(d, 1 / length), normal = vec3_scale(away, off > 0 ? 1 : -1);
    struct vec3 lost_a = lost(a->velocity, normal);
    struct vec3 lost_b = lost(b->velocity, vec3_scale(normal, -1));
    struct vec3 shared = mean(lost_a, lost_b);
    a->velocity = vec3_add(vec3_sub(a->velocity, lost_a), shared);
    b->velocity = vec3_add(vec3_sub(b->velocity, lost_b), shared);

    double added = wanted - s->previous_length[index];
    struct vec3 before_a = a->velocity, before_b = b->velocity;
    a->velocity = vec3_along(a->velocity, away, added);
    b->velocity = vec3_along(b->velocity, away, -added);
    s->previous_length[index] = length;
    return added * (s->ball[rod->a].mass * vec3_dot(away, mean(before_a, a->velocity)) -
                    s->ball[rod->b].mass * vec3_dot(away, mean(before_b, b->velocity)));
}

static void reject(struct sphere_system *s)
{
    double before = kinetic_energy(s), work = 0, positive = 0;
    for (int i = 0; i < s->rods; i++) {
        double part = apply_bone(s, i);
        if (i < s->fixed_rods)
            continue;
        work += part;
        positive += larger(part, 0);
    }
    book(s, kinetic_energy(s) - before, work, positive);
    for (int i = 0; i < s->balls; i++)
        s->ball[i].at = vec3_along(s->ball[i].at, s->ball[i].velocity, s->h);
}

/* ---------------------------------------------------------------- nudge */

/* Every bone's word to both its spheres. */
static void collect_nudges(struct sphere_system *s)
{
    for (int i = 0; i < s->balls; i++)
        s->nudge_sum[i] = (struct vec3){0, 0, 0};
    for (int i = 0; i < s->rods; i++) {
        const struct rod *rod = &s->rod[i];
        const struct ball *a = &s->ball[rod->a], *b = &s->ball[rod->b];
        struct vec3 d = vec3_sub(a->at, b->at);
        double length = larger(vec3_length(d), SHORTEST_M);
        double off = (wanted_length(s, i) - length) / length / (a->inverse_mass + b->inverse_mass);
        struct vec3 for_a = vec3_scale(d, off * a->inverse_mass / s->bones_at[rod->a]);
        struct vec3 for_b = vec3_scale(d, -off * b->inverse_mass / s->bones_at[rod->b]);
        s->nudge_sum[rod->a] = vec3_add(s->nudge_sum[rod->a], for_a);
        s->nudge_sum[rod->b] = vec3_add(s->nudge_sum[rod->b], for_b);
        s->nudged[2 * i] = vec3_add(s->nudged[2 * i], for_a);
        s->nudged[2 * i + 1] = vec3_add(s->nudged[2 * i + 1], for_b);
    }
    for (int i = 0; i < s->balls; i++)
        s->ball[i].at = vec3_add(s->ball[i].at, s->nudge_sum[i]);
}

static double nudged_work(const struct sphere_system *s, int ball, struct vec3 nudged)
{
    struct vec3 mean_velocity = vec3_along(s->ball[ball].velocity, s->nudge_sum[ball], -0.5);
    return s->ball[ball].mass / s->h * vec3_dot(nudged, mean_velocity);
}

static void nudge(struct sphere_system *s)
{
    double before = kinetic_energy(s), work = 0, positive = 0;
    for (int i = 0; i < 2 * s->rods; i++)
        s->nudged[i] = (struct vec3){0, 0, 0};
    for (int i = 0; i < s->balls; i++) {
        s->from[i] = s->ball[i].at;
        s->ball[i].at = vec3_along(s->ball[i].at, s->ball[i].velocity, s->h);
    }
    for (int i = 0; i < NUDGES; i++)
        collect_nudges(s);
    for (int i = 0; i < s->balls; i++) {
        struct vec3 now = vec3_scale(vec3_sub(s->ball[i].at, s->from[i]), 1 / s->h);
        s->nudge_sum[i] = vec3_sub(now, s->ball[i].velocity);
        s->ball[i].velocity = now;
    }
    for (int i = s->fixed_rods; i < s->rods; i++) {
        double part = nudged_work(s, s->rod[i].a, s->nudged[2 * i]) +
                      nudged_work(s, s->rod[i].b, s->nudged[2 * i + 1]);
        work += part;
        positive += larger(part, 0);
    }
    book(s, kinetic_energy(s) - before, work, positive);
}

/* ---------------------------------------------------------------- both */

int sphere_methods_create(struct sphere_system *s, struct arena *arena)
{
    size_t balls = (size_t)s->balls, rods = (size_t)s->rods;
    s->previous_length = arena_take(arena, rods, sizeof *s->previous_length);
    s->nudged = arena_take(arena, 2 * rods, sizeof *s->nudged);
    s->nudge_sum = arena_take(arena, balls, sizeof *s->nudge_sum);
    s->from = arena_take(arena, balls, sizeof *s->from);
    s->bones_at = arena_take(arena, balls, sizeof *s->bones_at);
    if (!s->previous_length || !s->nudged || !s->nudge_sum || !s->from || !s->bones_at)
        return ERR_MEMORY;
    for (int i = 0; i < s->rods; i++) {
        s->previous_length[i] = sqrt(s->rod[i].length_sq);
        s->bones_at[s->rod[i].a]++;
        s->bones_at[s->rod[i].b]++;
    }
    return 0;
}

void sphere_step_by_method(struct sphere_system *s)
{
    struct vec3 fall = vec3_scale(world_gravity(&s->world), s->h);
    for (int i = 0; i < s->balls; i++) {
        s->ball[i].start = s->ball[i].velocity;
        s->matter[i].spin_start = s->matter[i].spin;
        s->ball[i].velocity = vec3_add(s->ball[i].velocity, fall);
    }
    advance_lengths(s);
    sphere_contacts_solve(s);
    sphere_contacts_book(s);
    if (s->settings.solver == SOLVER_REJECTION)
        reject(s);
    else
        nudge(s);
    /* bones may have made it faster: what is near is looked for anew in every step */
    s->travel = HUGE_VAL;
}
