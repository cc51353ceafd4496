/* The contests of a generation (evolution.behaviour = contest): the pairs that meet, and each
 * creature's result. No I/O, and the order in which results come in decides nothing.
 *
 *   contests_open  ->  contests_ask, simulate, contests_tell  ->  contests_take: a creature
 *   that has all of its contests
 *
 * Opponents come from the generation itself or from the hall of fame: the best of every generation
 * so far, and before them its founders, the first creatures of the run (its seeds, where it has
 * some). Where there are two species, they are of the other one. Each pair has contest.headings
 * bouts. A pair that moves alike is even, and is not simulated. Patterns as Sims 1994b names them;
 * the hall after Rosin and Belew 1997. */
#ifndef CONTROLLER_EVOLUTION_CONTESTS_H
#define CONTROLLER_EVOLUTION_CONTESTS_H

#include "controller/evolution/search.h"
#include "proto/message.h"

/* Most bouts of a generation. */
#define CONTESTS_MAX 1000000
/* The champion's exam: so many contests with each of the best of so many first generations, from
 * starts that no generation had, of which it must win this share. */
enum { CONTESTS_EXAM_RIVALS = 10, CONTESTS_EXAM_BOUTS = 4 };
#define CONTESTS_EXAM_SHARE 0.8

struct contests;

/* Whether a run's creatures are judged by contests. */
static inline int contests_are_wanted(const struct params *params)
{
    return params->evolution_behaviour == BEHAVIOUR_CONTEST;
}
/* The species of a creature, from 0: it follows from its id, so that the run store needs to know
 * nothing of species. With contest.species = 2 those of odd and of even ids meet one another and
 * breed among themselves; in tag those of odd ids hunt. */
enum { CONTESTS_SPECIES_MAX = 2 };
static inline int contests_species_count(const struct params *params)
{
    return contests_are_wanted(params) ? (int)params->contest_species : 1;
}
static inline int contests_species(const struct params *params, uint64_t id)
{
    return (int)((id + 1) % (uint64_t)contests_species_count(params));
}
/* The demands of contests on the parameters. 0, or ERR_* with a message. */
int contests_check_params(const struct params *params, struct error *error);

/* Without a hall. `params` must stay. NULL: out of memory. */
struct contests *contests_create(const struct params *params);
void contests_destroy(struct contests *contests); /* NULL is fine */

/* Founders that a hall begins with. */
int contests_founder_count(const struct params *params);
/* The next of the hall: the founders in order of id, then the best of each species of each
 * generation. Takes over the genome. A creature in it stays once. 0 or ERR_MEMORY. */
int contests_add_to_hall(struct contests *contests, uint64_t id, struct genome *genome);
/* How many were added, ever. */
int contests_hall_count(const struct contests *contests);

/* Plans the contests of those in the population, all in order of id, that have no result. The
 * population must stay where it is until the last of them is taken. 0 or ERR_MEMORY. */
int contests_open(struct contests *contests, const struct population *population,
                  uint32_t generation);
/* Plans the champion's exam instead: in rounds, of one contest with each rival, until it is over or
 * can no longer be passed. 0 or ERR_MEMORY. */
int contests_open_exam(struct contests *contests, const struct individual *champion);

/* Two of a list, by their places in it. */
struct contests_pair {
    int a, b;
};
/* Plans the pairs of a list instead, each with so many bouts, up to CONTESTS_EXAM_BOUTS: from the
 * starts of the exam, at the run's own step. The younger one is the first side, so that a pair is
 * the same in either order. The individuals must stay where they are; none can be taken. 0 or
 * ERR_MEMORY. */
int contests_open_pairs(struct contests *contests, const struct individual *individuals, int count,
                        const struct contests_pair *pairs, int pair_count, int bouts);

/* The bout to be simulated. */
struct contests_wanted {
    int number; /* of the bout; CONTESTS_ALONE: one alone, to see whether it crashes by itself */
    const struct individual *sides[1 + TASK_RIVALS_MAX];
    int count; /* of sides */
    struct trial trial;
    uint64_t seed;
    struct phenotype_key key; /* of the motion of all; 0, 0: not known */
};
enum { CONTESTS_ALONE = -1 };

/* The next; 0: there is none now. */
int contests_ask(struct contests *contests, struct contests_wanted *wanted);
/* Fills in the task of simulating it. 0 or ERR_MEMORY. */
int contests_make_task(const struct contests_wanted *wanted, struct task *task);
/* The result of a task, of a bout or of one that was tried alone. 0 or ERR_MEMORY, as the next. */
int contests_tell(struct contests *contests, const struct task *task, const struct result *result);
/* A task crashed its simulator. After a bout both are tried alone. One that crashes alone has lost
 * by walkover and has the verdict quarantined; if neither does, both have lost this bout. */
int contests_tell_crash(struct contests *contests, const struct task *task, const char *reason);

/* The result of a creature's contests. */
struct contests_outcome {
    uint64_t id;
    int verdict;              /* that of its first bout with a score, if there is one */
    struct measures measures; /* of that bout; of the contests the means over all */
    uint64_t digest;          /* of all its bouts */
    const char *crash;        /* why it is in quarantine; NULL: it is not */
};
/* A creature that had all contests and was not taken before; 0: there is none now. */
int contests_take(struct contests *contests, struct contests_outcome *outcome);

/* Bouts that have no outcome yet, and all of them. */
void contests_get_progress(const struct contests *contests, int *left, int *count);
/* The result of a bout, by its number in the order in which they were planned; the margin of the
 * individual in that place of the list, and whether it and the other one touched the goal. */
void contests_get_bout(const struct contests *contests, int number, int first, double *margin,
                       double touched[2]);
/* How many bouts are one contest: in tag the two have different parts, which they exchange (of two
 * species one hunts always). */
int contests_bouts_of_one(const struct params *params);
/* The cost of the exam, in evaluations of a creature in a generation, by steps. */
double contests_exam_cost(const struct contests *contests);
/* The exam, when contests_take() has given the champion. */
void contests_get_exam(const struct contests *contests, int *won, int *count, int *rivals);

/* The control of a run: the same first generation, the same breeding, but survivors and parents
 * are drawn by dice. Its changes have nothing to do with selection (Cartlidge and Bullock
 * 2004, "Unpicking tartan CIAO plots"). Nothing is simulated. */

/* Creatures that are born in a control have ids from here on. */
#define DRIFT_FIRST_ID ((uint64_t)1 << 40)

/* Breeds up to generation `last`. `first` is taken over; results that it has are forgotten. `take`
 * is given each generation, ranked by the dice; what it returns but 0 ends all and is returned.
 * 0 or ERR_MEMORY. */
int drift_breed(const struct params *params, struct population *first, uint32_t last,
                int (*take)(void *context, uint32_t generation, const struct population *ranked),
                void *context);

#endif
