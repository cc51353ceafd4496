/* Parameters: one row each, from which the struct, parsing, checking, printing and the manual come.
 *
 * Rows: section, name, default, minimum, maximum, scope, when, help. The key is `section.name` (rows of
 * section `run` have the bare name as key, for example `seed`); the unit is part of the name. Scope
 * says what a parameter may change: E the result of an evaluation (these enter the evaluation's
 * digest), J what becomes of the result: fitness, the referee's word, the exam (creature files
 * record rows of E and J), S the course of the search, F only how the work is done. `when` says
 * which conditions a run meets that uses the row, as bits (PARAM_CONDITIONS). */
#ifndef COMMON_PARAMS_PARAMS_H
#define COMMON_PARAMS_PARAMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/params/constants.h"

#define PARAM_TEXT_SIZE       1024
#define PARAM_TEXT_LENGTH_MAX 1000

/* How long a creature must be at rest before it starts (settle.c). */
#define SETTLE_REST_S 0.5

/* The choices of simulation.solver, as a list and as "a|b|c". */
#define SOLVERS(X)               X("articulated", "") X("constraint", "|")
#define SOLVER_CHOICE(name, bar) bar name
#define CONTEST_GOALS            "cube|push|tag|sumo|ball"
#define SOLVER_CHOICES           SOLVERS(SOLVER_CHOICE)

/* The conditions under which rows are used: name, and whether the parameters *p meet it. */
#define PARAM_CONDITIONS(X)                                                                        \
    X(SPHERES, p->creature_body == BODY_SPHERES)                                                   \
    X(BOXES, p->creature_body == BODY_BOXES)                                                       \
    X(RECTANGLES, p->creature_body == BODY_RECTANGLES)                                             \
    X(VOLUME, p->creature_body != BODY_RECTANGLES)                                                 \
    X(LENGTHS, p->creature_body != BODY_BOXES)                                                     \
    X(FACES, p->creature_body != BODY_SPHERES)                                                     \
    X(ARCHIVE, p->evolution_search == SEARCH_ARCHIVE)                                              \
    X(INTERACTIVE, p->interactive_share > 0 || p->evolution_behaviour == BEHAVIOUR_INTERACTIVE)    \
    X(ISLANDS, p->evolution_islands > 1)                                                           \
    X(LIGHT, p->light_kind != LIGHT_NONE)                                                          \
    X(STILL_LIGHT, p->light_kind == LIGHT_STILL)                                                   \
    X(MOVING_LIGHT, p->light_kind == LIGHT_MOVING)                                                 \
    X(CONTEST, p->evolution_behaviour == BEHAVIOUR_CONTEST)                                        \
    X(ALONE, p->evolution_behaviour != BEHAVIOUR_CONTEST)                                          \
    X(RING, p->contest_goal == CONTEST_SUMO)                                                       \
    X(OTHERS,                                                                                      \
      p->evolution_behaviour == BEHAVIOUR_CONTEST || p->evolution_behaviour == BEHAVIOUR_PRESERVE) \
    X(STRETCH, p->creature_stretch_max > 0)                                                        \
    X(RELIEF, p->world_relief_m > 0 || p->exam_relief_m > 0)                                       \
    X(PRESERVE, p->evolution_behaviour == BEHAVIOUR_PRESERVE)                                      \
    X(BRED, p->evolution_behaviour != BEHAVIOUR_PRESERVE)                                          \
    X(WAY, p->evolution_behaviour == BEHAVIOUR_STRIDE || p->evolution_behaviour == BEHAVIOUR_SWIM) \
    X(CUSTOM, p->evolution_behaviour == BEHAVIOUR_CUSTOM)                                          \
    X(DRAG, p->world_viscosity_pa_s > 0 || p->world_viscosity_pa_s_m > 0 ||                        \
                p->world_drag_law == DRAG_LAW_QUADRATIC)                                           \
    X(LINEAR_DRAG, p->world_drag_law == DRAG_LAW_LINEAR)                                           \
    X(QUADRATIC_DRAG, p->world_drag_law == DRAG_LAW_QUADRATIC)
enum param_condition {
#define PARAM_CONDITION(name, holds) IS_##name,
    PARAM_CONDITIONS(PARAM_CONDITION)
#undef PARAM_CONDITION
        IS_SELDOM
};
enum {
    ALWAYS = 0,
#define PARAM_CONDITION(name, holds) IF_##name = 1 << IS_##name,
    PARAM_CONDITIONS(PARAM_CONDITION)
#undef PARAM_CONDITION
        SELDOM = 1 << IS_SELDOM, /* no run meets it: hardly ever set */
};

/* REAL(section, name, default, min, max, scope, when, help)
 * INT(section, name, default, min, max, scope, when, help)
 * BOOL(section, name, default, scope, when, help)
 * CHOICE(section, name, default index, "a|b|c", scope, when, help)
 * TEXT(section, name, default, scope, when, help) */
#define PARAMS(REAL, INT, BOOL, CHOICE, TEXT)                                                      \
    INT(run, seed, 1, 0, INT64_MAX, 'S', ALWAYS, "same seed, same run, bit for bit")               \
    TEXT(run, name, "run", 'F', ALWAYS, "names the default directory, runs/NAME-SEED")             \
    INT(population, size, 300, 2, 1000000, 'S', IF_BRED, "creatures in each generation")           \
    REAL(population, survival, 0.2, 0.001, 1, 'S', IF_BRED, "share that survives")                 \
    INT(evolution, generations, 50, 1, 1000000, 'S', ALWAYS, "generations, the first included")    \
    CHOICE(evolution, behaviour, 0,                                                                \
           "walk|jump|swim|fly|seek|head-up|hop|platform|stride|custom|interactive|contest|"       \
           "preserve",                                                                             \
           'J', ALWAYS, "what creatures are bred for; preserve: they live, for nothing")           \
    CHOICE(evolution, search, 2, "sims|random|archive", 'S', IF_BRED, "random is the control")     \
    TEXT(evolution, seeds, "", 'F', ALWAYS,                                                        \
         "creatures to begin with, separated by blanks: files, beside the parameter file or from " \
         "here, or RUN_DIR:ID; a name with blanks stands in double quotes")                        \
    TEXT(evolution, seeds_see, "", 'F', SELDOM,                                                    \
         "those that see the one, and nothing of the other, see that instead: light:object")       \
    REAL(evolution, seeded_share, 0.5, 0, 1, 'S', SELDOM,                                          \
         "share of the first generation for seeds and their mutants")                              \
    BOOL(evolution, reevaluate, 0, 'S', SELDOM, "simulate survivors again")                        \
    INT(evolution, islands, 1, 1, 1000, 'S', IF_ALONE | IF_BRED,                                   \
        "starts from random creatures, one after the other; then their best breed on together")    \
    INT(evolution, island_generations, 10, 1, 1000000, 'S', IF_ISLANDS,                            \
        "generations of each start")                                                               \
    INT(evolution, island_halvings, 0, 0, 10, 'S', IF_ISLANDS,                                     \
        "how often the best half of the starts goes on, one after the other, before that")         \
    INT(evolution, halving_generations, 2, 1, 1000000, 'S', SELDOM,                                \
        "generations of each that goes on")                                                        \
    INT(evolution, islands_merged, 2, 1, 1000, 'S', IF_ISLANDS,                                    \
        "starts whose best breed on, at most")                                                     \
    REAL(evolution, polish, 0.03, 0, 10, 'S', SELDOM,                                              \
         "share of the run's evaluations by which its best are changed at the end; 0 = off")       \
    INT(evolution, living_draws, 1, 1, 100, 'S', SELDOM,                                           \
        "random creatures of a start that do not move are drawn again, until there were this "     \
        "many times the population; 1: never")                                                     \
    INT(evolution, lag, 48, 1, 100000, 'S', SELDOM,                                                \
        "archive: results that a child does not wait for")                                         \
    TEXT(archive, cells, "links:3,4,5,6,8 size_m:0.6,1,1.6 contact_share:0.2,0.5,0.8", 'S',        \
         IF_ARCHIVE | IF_BRED, "measures and the bounds between cells")                            \
    INT(archive, pressure, 6, 0, 16, 'S', SELDOM,                                                  \
        "a parent's weight is (1 - rank / filled cells) to this power")                            \
    INT(archive, trials, 3, 0, 100, 'S', SELDOM, "changed brains tried in each new body")          \
    CHOICE(archive, referee, 0, "entrants|top", 'S', SELDOM,                                       \
           "the referee tries what fills a cell, or only the top")                                 \
    REAL(interactive, share, 0, 0, 1, 'S', IF_ALONE | IF_BRED,                                     \
         "share of children with parents chosen by hand; 0: no requests")                          \
    INT(interactive, every, 1, 1, 1000000, 'S', IF_INTERACTIVE | IF_ALONE | IF_BRED,               \
        "generations between choices")                                                             \
    REAL(breeding, asexual, 40, 0, 100, 'S', SELDOM, "weight of asexual breeding")                 \
    REAL(breeding, crossover, 30, 0, 100, 'S', SELDOM, "weight of crossover")                      \
    REAL(breeding, graft, 30, 0, 100, 'S', SELDOM, "weight of grafting")                           \
    CHOICE(breeding, choice, 0, "percentage|inherited", 'S', SELDOM,                               \
           "by these weights, or a gene of the first parent")                                      \
    INT(breeding, draws, 8, 1, 100, 'S', SELDOM,                                                   \
        "draws of a child, at most, until its body and brain are new to the population; 1: as "    \
        "Sims")                                                                                    \
    REAL(mutation, none, 0.25, 0, 1, 'S', ALWAYS, "share of children without mutation")            \
    REAL(mutation, one, 0.5, 0, 1, 'S', ALWAYS, "share with one; the rest have more")              \
    REAL(mutation, body_size, 1, 0, 1000, 'S', SELDOM, "rate per body gene: a side or radius")     \
    REAL(mutation, body_joint, 0.2, 0, 1000, 'S', SELDOM, "rate per body gene: joint type")        \
    REAL(mutation, body_recursion, 0.4, 0, 1000, 'S', SELDOM,                                      \
         "rate per body gene: recursive limit")                                                    \
    REAL(mutation, body_symmetry, 0.2, 0, 1000, 'S', SELDOM, "rate per body gene: symmetry")       \
    REAL(mutation, body_sensors, 0.3, 0, 1000, 'S', SELDOM,                                        \
         "rate per body gene: gains or loses a sensor")                                            \
    REAL(mutation, neuron_lag, 0, 0, 1000, 'S', SELDOM,                                            \
         "rate per oscillator: by how much its copies in images and rows lag")                     \
    REAL(mutation, add_body, 0.5, 0, 1000, 'S', SELDOM, "rate per genome: a new body gene")        \
    REAL(mutation, add_neuron, 1, 0, 1000, 'S', SELDOM, "rate per genome: a new neuron")           \
    REAL(mutation, connection_scale, 0.4, 0, 1000, 'S', SELDOM, "rate per connection: scale")      \
    REAL(mutation, add_connection, 0.4, 0, 1000, 'S', SELDOM,                                      \
         "rate per body gene: a new connection")                                                   \
    REAL(mutation, remove_connection, 0.4, 0, 1000, 'S', SELDOM, "rate per connection: it goes")   \
    BOOL(mutation, body, 1, 'S', ALWAYS, "no: only brains mutate")                                 \
    REAL(mutation, small, 1, 0.05, 1, 'S', SELDOM,                                                 \
         "a new connection begins at so much of its scale")                                        \
    CHOICE(mutation, plan, 0, "free|keep", 'S', ALWAYS,                                            \
           "keep: sizes, limits, senses and brains mutate, what hangs where does not; no grafts, " \
           "and "                                                                                  \
           "crossover within a plan only")                                                         \
    REAL(mutation, step, 0.3, 0.001, 10, 'S', ALWAYS,                                              \
         "size of a numeric mutation, by the value's scale")                                       \
    INT(initial, bodies_min, 2, 1, 32, 'S', ALWAYS, "body genes, at least")                        \
    INT(initial, bodies_max, 4, 1, 32, 'S', ALWAYS, "body genes, at most")                         \
    REAL(initial, connections, 1.4, 1, 4, 'S', SELDOM, "connections per body gene")                \
    TEXT(initial, functions, "all", 'S', SELDOM,                                                   \
         "neuron functions that may arise: all, names, or -names")                                 \
    INT(initial, recursion_max, 4, 1, 4, 'S', ALWAYS, "recursive limit, at most")                  \
    REAL(initial, tidy, 0, 0, 1, 'S', IF_BOXES,                                                    \
         "boxes: share of connections, later ones too, by a plan: a root along the way, pairs on " \
         "its sides, others end to end, without angles")                                           \
    REAL(initial, taper, 0, 0, 10, 'S', IF_BOXES,                                                  \
         "boxes: each side of a part, the longest, the middle and the shortest, is at most this "  \
         "times its parent's, in parts that mutation or mating changes, too; 0 = off")             \
    REAL(initial, symmetric, 0.3, 0, 1, 'S', ALWAYS, "share of symmetric body genes")              \
    REAL(initial, side_min_m, 0.06, 0.01, 10, 'S', IF_FACES, "smallest side")                      \
    REAL(initial, side_max_m, 0.7, 0.01, 10, 'S', IF_FACES, "largest side")                        \
    REAL(initial, rigid, 0.1, 0, 1, 'S', SELDOM, "share of rigid joints")                          \
    REAL(initial, effectors, 0.9, 0, 1, 'S', SELDOM, "share of moving joints with an effector")    \
    REAL(initial, oscillators, 0.7, 0, 1, 'S', SELDOM,                                             \
         "share of effectors that an oscillator drives")                                           \
    REAL(initial, lags, 0, 0, 1, 'S', SELDOM, "share of oscillators whose copies lag")             \
    CHOICE(creature, body, 0, "rectangles|spheres|boxes", 'S', ALWAYS,                             \
           "kind of random genomes; spheres and boxes move in space")                              \
    INT(creature, parts_min, 2, 1, 64, 'E', ALWAYS, "parts, at least")                             \
    INT(creature, parts_max, 16, 1, 64, 'E', ALWAYS, "parts, at most")                             \
    BOOL(creature, twins, 0, 'E', IF_FACES,                                                        \
         "a symmetric gene grows its mirror image with one connection")                            \
    INT(creature, neurons_max, 256, 0, 4096, 'E', ALWAYS, "neurons, at most")                      \
    REAL(creature, side_min_m, 0.03, 0.01, 10, 'E', IF_FACES, "smallest grown side")               \
    REAL(creature, aspect_max, 20, 1, 1000, 'E', SELDOM,                                           \
         "longest side by shortest; thinner parts are widened")                                    \
    REAL(creature, stretch_max, 0, 0, 0.6931471805599453, 'E', IF_RECTANGLES,                      \
         "logarithm of how much longer or shorter rectangles get, at most; 0: they are rigid")     \
    REAL(initial, stretching, 0.5, 0, 1, 'S', IF_STRETCH,                                          \
         "share of rectangles that stretch, where they may")                                       \
    REAL(creature, friction, 0.8, 0, 10, 'E', ALWAYS,                                              \
         "Coulomb friction; with the world's: geometric mean")                                     \
    REAL(creature, elasticity, 0, 0, 1, 'E', SELDOM,                                               \
         "Newton's restitution; with the world's: the larger")                                     \
    REAL(creature, density_kg_m3, 150, 1, 100000, 'E', IF_VOLUME,                                  \
         "spheres, boxes: mass by volume")                                                         \
    CHOICE(creature, overlap, 0, "push|reject", 'E', SELDOM,                                       \
           "parts that overlap at birth are pushed apart, or disqualify")                          \
    BOOL(creature, effectors, 1, 'E', SELDOM, "no: a passive body")                                \
    CHOICE(creature, effector_mode, 0, "position|torque", 'E', SELDOM,                             \
           "what a joint does with its signal")                                                    \
    REAL(creature, joint_speed_rad_s, 20, 0.1, 1000, 'E', SELDOM,                                  \
         "speed without torque: in torque mode, or with hill_curvature")                           \
    REAL(creature, hill_curvature, 0.25, 0, 10, 'E', SELDOM,                                       \
         "a/F0 of Hill's curve, by which muscles weaken with speed (animals: 0.25); 0 = off")      \
    REAL(creature, effector_filter_s, 0.04, 0, 1, 'E', SELDOM, "time constant of signals")         \
    REAL(rectangles, strength_n, 5, 0, 100000, 'E', IF_RECTANGLES,                                 \
         "greatest torque by larger cross-section, N m/m")                                         \
    CHOICE(                                                                                        \
        boxes, neighbours, 0, "auto|half|pass", 'E', SELDOM,                                       \
        "boxes that a joint joins collide, without the half of the smaller one that is next to "   \
        "the joint; or pass through one another; auto: half")                                      \
    REAL(boxes, strength_n_m, 700, 0, 10000000, 'E', IF_BOXES,                                     \
         "greatest torque by larger cross-section, N m/m2")                                        \
    INT(spheres, dimensions, 3, 2, 3, 'E', IF_SPHERES, "2 keeps them in the plane z = 0")          \
    BOOL(spheres, sensor_bone, 1, 'E', IF_SPHERES, "length of a bone and its rate")                \
    REAL(simulation, duration_s, 10, 0.1, 3600, 'E', IF_BRED, "scored time")                       \
    CHOICE(simulation, until, 0, "time|touch|fall", 'E', IF_BRED,                                  \
           "ends early at a touch of the ground, or at a fall")                                    \
    CHOICE(simulation, solver, 0, SOLVER_CHOICES, 'E', ALWAYS,                                     \
           "what moves bodies; docs/physics.md")                                                   \
    CHOICE(simulation, integrator, 0, "auto|rk4|midpoint", 'E', SELDOM,                            \
           "auto: RK4 unless something touches")                                                   \
    REAL(simulation, dt_s, 0.004166666666666667, 0.00001, 0.05, 'E', ALWAYS,                       \
         "time step, rounded to parts of a brain tick")                                            \
    INT(simulation, perturbation, 0, 0, 48, 'E', SELDOM,                                           \
        "number of a perturbed start; above 8: the exam's; 0: as born")                            \
    CHOICE(world, preset, 0, "custom|land|water|air|moon", 'E', ALWAYS,                            \
           "sets the defaults of this section")                                                    \
    REAL(world, gravity_m_s2, 9.81, 0, 100, 'E', ALWAYS, "downwards")                              \
    REAL(world, viscosity_pa_s, 0, 0, 100, 'E', IF_LENGTHS | IF_LINEAR_DRAG,                       \
         "linear drag on faces, by length x speed")                                                \
    CHOICE(world, drag_law, 0, "linear|quadratic", 'E', ALWAYS,                                    \
           "which drag acts: viscosity_* or quadratic_drag_*")                                     \
    REAL(world, quadratic_drag_kg_m2, 0, 0, 100, 'E', IF_LENGTHS | IF_QUADRATIC_DRAG,              \
         "quadratic drag on faces, by length x speed squared")                                     \
    REAL(world, viscosity_pa_s_m, 0, 0, 100000, 'E', IF_BOXES | IF_LINEAR_DRAG,                    \
         "boxes: linear drag on faces, by area x speed")                                           \
    REAL(world, quadratic_drag_kg_m3, 0, 0, 100000, 'E', IF_BOXES | IF_QUADRATIC_DRAG,             \
         "boxes: quadratic drag on faces, by area x speed squared")                                \
    CHOICE(world, drag_faces, 0, "all|leading", 'E', SELDOM,                                       \
           "faces that feel drag: all, or those that move forwards")                               \
    BOOL(world, drag_exposure, 1, 'E', SELDOM,                                                     \
         "no drag on faces that an own part covers or faces")                                      \
    BOOL(world, ground, 1, 'E', IF_BRED, "an infinite ground, y = 0 where it is highest")          \
    REAL(world, relief_m, 0, 0, 1, 'E', IF_FACES | IF_ALONE | IF_BRED,                             \
         "rectangles, boxes: the ground has waves, from crest to trough at most this; 0 = flat")   \
    REAL(world, relief_wavelength_m, 0.5, 0.05, 100, 'E', IF_RELIEF,                               \
         "length of the shortest of the waves")                                                    \
    TEXT(world, obstacles, "", 'E', IF_BRED,                                                       \
         "fixed rectangles: x y width height angle_rad [* count dx dy], ...")                      \
    REAL(world, friction, 0.8, 0, 10, 'E', ALWAYS, "Coulomb friction of ground and obstacles")     \
    REAL(world, elasticity, 0, 0, 1, 'E', SELDOM, "Newton's restitution of ground and obstacles")  \
    CHOICE(light, kind, 0, "none|still|moving", 'E', IF_ALONE | IF_BRED, "a source of light")      \
    REAL(light, x_m, 3, -1000, 1000, 'E', IF_STILL_LIGHT, "still: from the settled start")         \
    REAL(light, y_m, 0.5, -1000, 1000, 'E', IF_LIGHT,                                              \
         "height above the ground; without ground (still): above the start")                       \
    REAL(light, range_m, 3, 0.1, 1000, 'E', IF_MOVING_LIGHT,                                       \
         "moving: each trial puts it at half to all of this distance")                             \
    INT(light, trials, 4, 1, 100, 'E', IF_MOVING_LIGHT, "moving: trials in the scored time")       \
    BOOL(light, around, 0, 'E', SELDOM, "moving: in space all around, not in the plane z = 0")     \
    BOOL(sensor, joint, 1, 'E', SELDOM,                                                            \
         "angle; a switched-off sensor reads 0 and does not evolve")                               \
    BOOL(sensor, joint_rate, 1, 'E', SELDOM, "rate of the joint")                                  \
    BOOL(sensor, contact, 1, 'E', SELDOM, "contact, touch")                                        \
    BOOL(sensor, acceleration, 0, 'E', SELDOM, "acceleration")                                     \
    BOOL(sensor, light, 0, 'E', IF_ALONE | IF_BRED, "direction and level of light")                \
    BOOL(sensor, other, 0, 'E', IF_CONTEST,                                                        \
         "contests: direction and level of the nearest other creature")                            \
    BOOL(sensor, object, 0, 'E', IF_CONTEST, "contests: direction and level of the object")        \
    BOOL(sensor, sound, 0, 'E', IF_OTHERS,                                                         \
         "contests, preserve: direction and level of the loudest sound; sounds that parts make")   \
    BOOL(sensor, scent, 0, 'E', IF_OTHERS,                                                         \
         "contests, preserve: direction and level of two scents; scents that parts give off")      \
    BOOL(sensor, pain, 0, 'E', SELDOM, "preserve: what mouths took of late")                       \
    BOOL(sensor, reserve, 0, 'E', SELDOM, "preserve: reserve of energy")                           \
    BOOL(sensor, touch_kind, 0, 'E', SELDOM,                                                       \
         "contests, preserve: what kind of creature a part touches")                               \
    BOOL(sensor, height, 1, 'E', SELDOM, "spheres, boxes: height")                                 \
    CHOICE(settle, effectors, 1, "limp|hold", 'E', SELDOM,                                         \
           "joints while settling: slack, or held as at birth")                                    \
    REAL(settle, drop_m, 0, 0, 1000, 'E', SELDOM,                                                  \
         "above 0: dropped from this height without settling")                                     \
    REAL(settle, limit_s, 5, 0, 60, 'E', SELDOM, "longest time to come to rest")                   \
    BOOL(settle, required, 1, 'E', SELDOM, "disqualify what does not come to rest")                \
    REAL(guard, energy_share, 0.01, 0, 1000, 'E', SELDOM,                                          \
         "unaccounted energy, by work and losses; 0 = off")                                        \
    INT(guard, referee_top, 10, 0, 1000, 'S', IF_ALONE | IF_BRED,                                  \
        "ranks that the referee tries; 0 = off")                                                   \
    REAL(guard, referee_share, 0.7, 0, 1, 'J', IF_ALONE | IF_BRED,                                 \
         "share of its score that a creature must keep in each trial")                             \
    CHOICE(guard, score, 1, "own|least|mean", 'J', SELDOM,                                         \
           "an accepted creature's fitness: its own, or the least or mean with the trials'")       \
    BOOL(guard, other_solver, 1, 'J', SELDOM,                                                      \
         "the champion's exam has four runs with the other solver")                                \
    INT(guard, exam_candidates, 50, 1, 1000, 'F', SELDOM, "candidates for the exam, at most")      \
    REAL(guard, exam_cost, 1, 0, 1e6, 'F', SELDOM,                                                 \
         "the exams cost at most this many times the run, by steps; 0 = off")                      \
    REAL(guard, budget, 30, 0, 1e6, 'E', SELDOM,                                                   \
         "billions of arithmetic operations in an evaluation; 0 = off")                            \
    REAL(guard, motionless_s, 2, 0, 3600, 'E', IF_ALONE | IF_BRED,                                 \
         "stop after this time without motion; 0 = off")                                           \
    REAL(guard, hopeless_m_s, 0, 0, 1000, 'E', SELDOM,                                             \
         "stop creatures that will be slower in the mean; 0 = off")                                \
    REAL(guard, hopeless_sizes_s, 0, 0, 1000, 'E', SELDOM,                                         \
         "the same in own sizes per second; 0 = off")                                              \
    REAL(guard, hopeless_share, 0.9, 0, 1, 'S', SELDOM,                                            \
         "walk, swim: the same, as a share of the slowest survivor's pace; 0 = off")               \
    REAL(guard, hopeless_s, 3, 0, 3600, 'E', SELDOM, "time before slow creatures are stopped")     \
    CHOICE(contest, goal, 0, CONTEST_GOALS, 'E', IF_CONTEST,                                       \
           "what two creatures contend for; docs/contests.md")                                     \
    REAL(contest, line_m, 0.5, 0, 100, 'E', IF_CONTEST,                                            \
         "from the middle to the line behind which each of them starts")                           \
    REAL(contest, ring_m, 1.5, 0.1, 1000, 'E', IF_RING, "sumo: radius of the ring")                \
    BOOL(contest, dark, 0, 'E', IF_CONTEST,                                                        \
         "blind creatures: other-* and object-* read 0; sensor.sound, sensor.scent are left")      \
    CHOICE(contest, pattern, 0, "all-vs-hall|all-vs-best|random|tournament|all-vs-all", 'S',       \
           IF_CONTEST, "behaviour contest: the pairs that meet in a generation")                   \
    INT(contest, opponents, 2, 1, 64, 'S', IF_CONTEST,                                             \
        "of the hall, besides the last best; random: of the generation")                           \
    INT(contest, headings, 2, 1, 4, 'S', SELDOM,                                                   \
        "bouts of each pair: other headings in space, sides exchanged in the plane")               \
    INT(contest, species, 1, 1, 2, 'S', IF_CONTEST,                                                \
        "2: creatures meet, and breed with, those of the other and of their own; in tag one "      \
        "hunts")                                                                                   \
    INT(preserve, worlds, 4, 1, 64, 'S', IF_PRESERVE,                                              \
        "worlds of a run, from which eggs drift to others")                                        \
    REAL(preserve, drift, 0.1, 0, 1, 'S', SELDOM, "chance that an egg leaves a world in an epoch") \
    TEXT(preserve, pause, "none", 'F', SELDOM,                                                     \
         "the run stops when something is there for the first time: none, or some of predation, "  \
         "topology, trophic-level")                                                                \
    INT(preserve, kept, 10, 1, 1000000, 'F', SELDOM,                                               \
        "a world's state is kept of every so many epochs")                                         \
    REAL(preserve, width_m, 32, 2, 1000, 'S', IF_PRESERVE,                                         \
         "a preserve's water; whole cells of 0.5 m")                                               \
    REAL(preserve, height_m, 18, 2, 1000, 'S', IF_PRESERVE, "its depth")                           \
    INT(preserve, founders, 40, 1, 200, 'S', IF_PRESERVE, "creatures at the start")                \
    BOOL(preserve, founders_copies, 0, 'S', IF_PRESERVE,                                           \
         "founders are exact copies; no: mutants, in turn")                                        \
    INT(preserve, most, 100, 1, 200, 'S', IF_PRESERVE, "living at once; eggs wait")                \
    REAL(preserve, hunters, 0.2, 0, 1, 'S', IF_PRESERVE,                                           \
         "share of founders without mouths that get one for flesh")                                \
    REAL(preserve, plants_j_m2, 1000, 1, 1e6, 'S', IF_PRESERVE,                                    \
         "energy that plants hold, at most")                                                       \
    REAL(preserve, growth_1_s, 0.07, 0, 10, 'S', IF_PRESERVE,                                      \
         "rate of growth of few plants in full light")                                             \
    REAL(preserve, light_m, 6, 0.1, 1000, 'S', IF_PRESERVE,                                        \
         "depth at which 1/e of the light is left")                                                \
    REAL(preserve, vent, 0, 0, 10, 'S', IF_PRESERVE,                                               \
         "light at the bottom; 1/e of it is left 1 m higher")                                      \
    REAL(preserve, cold, 0, 0, 0.95, 'S', SELDOM,                                                  \
         "share of its upkeep that a body at the bottom spares")                                   \
    REAL(preserve, day_s, 0, 0, 86400, 'S', IF_PRESERVE,                                           \
         "length of day and night together; 0: always day")                                        \
    REAL(preserve, bite_w_m, 2000, 0, 1e6, 'S', SELDOM, "what a mouth bites off, by its width")    \
    REAL(preserve, hunt, 0.7, 0, 100, 'S', IF_PRESERVE,                                            \
         "hunters bite the living so many times as fast")                                          \
    REAL(preserve, rest_w_m2, 2, 0, 1e6, 'S', SELDOM, "upkeep of a body, by its area")             \
    REAL(preserve, mouth_w, 10, 0, 1e6, 'S', SELDOM, "upkeep of each mouth besides")               \
    REAL(preserve, body_j_m2, 3000, 1, 1e6, 'S', SELDOM, "energy of a body, by its area")          \
    REAL(preserve, reserve_j_m2, 16000, 1, 1e6, 'S', SELDOM,                                       \
         "reserve that it can hold, by its area")                                                  \
    REAL(preserve, give, 0.4, 0, 0.9, 'S', SELDOM, "share of its reserve that goes with an egg")   \
    REAL(preserve, egg_j, 1200, 0, 1e6, 'S', SELDOM,                                               \
         "price of each egg besides, however small the child")                                     \
    REAL(preserve, hatch_s, 20, 0, 3600, 'S', SELDOM, "from an egg to its hatching")               \
    REAL(preserve, age_s, 300, 1, 1e6, 'S', SELDOM,                                                \
         "at this age upkeep is double; thrice that is the end")                                   \
    REAL(preserve, trial_s, 10, 0.1, 60, 'S', SELDOM,                                              \
         "so long a child lives alone before it is laid")                                          \
    REAL(preserve, womb, 0, 0, 10, 'S', IF_PRESERVE,                                               \
         "a child of a new tree of parts comes this share of its mother's way alone, or more")     \
    BOOL(preserve, injure, 0, 'S', IF_PRESERVE,                                                    \
         "a creature that breaks a guard is hurt; no: it dies")                                    \
    BOOL(preserve, fear, 0, 'S', SELDOM, "other-*: the nearest that may bite; no: the nearest")    \
    REAL(exam, turn_rad, 0.02, 0, 0.5, 'E', SELDOM,                                                \
         "perturbed starts: the body is tilted by this, joints turn by less (linear: m)")          \
    REAL(exam, drop_m, 0.02, 0, 1, 'E', SELDOM,                                                    \
         "where there is a floor they are higher, by at most this")                                \
    REAL(exam, slope_rad, 0.017453292519943295, 0, 0.5, 'E', SELDOM,                               \
         "where there is a floor it slopes by this: gravity is tilted")                            \
    REAL(exam, relief_m, 0, 0, 1, 'E', SELDOM,                                                     \
         "as world.relief_m where that is less, in each start with another seed")                  \
    INT(exam, starts, 8, 1, 32, 'J', SELDOM, "starts at a quarter of the step")                    \
    INT(exam, pass, 7, 1, 32, 'J', SELDOM, "of these must keep guard.referee_share, at least")     \
    TEXT(fitness, expression, "", 'J', IF_CUSTOM,                                                  \
         "custom: fitness by the measures, as in distance_m / size_max_m")                         \
    REAL(fitness, size_floor_m, 0.5, 0.01, 100, 'J', SELDOM,                                       \
         "walk, stride: smaller creatures count as this size")                                     \
    REAL(fitness, ahead, 0, 0, 1, 'J', IF_WAY, "stride, swim: what going tail first takes away")   \
    INT(farm, workers, 0, 0, 1024, 'F', ALWAYS,                                                    \
        "simulator processes; 0: one a core, or a task of Slurm")                                  \
    BOOL(farm, reuse, 1, 'F', SELDOM,                                                              \
         "a creature with an earlier one's body and brain gets its result")                        \
    INT(farm, prefetch, 2, 1, 64, 'F', SELDOM, "tasks a worker holds at once")                     \
    REAL(farm, deadline_s, 300, 1, 86400, 'F', SELDOM, "processor time of a task, at most")        \
    REAL(farm, silence_s, 60, 1, 86400, 'F', SELDOM,                                               \
         "a worker that stands still with a task for this long is replaced")                       \
    INT(farm, memory_mb, 1024, 0, 1048576, 'F', SELDOM,                                            \
        "memory of a worker, at most; 0 = no limit")                                               \
    INT(farm, nice, 0, 0, 19, 'F', SELDOM, "workers give way to other programs: 0 no, 19 always")  \
    BOOL(farm, pin, 0, 'F', SELDOM, "Linux: each worker stays on one core")                        \
    INT(farm, log_mb, 64, 1, 1048576, 'F', SELDOM,                                                 \
        "a longer log begins anew; the one before is kept")                                        \
    TEXT(farm, launcher, "", 'F', ALWAYS,                                                          \
         "command that each simulator is started by, without a shell; slurm = srun")               \
    REAL(farm, start_s, 30, 1, 86400, 'F', SELDOM,                                                 \
         "a worker silent for this long from its start is replaced; not Slurm's")                  \
    REAL(farm, commit_s, 1, 0.01, 60, 'F', SELDOM, "results are committed at least this often")

enum param_type { PARAM_REAL, PARAM_INT, PARAM_BOOL, PARAM_CHOICE, PARAM_TEXT };

/* One field per row, named section_name: double, int64_t, int (bool, choice index), char[]. */
struct params {
#define PARAMS_FIELD_REAL(s, n, d, lo, hi, scope, when, help)  double s##_##n;
#define PARAMS_FIELD_INT(s, n, d, lo, hi, scope, when, help)   int64_t s##_##n;
#define PARAMS_FIELD_BOOL(s, n, d, scope, when, help)          int s##_##n;
#define PARAMS_FIELD_CHOICE(s, n, d, names, scope, when, help) int s##_##n;
#define PARAMS_FIELD_TEXT(s, n, d, scope, when, help)          char s##_##n[PARAM_TEXT_SIZE];
    PARAMS(PARAMS_FIELD_REAL, PARAMS_FIELD_INT, PARAMS_FIELD_BOOL, PARAMS_FIELD_CHOICE,
           PARAMS_FIELD_TEXT)
#define CONSTANT_REAL(s, n, value, scope, help) double s##_##n;
#define CONSTANT_INT(s, n, value, scope, help)  int64_t s##_##n;
    CONSTANTS(CONSTANT_REAL, CONSTANT_INT)
};

/* Indices of the CHOICE rows, in the order of their names. */
enum {
    BEHAVIOUR_WALK,
    BEHAVIOUR_JUMP,
    BEHAVIOUR_SWIM,
    BEHAVIOUR_FLY,
    BEHAVIOUR_SEEK,
    BEHAVIOUR_HEAD_UP,
    BEHAVIOUR_HOP,
    BEHAVIOUR_PLATFORM,
    BEHAVIOUR_STRIDE,
    BEHAVIOUR_CUSTOM,
    BEHAVIOUR_INTERACTIVE,
    BEHAVIOUR_CONTEST,
    BEHAVIOUR_PRESERVE,
    BEHAVIOUR_COUNT
};
enum { SEARCH_SIMS, SEARCH_RANDOM, SEARCH_ARCHIVE, SEARCH_COUNT };
enum body_kind { BODY_RECTANGLES, BODY_SPHERES, BODY_BOXES, BODY_KIND_COUNT };
enum { CHOICE_PERCENTAGE, CHOICE_INHERITED };
enum { ARCHIVE_REFEREE_ENTRANTS, ARCHIVE_REFEREE_TOP };
enum { OVERLAP_PUSH, OVERLAP_REJECT };
enum { PLAN_FREE, PLAN_KEEP };
enum { NEIGHBOURS_AUTO, NEIGHBOURS_HALF, NEIGHBOURS_PASS };
enum { EFFECTOR_POSITION, EFFECTOR_TORQUE };
enum { SOLVER_ARTICULATED, SOLVER_CONSTRAINT, SOLVER_COUNT };
#define SOLVER_BIT(solver) (1u << (solver))
enum { INTEGRATOR_AUTO, INTEGRATOR_RK4, INTEGRATOR_MIDPOINT };
enum { PRESET_CUSTOM, PRESET_LAND, PRESET_WATER, PRESET_AIR, PRESET_MOON };
enum { DRAG_LAW_LINEAR, DRAG_LAW_QUADRATIC };
enum { DRAG_FACES_ALL, DRAG_FACES_LEADING };
enum { SETTLE_LIMP, SETTLE_HOLD };
enum { SCORE_OWN, SCORE_LEAST, SCORE_MEAN };
enum { UNTIL_TIME, UNTIL_TOUCH, UNTIL_FALL };
enum { LIGHT_NONE, LIGHT_STILL, LIGHT_MOVING };
enum contest_pattern {
    PATTERN_HALL,
    PATTERN_BEST,
    PATTERN_RANDOM,
    PATTERN_TOURNAMENT,
    PATTERN_ALL,
    PATTERN_COUNT
};
enum contest_goal {
    CONTEST_CUBE,
    CONTEST_PUSH,
    CONTEST_TAG,
    CONTEST_SUMO,
    CONTEST_BALL,
    CONTEST_GOAL_COUNT
};

struct param_info {
    const char *section, *name;
    const char *key; /* "section.name", or the bare name in section run */
    enum param_type type;
    char scope;          /* 'E', 'J', 'S' or 'F' */
    unsigned when;       /* conditions: IF_*, ALWAYS or SELDOM */
    size_t offset;       /* in struct params */
    double min, max;     /* REAL and INT (INT64_MAX as a double) */
    const char *choices; /* CHOICE: "a|b|c" */
    const char *preset;  /* the default as the row has it (CHOICE: its number, BOOL: 0 or 1) */
    const char *help;
};
extern const struct param_info param_table[];
extern const int param_count;

/* "articulated", "constraint", ... */
extern const char *const params_solver_names[SOLVER_COUNT];
/* The solver that judges beside another. */
int params_other_solver(int solver);
/* For a second opinion on the same creature: chooses the solver and, if it is another one, lets
 * speeds be a quarter above what disqualifies (guard.speed_m_s, turn_rad, joint_speed_*). The
 * question is whether the motion is the same, and a creature just below a bound may be just above
 * it there. */
void params_ask_solver(struct params *params, int solver);

/* The row with that key, or that had it in an older version; or -1. */
int params_find(const char *key);

/* A number that is the same in every run (constants.h): its former key, its value, its field. */
struct param_constant {
    const char *key;
    double value;
    size_t offset; /* in struct params */
    int is_int;    /* an int64_t; else a double */
    char scope;    /* 'E', 'J' or 'S' */
};
extern const struct param_constant param_constants[];
extern const int param_constant_count;

/* Keys of older versions. The key under which a row stands now: the same, unless it moved. */
const char *params_key_now(const char *key);
/* Whether the key is that of a constant now. */
int params_is_fixed(const char *key);
/* 0 if a fixed key's value is the constant, else ERR_RANGE. */
int params_check_fixed(const char *key, const char *value, struct error *error);
/* Rows and constants: no record has more. */
int params_known_count(void);

void params_set_defaults(struct params *params);
/* The meaning of a record that lacks rows of newer versions: the defaults, and where those changed,
 * as it was. */
void params_set_recorded_defaults(struct params *params);

/* Sets one value from text. Errors name key, value, unit and allowed range. Setting world.preset
 * also sets the preset's values of the other world rows, so it comes before them. */
int params_set(struct params *params, const char *key, const char *value, struct error *error);
/* What of a record this version no longer has, in one line; empty: nothing. */
struct params_remark {
    char text[240];
};
/* Sets likewise from a record, which may be of an older version: another value of a constant is
 * left out, and the remark says so. */
int params_set_recorded(struct params *params, const char *key, const char *value,
                        struct params_remark *remark, struct error *error);
/* Prints a remark on standard error, once in a process. */
void params_tell_remark(const struct params_remark *remark);
/* "key=value", as after -s. */
int params_set_assignment(struct params *params, const char *assignment, struct error *error);

/* Reads an INI file over what is there (call params_set_defaults first). Errors name file and line;
 * a key set twice, or world.preset below other world keys, is one. Rows before the error stay
 * set. */
int params_read_file(struct params *params, const char *path, struct error *error);
/* Reads the text of an INI file; `name` stands for the file in messages. */
int params_read_text(struct params *params, const char *text, const char *name,
                     struct error *error);

/* The rules between rows (minima above maxima, weights all zero, step against brain tick ...). */
int params_check(const struct params *params, struct error *error);
/* Rules that params_check() does not know: whether several creatures can be in one world, as in
 * contests and preserves. 0, or ERR_RANGE with a message that names the solver. */
int params_check_meeting(const struct params *params, struct error *error);

/* The value of a row as text that params_set() reads back exactly; PARAM_TEXT_SIZE bytes hold
 * any. */
void params_print_value(const struct params *params, int index, char *buffer, size_t size);

/* The values of a row, for people: "2 .. 1000000", "yes or no", "walk, jump, swim". */
void params_print_range(int index, char *buffer, size_t size);

/* Whether a printed configuration has the row: it is used and may be worth setting, or it has
 * another value than by default. */
int params_is_shown(const struct params *params, int index);

/* Writes as params_write() does with has_help, but only the rows that are shown. */
int params_write_shown(const struct params *params, FILE *file);
/* Whether the value of a row is the default. */
int params_is_default(const struct params *params, int index);
/* 1 if both have the same value of a row. */
int params_is_same(const struct params *a, const struct params *b, int index);

/* A full INI file; with comments (help, range, default) if has_help. params_read_text() gives the
 * same struct back. 0 or ERR_IO. */
int params_write(const struct params *params, FILE *file, int has_help);

/* Digest of the rows of scope 'E' that differ from their default, by name, but world.preset (which
 * acts through the rows it sets): equal means evaluations can be compared. */
uint64_t params_evaluation_digest(const struct params *params);

#endif
