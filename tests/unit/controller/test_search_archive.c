/* The archive, and the constant lag under it: child k knows the results up to k - lag and no
* others, no worker waits, a search that is stopped anywhere and restored goes on as if it had not
 * been; cells hold the best, new bodies get their trials, frozen bodies stay.
 *
 * The simulator's place is taken by a toy as in test_search.c: fitness and kind follow from the
 * genome, with ties, zeros, disqualifications and scores that the referee refuses. */
#include "controller/evolution/cells.h"
#include "tests/unit/search_fixture.h"

enum { SIZE = 40, GENERATIONS = 8, LAG = 12, ROOM = SIZE * GENERATIONS + 1 };
/* with those that are born for the dead */
enum { ROOM_MOST = 2 * ROOM };

static void set_up(void)
{
    params_set_defaults(&params);
    params.population_size = SIZE;
    params.evolution_generations = GENERATIONS;
    params.evolution_lag = LAG;
    set("seed=5", "evolution.behaviour=platform", "evolution.search=archive",
        "guard.perturbed_runs=1", "guard.fine_runs=1");
    strcpy(params.archive_cells, "links:2,3,4,5 size_m:0.5,1,1.5");
}

/* ---- the toy ---- */

struct score {
    int verdict;
    struct measures measures;
    uint64_t digest;
};

/* Total width near 2 m is good, and so is a sum of weights near 3: bodies and brains both
 * matter. */
static struct score evaluate_toy(const struct genome *genome)
{
    struct score score = {.verdict = VERDICT_OK};
    double width = 0, weights = 0;
    for (int i = 0; i < genome->body_count; i++) {
        width += genome->bodies[i].width_m;
        weights += fabs(genome->bodies[i].effector_input.weight);
    }
    score.digest = genome_hash(genome);
    score.measures.links = genome->body_count;
    score.measures.size_m = width;
    score.measures.reach_m =
        (int)(100 * (1 - fmin(1, fabs(width - 2) / 2)) * (1 - fmin(1, fabs(weights - 3) / 4))) /
        100.0;
    if (score.digest % 10 == 0)
        score.verdict = VERDICT_OVERLAP;
    return score;
}

/* ---- a store and a farm ---- */

/* What is known of each creature, by id; and how the archive was when the generation was opened. */
struct record {
    struct individual individual; /* its genome is a copy */
    int is_there;
};
static struct record records[ROOM_MOST];
static uint64_t opened[ROOM_MOST];
static struct individual at_opening[ROOM_MOST];
static int opened_count;
static uint64_t first_later; /* the first creature that was born after that */

/* Tasks under way: positive ids are first simulations, negative ones are before the referee. */
static struct {
    struct {
        int64_t id;
        int trial;
    } tasks[64];
    int count;
} farm;

static void record(const struct individual *individual)
{
    struct record *kept = &records[individual->id];
    ck_assert(individual->id < ROOM_MOST);
    if (kept->is_there)
        genome_deinit(&kept->individual.genome);
    kept->is_there = 1;
    copy_individual(&kept->individual, individual);
}

/* A record keeps the trials of its birth. */
static void record_result(const struct individual *told)
{
    struct individual *kept = &records[told->id].individual;
    kept->has_result = 1;
    kept->verdict = told->verdict;
    kept->measures = told->measures;
    kept->digest = told->digest;
    kept->fitness = told->fitness;
    kept->heard = told->heard;
    kept->referee_fitness = told->referee_fitness;
}

static void record_news(void)
{
    const struct individual *newborn, *refereed;
    while ((refereed = search_take_refereed(search)) != NULL) {
        ck_assert(refereed->heard);
        record_result(refereed);
    }
    for (;;) {
        ck_assert_int_eq(search_take_newborn(search, &newborn), 0);
        if (!newborn)
            return;
        ck_assert(!newborn->has_result);
        record(newborn);
    }
}

static void record_opening(void)
{
    opened_count = population->count;
    first_later = search_next_id(search);
    for (int i = 0; i < opened_count; i++) {
        at_opening[i] = population->individuals[i];
        opened[i] = at_opening[i].id;
        if (!records[opened[i]].is_there)
            record(&population->individuals[i]);
    }
}

static void open_next(void)
{
    advance(search);
    record_opening();
}

static void tear_down(void)
{
    drop_search();
    for (int i = 0; i < ROOM_MOST; i++)
        if (records[i].is_there)
            genome_deinit(&records[i].individual.genome);
    memset(records, 0, sizeof records);
    farm.count = 0;
}

/* A store gives back members at the opening as the archive then held them, those born since,
 * but for the last `lost` (a killed controller had not committed them), results as far as they
 * came. The tasks under way are lost. */
static void stop_and_restore(int lost)
{
    struct population stored = {.count = 0};
    uint32_t generation = search_generation(search);
    uint64_t next_id = search_next_id(search);
    drop_search();
    farm.count = 0;
    while (lost > 0 && next_id > first_later) {
        genome_deinit(&records[--next_id].individual.genome);
        memset(&records[next_id], 0, sizeof records[next_id]);
        lost--;
    }
    stored.individuals = calloc(ROOM_MOST, sizeof *stored.individuals);
    for (uint64_t k = 0; k < (uint64_t)opened_count + (next_id - first_later); k++) {
        int is_later = k >= (uint64_t)opened_count;
        uint64_t id = is_later ? first_later + k - (uint64_t)opened_count : opened[k];
        struct individual *restored = &stored.individuals[stored.count++];
        copy_individual(restored, &records[id].individual);
        restored->is_counted = restored->cell = restored->is_waiting = 0;
        if (!is_later) {
            restored->is_counted = at_opening[k].is_counted;
            restored->cell = at_opening[k].cell;
            restored->trials = at_opening[k].trials;
            restored->is_waiting = at_opening[k].is_waiting;
        }
    }
    take(search_restore(&params, generation, &stored, next_id));
    record_news();
}

static void tell(uint64_t id)
{
    struct score score = evaluate_toy(&records[id].individual.genome);
    const struct individual *told =
        search_tell(search, id, score.verdict, &score.measures, score.digest);
    ck_assert_ptr_nonnull(told);
    ck_assert(told->id == id && told->has_result);
    record_result(told);
    record_news();
}

static void tell_referee(uint64_t id, uint64_t trial)
{
    struct score score = evaluate_toy(&records[id].individual.genome);
    uint64_t trials = (uint64_t)(params.guard_perturbed_runs + params.guard_fine_runs);
    /* the failing ones do so in one of the trials, the first, the last or another */
    if (score.digest % 7 == 2 && trial == score.digest / 7 % trials)
        score.measures.reach_m /= 2;
    const struct individual *told = search_tell_referee(search, id, score.verdict, &score.measures);
    /* NULL: others before it have made it needless meanwhile. */
    ck_assert(!told || told->id == id);
    record_news();
}

/* Gives a task to each worker without one; returns how many had to stay idle. */
static int feed(int workers)
{
    while (farm.count < workers) {
        const struct individual *one = search_ask_referee(search);
        int64_t task = one ? -(int64_t)one->id : 0;
        if (!one && (one = search_ask(search)) != NULL)
            task = (int64_t)one->id;
        if (!one)
            return workers - farm.count;
        farm.tasks[farm.count].trial = one->referee_trial;
        farm.tasks[farm.count++].id = task;
    }
    return 0;
}

static void finish_one(struct rng *rng)
{
    int k = rng ? (int)rng_below(rng, (uint32_t)farm.count) : 0;
    int64_t task = farm.tasks[k].id;
    int trial = farm.tasks[k].trial;
    farm.count--;
    memmove(farm.tasks + k, farm.tasks + k + 1, (size_t)(farm.count - k) * sizeof *farm.tasks);
    if (task > 0)
        tell((uint64_t)task);
    else
        tell_referee((uint64_t)-task, (uint64_t)trial);
}

/* All of the generation that is open come back. */
static void finish_generation(int workers)
{
    while (!search_is_complete(search)) {
        feed(workers);
        finish_one(NULL);
    }
    record_news();
}

static void start(void)
{
    tear_down();
    begin();
    record_opening();
}

/* A hash of all there is to know about a search between two generations, but for results that
 * wait. */
static uint64_t hash_search(void)
{
    uint64_t hash = search_generation(search);
    for (each(one)) {
        hash = rng_mix_seed(hash, one->id);
        hash = rng_mix_seed(hash, genome_hash(&one->genome));
        hash = rng_mix_seed(hash, one->parents[0] + one->parents[1] * 1000 + one->body * 1000000);
        hash = rng_mix_seed(hash,
                            (uint64_t)(one->is_counted + 2 * one->is_trial + 4 * one->is_waiting +
                                       8 * one->trials + 1000 * one->cell));
        if (one->is_counted)
            hash = rng_mix_seed(hash, (uint64_t)(one->fitness * 1e6) + 7 * one->digest);
    }
    return hash;
}

/* Runs to the end on so many workers that finish in random order; `stops` times a generation all is
 * stopped, what the workers do is lost, and so are `lost` newborns. Hashes of the generations'
 * ends. Returns how often some worker was idle while there was more to be bred. */
static int run(int workers, int stops, int lost, struct rng *rng, uint64_t hashes[GENERATIONS])
{
    int idle = 0, told = 0;
    start();
    for (;;) {
        hashes[search_generation(search)] = 0;
        while (!search_is_complete(search)) {
            record_news();
            if (feed(workers) > 0 && search_next_id(search) < ROOM)
                idle++;
            ck_assert_int_gt(farm.count, 0);
            finish_one(rng);
            told++;
            if (stops && told % (SIZE / stops) == 0 && !search_is_complete(search))
                stop_and_restore(lost);
        }
        record_news();
        hashes[search_generation(search)] = hash_search();
        if (search_is_finished(search))
            break;
        open_next();
    }
    ck_assert_int_eq(farm.count, 0);
    ck_assert_uint_eq(search_generation(search), GENERATIONS - 1);
    ck_assert(search_next_id(search) == ROOM || params.evolution_islands > 1);
    return idle;
}

/* ---- at the end ---- */

/* Lives to the end of the run; `look` sees every complete generation, ranked; NULL: nothing does. */
static void live(void (*look)(void))
{
    start();
    for (;;) {
        finish_generation(4);
        if (look)
            look();
        if (search_is_finished(search))
            return;
        open_next();
    }
}

/* Newborns that are added to the complete last generation count after all others; after a restart,
 * too. */
TEST(the_last_generation_gets_more)
{
    uint64_t straight = 0;
    for (int stops = 0; stops < 3; stops++) {
        live(NULL);
        struct individual child = {.generation = search_generation(search),
                                   .method = METHOD_POLISH,
                                   .parents = {population->individuals[0].id}};
        uint64_t id = search_next_id(search);
        ck_assert_int_eq(genome_copy(&child.genome, &population->individuals[0].genome), 0);
        child.genome.bodies[0].width_m *= 1.001;
        ck_assert_int_eq(search_add(search, &child, 1), 0);
        record_news();
        ck_assert(records[id].is_there && !search_is_complete(search));
        if (stops == 1)
            stop_and_restore(0);
        finish_generation(3);
        if (stops == 2)
            stop_and_restore(0);
        ck_assert(search_is_complete(search) && search_is_finished(search));
        ck_assert_int_eq(search_count_added(search), 1);
        ck_assert_int_eq(population->more, 1);
        ck_assert(search_next_id(search) == id + 1);
        straight = stops ? straight : hash_search();
        ck_assert(hash_search() == straight);
    }
}

/* ---- the lag ---- */

TEST(the_run_does_not_depend_on_the_workers)
{
    uint64_t one[GENERATIONS], many[GENERATIONS];
    struct rng rng = test_rng(1, 0, 0);
    params.guard_perturbed_runs = 2;
    run(1, 0, 0, NULL, one);
    for (int workers = 2; workers <= 20; workers += 3) {
        run(workers, 0, 0, &rng, many);
        ck_assert_mem_eq(one, many, sizeof one);
    }
    params.evolution_lag++;
    run(1, 0, 0, NULL, many);
    ck_assert_mem_ne(one, many, sizeof one);
}

/* Generations 0, 1 and 2, 3 are the islands, 4 and those after it what follows. */
static void set_up_islands(void)
{
    set("evolution.islands=2", "evolution.island_generations=2", "evolution.islands_merged=1",
        "evolution.living_draws=3");
}

/* Four starts, then one more generation of the best two, 4 and 5, then what follows. */
static void set_up_halving(void)
{
    set_up_islands();
    set("evolution.islands=4", "evolution.island_generations=1", "evolution.halving_generations=1",
        "evolution.island_halvings=1");
}

TEST_LOOP(restored_equals_uninterrupted, 0, 48)
{
    uint64_t straight[GENERATIONS], broken[GENERATIONS];
    struct rng rng = test_rng(2, 0, (uint64_t)_i);
    /* not where all is lost so often that the three of them seldom come to an end */
    params.guard_perturbed_runs = _i % 3;
    if (_i >= 24)
        set_up_islands();
    if (_i >= 36)
        set_up_halving();
    run(1, 0, 0, NULL, straight);
    run(1 + 3 * (_i % 3), 1 + _i % 7, _i % 5, &rng, broken);
    ck_assert_mem_eq(straight, broken, sizeof straight);
}

/* Each island begins without cells and with random creatures, as many more as are dead; the best of
 * the better one are counted again when the islands are over. */
TEST(islands_have_archives_of_their_own)
{
    double best[2] = {0, 0};
    int resting = 0;
    set_up_islands();
    start();
    for (uint32_t generation = 0; generation < 4; generation++) {
        int fresh = 0, dead = 0;
        finish_generation(1);
        for (each(one)) {
            fresh += one->generation == generation && one->method == METHOD_RANDOM;
            dead += one->generation == generation && one->verdict == VERDICT_OVERLAP;
            ck_assert(!one->is_resting || !one->cell);
        }
        if (generation % 2 == 0)
            ck_assert(dead > 0 && fresh >= SIZE + dead);
        ck_assert_int_eq(population->more, generation % 2 ? 0 : fresh - SIZE);
        best[generation / 2] = population->individuals[0].fitness;
        open_next();
        if (generation == 1)
            for (each(one))
                resting += one->is_resting;
    }
    ck_assert_int_eq(resting, SIZE / 5);
    for (each(one))
        ck_assert(one->generation / 2 == (uint32_t)(best[1] > best[0]) && !one->cell);
}

/* With few workers none is idle before the last results of the run, be it that the tasks take
 * unequal times. (A task that 28 others overtake, at 2/3 each, happens in one run of 400.) */
TEST(nobody_waits)
{
    uint64_t hashes[GENERATIONS];
    struct rng rng = test_rng(4, 0, 0);
    set("evolution.lag=30", "guard.referee_top=0");
    int idle = run(3, 0, 0, &rng, hashes);
    ck_assert_msg(idle == 0, "%d times idle", idle);
    params.guard_referee_top = 10;
    idle = run(2, 0, 0, &rng, hashes);
    ck_assert_msg(idle == 0, "%d times idle", idle);
    params.evolution_lag = 3;
    ck_assert_int_gt(run(8, 0, 0, &rng, hashes), 0);
}

/* A child is there as soon as the result `lag` before it has counted, and not before. */
TEST(the_lag_is_kept)
{
    params.guard_referee_top = 0;
    start();
    for (uint64_t id = 1; id <= 2 * SIZE; id += 2) {
        uint64_t wanted = id - 1 + LAG > SIZE ? id - 1 + LAG : SIZE;
        ck_assert(search_next_id(search) == wanted + 1);
        /* The second alone changes nothing. */
        tell(id + 1);
        ck_assert(search_next_id(search) == wanted + 1);
        tell(id);
        if (search_is_complete(search))
            open_next();
    }
}

TEST(progress_is_known)
{
    int done, needed;
    start();
    for (int i = 0; i < 2; i++) {
        search_get_progress(search, &done, &needed);
        ck_assert(done == 0 && needed == SIZE);
        tell(2 + (uint64_t)i);
    }
    ck_assert_int_eq(search_survivor_count(search), 0);
}

TEST(strange_results_change_nothing)
{
    start();
    ck_assert_ptr_null(tell_reach(SIZE + 1, VERDICT_OK, 9));
    ck_assert_ptr_null(tell_reach(0, VERDICT_OK, 9));
    tell(3);
    ck_assert_ptr_null(tell_reach(3, VERDICT_OK, 9));
    ck_assert_ptr_null(
        search_tell_referee(search, 3, VERDICT_OK, &(struct measures){.reach_m = 9}));
}

/* ---- the archive ---- */

/* By the records alone: the due holder of each cell. */
static void look_at_cells(void)
{
    uint64_t last = (search_generation(search) + 1) * SIZE, holders[100] = {0};
    struct cell_grid grid;
    int filled = 0, rank = 0;
    ck_ok(cell_grid_parse(&grid, params.archive_cells, &error));
    for (uint64_t id = 1; id <= last; id++) {
        const struct individual *one = &records[id].individual;
        int cell = cell_grid_find(&grid, &one->measures);
        if (one->fitness > 0 &&
            (!holders[cell] || one->fitness > records[holders[cell]].individual.fitness))
            holders[cell] = id;
    }
    for (each(one)) {
        if (rank++ >= population->count - population->unjudged) {
            ck_assert(one->id > last);
            continue;
        }
        ck_assert(one->is_counted && one->id <= last);
        ck_assert(rank == 1 || one->fitness <= one[-1].fitness);
        if (one->cell) {
            ck_assert_uint_eq(holders[one->cell], one->id);
            ck_assert(one->heard && one->fitness > 0);
            filled++;
        }
    }
    for (int cell = 1; cell <= grid.count; cell++)
        filled -= holders[cell] != 0;
    ck_assert_int_eq(filled, 0);
}

TEST(cells_hold_the_best_that_the_referee_accepts)
{
    live(look_at_cells);
}

/* Every body gets at most its trials, each from the best of the body so far; they leave it as it
 * is. */
TEST(bodies_get_their_trials)
{
    int trials = 0, bodies = 0, tried[ROOM] = {0};
    params.archive_trials = 4;
    live(NULL);
    for (uint64_t id = 1; id < ROOM; id++) {
        const struct individual *one = &records[id].individual;
        const struct individual *base = &records[one->parents[0]].individual;
        bodies += one->body == id;
        if (!one->is_trial)
            continue;
        trials++;
        ck_assert_int_le(++tried[one->body], 4);
        ck_assert_int_eq(one->trials, 4 - tried[one->body]);
        ck_assert(one->body == base->body && one->body != id);
        ck_assert_int_eq(one->genome.body_count, base->genome.body_count);
        for (int i = 0; i < one->genome.body_count; i++) {
            ck_assert(one->genome.bodies[i].width_m == base->genome.bodies[i].width_m);
            ck_assert(one->genome.bodies[i].upper == base->genome.bodies[i].upper);
        }
        /* none of its body that was counted when it was bred is better than its base */
        for (uint64_t k = one->body; k + LAG < id; k++)
            if (records[k].individual.body == one->body &&
                (records[k].individual.is_trial || k == one->body))
                ck_assert(records[k].individual.fitness <= base->fitness);
    }
    ck_assert_int_gt(trials, 40);
    ck_assert_int_gt(bodies, SIZE);
}

TEST(bodies_freeze_and_trials_can_be_off)
{
    int before = 0;
    set("archive.frozen=0.5", "archive.trials=0");
    live(NULL);
    for (uint64_t id = 1; id < ROOM; id++)
        ck_assert(!records[id].individual.is_trial);
    for (uint64_t id = SIZE + 1; id < ROOM; id++) {
        const struct individual *one = &records[id].individual;
        before += one->generation < GENERATIONS / 2 && one->body == id;
        if (one->generation < GENERATIONS / 2)
            continue;
        ck_assert(one->body == records[one->parents[0]].individual.body);
        ck_assert_int_eq(one->method, METHOD_ASEXUAL);
    }
    ck_assert_int_gt(before, 10);
}

/* Parents' ranks among the cells: with pressure 0 as often below the middle as above. */
static double share_of_the_upper_half(int pressure)
{
    int upper = 0, all = 0;
    params.archive_pressure = pressure;
    params.archive_trials = 0;
    params.archive_frozen = 0;
    for (params.run_seed = 1; params.run_seed <= 8; params.run_seed++) {
        start();
        while (search_generation(search) < 3) {
            finish_generation(4);
            open_next();
        }
        /* children of the holders at an opening, as long as no other can be bred from */
        params.evolution_lag = LAG;
        for (int i = 0; i < opened_count; i++) {
            const struct individual *child = &records[opened[i]].individual;
            int better = 0, worse = 0;
            if (at_opening[i].is_counted)
                continue;
            for (int k = 0; k < opened_count; k++) {
                better += at_opening[k].cell &&
                          at_opening[k].fitness > records[child->parents[0]].individual.fitness;
                worse += at_opening[k].cell &&
                         at_opening[k].fitness < records[child->parents[0]].individual.fitness;
            }
            upper += better < worse;
            all++;
        }
    }
    return (double)upper / all;
}

TEST(better_ones_breed_more_under_pressure)
{
    double even = share_of_the_upper_half(0), steep = share_of_the_upper_half(8);
    ck_assert_msg(steep > 0.9, "%g of the parents are of the upper half", steep);
    ck_assert_msg(even < 0.75, "%g of the parents are of the upper half", even);
}

/* None has fitness: children are random. */
TEST(an_empty_archive_starts_anew)
{
    params.evolution_behaviour = BEHAVIOUR_WALK; /* the measures have no walk in them */
    live(NULL);
    for (uint64_t id = 1; id < ROOM; id++)
        ck_assert_int_eq(records[id].individual.method, METHOD_RANDOM);
}

/* ---- changed settings ---- */

static int count_holders(void)
{
    int count = 0;
    for (each(one))
        count += one->cell != 0;
    return count;
}

/* After a change of what evaluations give, all results are forgotten: everyone is counted again. */
TEST(forgotten_results_are_counted_again)
{
    start();
    finish_generation(4);
    open_next();
    int filled = count_holders();
    ck_assert_int_gt(filled, 3);
    for (int i = 0; i < opened_count; i++)
        records[opened[i]].individual.has_result = records[opened[i]].individual.heard = 0;
    stop_and_restore(0);
    for (each(one))
        ck_assert(!one->is_counted);
    finish_generation(4);
    ck_assert_int_ge(count_holders(), filled);
}

/* Another grid: the kept are placed anew, no cell is held twice. */
TEST(the_grid_may_change)
{
    start();
    finish_generation(4);
    open_next();
    strcpy(params.archive_cells, "");
    stop_and_restore(0);
    ck_assert_int_eq(count_holders(), 1);
}

TEST(parameters_are_checked)
{
    ck_assert_int_eq(search_check_params(&params, &error), 0);
    params.evolution_reevaluate = 1;
    ck_refused(search_check_params(&params, &error), 0, "evolution.reevaluate");
    params.evolution_reevaluate = 0;
    strcpy(params.archive_cells, "links:4,3");
    ck_refused_as(search_check_params(&params, &error), 0,
                  "archive.cells: column 9: bounds must rise");
}

SUITE("search_archive", 120, set_up, tear_down)
