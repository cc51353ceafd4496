/* Choosing by hand: a person marks creatures of a complete generation, and the next one is bred
 * from them, alone or together with those that the goal would take.
 *
 * The rule, which docs/evolution.md explains. Let s be interactive.share (1 for the behaviour
 * `interactive`, which has no goal), N the population's size. If none is marked keep or breed,
 * the goal decides alone (s = 0), except that the behaviour `interactive` takes all that are not
 * banned for a parent.
 *   - All marked keep or breed survive. Unmarked ones with fitness follow by rank while fewer
 *     than (1 - s) population.survival N survive. Banned ones never do.
 *   - s of the children have parents marked breed, all alike; if there are none, parents marked
 *     keep. The search method makes the others from the survivors, as ever.
 *
 * Without a goal the places of a generation are for living, different bodies. When all results are
 * there, each that is dead (disqualified, or motionless) or has another's body stands behind all
 * others, and for each of them one more child is born: of the same parents, in the first generation
 * at random. That goes on until the places are filled, or breeding.draws times as many were born as
 * there were places.
 *
 * Everything is a function of the ranked population and of the choices, which the run store keeps;
 * the order in which they were made, and when, changes nothing. */
#include <string.h>

#include "common/error.h"
#include "controller/evolution/breeding.h"
#include "controller/evolution/islands.h"

/* ---- whether choices are asked for, and the choices ---- */

static int has_goal(const struct params *params)
{
    return params->evolution_behaviour != BEHAVIOUR_INTERACTIVE;
}

int search_is_interactive(const struct params *params)
{
    return !has_goal(params) || params->interactive_share > 0;
}

int search_wants_choices(struct search *search)
{
    return search_is_interactive(&search->params) && search_is_complete(search) &&
           !search_is_finished(search) &&
           (search->generation + 1) % (uint64_t)search->params.interactive_every == 0;
}

int search_choose(struct search *search, uint64_t id, int choice)
{
    struct individual *individual = search_find(search, id);
    if (!individual)
        return ERR_MISSING;
    individual->choice = choice;
    return 0;
}

static int count_choices(const struct population *population, int least)
{
    int count = 0;
    for (int i = 0; i < population->count; i++)
        count += population->individuals[i].choice >= least;
    return count;
}

/* The part of the next generation that the choices decide. */
static double find_share(const struct search *search)
{
    if (count_choices(&search->population, CHOICE_KEEP) == 0)
        return 0;
    return has_goal(&search->params) ? search->params.interactive_share : 1;
}

/* ---- the survivors ---- */

/* Fitness descending, then choice descending, then id ascending. */
static int compare_wishes(const void *a, const void *b)
{
    const struct individual *x = a, *y = b;
    if (x->fitness != y->fitness || x->is_spare != y->is_spare)
        return search_compare_ranks(a, b);
    return 2 * ORDER(y->choice, x->choice) + ORDER(x->id, y->id);
}

void search_select(struct search *search)
{
    struct population *population = &search->population;
    int selected = count_choices(population, CHOICE_KEEP);
    if (!search_is_interactive(&search->params))
        return;
    ENSURE(search->missing == 0 && search->called == 0, "%d results and %d referees are missing",
           search->missing, search->called);
    search_sort(population, compare_wishes);
    /* how many survive for their fitness, those chosen counted with them */
    double survival = search->params.population_survival * (1 - find_share(search));
    int quota = has_goal(&search->params) ? (int)(survival * population->count + 0.5) : 0;
    for (int i = 0; i < population->count; i++) {
        struct individual *individual = &population->individuals[i];
        int is_good =
            individual->choice == CHOICE_NONE && individual->fitness > 0 && selected < quota;
        individual->is_selected = individual->choice >= CHOICE_KEEP || is_good;
        selected += is_good;
    }
    /* as without choices: a goal that none reaches keeps the first of the ranks */
    if (selected == 0 && has_goal(&search->params))
        population->individuals[0].is_selected = population->individuals[0].choice == CHOICE_NONE;
}

/* ---- breeding ---- */

/* The parents by choice, all alike. 0 or ERR_MEMORY; breeding_parents_deinit() is due all the same.
 * */
static int list_chosen(const struct search *search, struct breeding_parents *parents)
{
    const struct population *population = &search->population;
    int least = count_choices(population, CHOICE_BREED)  ? CHOICE_BREED
                : count_choices(population, CHOICE_KEEP) ? CHOICE_KEEP
                                                         : CHOICE_NONE;
    int status = breeding_parents_init(parents, population->count);
    for (int i = 0; !status && i < population->count; i++) {
        const struct individual *individual = &population->individuals[i];
        if (individual->choice >= least &&
            (least != CHOICE_NONE || !(individual->is_spare || individual->fitness <= 0)))
            breeding_parents_add(parents, individual, 1);
    }
    return status;
}

/* Children where no parent is left: random ones or, where bodies do not mutate, new brains in
 * the bodies of the generation that goes, each body in turn. */
static int breed_nobody(const struct search *search, struct individual *children, int count)
{
    const struct population *population = &search->population;
    return search_random.next(&search->params, search->generation + 1, population,
                              population->count, children, count);
}

/* Children of parents, if there are any. */
static int breed_from(const struct search *search, const struct breeding_parents *parents,
                      struct individual *children, int count)
{
    int status = parents->count > 0 ? 0 : breed_nobody(search, children, count);
    for (int i = 0; !status && parents->count > 0 && i < count; i++)
        status =
            breeding_make_child(&search->params, search->population.census, parents, &children[i]);
    return status;
}

/* The first `count` children, of the chosen parents. */
static int breed_chosen(const struct search *search, struct individual *children, int count)
{
    struct breeding_parents parents;
    int status = list_chosen(search, &parents);
    if (!status)
        status = breed_from(search, &parents, children, count);
    breeding_parents_deinit(&parents);
    return status;
}

/* The other children, made by the search method. `survivors` stand in the order of ranks. */
static int breed_goal(const struct search *search, struct individual *survivors, int survivor_count,
                      struct individual *children, int count)
{
    struct params params = search->params;
    struct population ranked = {.individuals = survivors,
                                .count = search->population.count,
                                .census = search->population.census};
    if (survivor_count == 0)
        return breed_nobody(search, children, count);
    params.population_survival *= 1 - find_share(search);
    return search_method_of(search)->next(&params, search->generation + 1, &ranked, survivor_count,
                                          children, count);
}

/* ---- places for the living ---- */

int search_is_dead(const struct individual *individual)
{
    return !verdict_is_scored(individual->verdict) || individual->verdict == VERDICT_MOTIONLESS;
}

/* Whether the individual takes no place: it is dead, or, where bodies are looked at, a living
 * one that is older has its body. Bodies are told apart by what was measured of them before they
 * moved. */
static int takes_no_place(const struct search *search, const struct individual *individual)
{
    const struct population *population = &search->population;
    int has_looks = search->params.mutation_body && !has_goal(&search->params);
    if (search_is_dead(individual))
        return 1;
    for (int i = 0; i < population->count && has_looks; i++) {
        const struct individual *other = &population->individuals[i];
        const struct measures *a = &individual->measures, *b = &other->measures;
        if (other->id < individual->id && !search_is_dead(other) && a->parts == b->parts &&
            a->links == b->links && a->mass_kg == b->mass_kg && a->size_m == b->size_m)
            return 1;
    }
    return 0;
}

/* How many children may be born for a place of the search's generation. */
static int find_draws(const struct search *search)
{
    const struct params *params = &search->params;
    if (!has_goal(params))
        return (int)params->breeding_draws;
    return islands_is_start(params, search->generation) ? (int)params->evolution_living_draws : 1;
}

/* Notes which newborn ones take no place. Returns how many more children the generation needs, if
 * `draws` may be born for a place. */
static int count_wanted(struct search *search, int draws)
{
    struct population *population = &search->population;
    int places = (int)search->params.population_size, born = 0, filled = 0, survivors = 0;
    for (int i = 0; i < population->count; i++) {
        struct individual *individual = &population->individuals[i];
        int is_newborn = individual->generation == search->generation;
        individual->is_spare = is_newborn && takes_no_place(search, individual);
        born += is_newborn;
        survivors += !is_newborn && !individual->is_resting;
        filled += !individual->is_spare && !individual->is_resting;
    }
    int most = draws * (places - survivors) - born;
    int wanted = places - filled;
    population->more = born > places - survivors ? born - (places - survivors) : 0;
    return wanted < most ? wanted : most;
}

static int is_parent(const struct population *population, const struct individual *individual)
{
    for (int i = 0; i < population->count; i++)
        for (int k = 0; k < 2; k++)
            if (population->individuals[i].parents[k] == individual->id)
                return 1;
    return 0;
}

/* Children of creatures that are parents already; where they are gone, of the living. */
static int breed_more(struct search *search, struct individual *children, int count)
{
    struct population *population = &search->population;
    struct breeding_parents parents;
    int status = breeding_parents_init(&parents, population->count);
    int is_start = islands_is_start(&search->params, search->generation);
    for (int pass = 0; pass < 2 && parents.count == 0 && !is_start; pass++)
        for (int i = 0; !status && i < population->count; i++) {
            const struct individual *individual = &population->individuals[i];
            if (pass ? !individual->is_spare : is_parent(population, individual))
                breeding_parents_add(&parents, individual, 1);
        }
    if (!status)
        status = breed_from(search, &parents, children, count);
    breeding_parents_deinit(&parents);
    return status;
}

int search_fill(struct search *search)
{
    struct population *population = &search->population;
    int before = population->count, draws = find_draws(search);
    population->more = search_count_added(search);
    int wanted = draws > 1 ? count_wanted(search, draws) : 0;
    if (wanted <= 0)
        return 0;
    struct individual *all = search_make_individuals(search, before, wanted, 0);
    int status = all ? search_count_known(search, before) : ERR_MEMORY;
    if (!status)
        status = breed_more(search, all + before, wanted);
    status = search_adopt(search, all, before, wanted, status);
    if (status)
        return status;
    population->more += wanted;
    search_update(search);
    search->taken = before; /* these are news */
    return 0;
}

int interactive_advance(struct search *search)
{
    const struct population *population = &search->population;
    int count = (int)search->params.population_size, survivors = 0;
    search_select(search);
    for (int i = 0; i < population->count; i++)
        survivors += population->individuals[i].is_selected;
    int born = count > survivors ? count - survivors : 0;
    int chosen = has_goal(&search->params) ? (int)(find_share(search) * born + 0.5) : born;
    struct individual *all = search_make_individuals(search, survivors, born, 1);
    int status = all ? search_count_known(search, population->count) : ERR_MEMORY;
    for (int i = 0, k = 0; !status && i < population->count; i++)
        if (population->individuals[i].is_selected)
            all[k++] = population->individuals[i];
    if (!status)
        status = breed_chosen(search, all + survivors, chosen);
    if (!status && chosen < born)
        status = breed_goal(search, all, survivors, all + survivors + chosen, born - chosen);
    if (all) /* the survivors are the population's still */
        memset(all, 0, (size_t)survivors * sizeof *all);
    if (!status)
        search_keep_selected(search);
    status = search_adopt(search, all, survivors, born, status);
    if (status)
        return status;
    search->generation++;
    search_update(search);
    return 0;
}
