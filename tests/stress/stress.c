/* stress: evaluates many creatures on all cores and counts what the guards said of them.
 *
 *     build/stress/stress                      1000 violent creatures in each world, 10 s each
 *     build/stress/stress -n 100000 --log stress.csv      the long run, which goes on from its log
 *     build/stress/stress --random -n 500      random creatures, as in a first generation
 *     build/stress/stress --worlds land -s creature.body=spheres -s settle.drop_m=10
 *                                                         spheres, from 10 m
 *     build/stress/stress --random --worlds land,water,moon -s creature.body=boxes        boxes
 *     build/stress/stress FILE.creature ...    creatures from files, with the parameters they bring
 *
 * Prints two tables: verdicts by world, and the distribution of the energy ledger's residual. A
 * creature fails if a number is not finite, or if more energy is unaccounted for than the guard
 * allows and no verdict says so; then, or if an evaluation crashes, the exit code is 1. The bound
 * is computed here once more from the measures, not taken from the guard. Nor may a part be faster
 * than the energy that the creature had and its effectors' work allow, by the same bound: it is
 * looked at after every tick, and stops the evaluation, so that a verdict of the same tick excuses
 * it, and no later one.
 *
 * Creatures are dealt to the cores in chunks; a child process for each core evaluates its share
 * and writes fixed-size records into a pipe, so that a crash costs one chunk and names its
 * creature. After each chunk the records are appended to the log, which is also where an
 * interrupted run goes on. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/creature/creature.h"
#include "common/version.h"
#include "simulator/body/physics.h"
#include "tests/stress/violent.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/set_param.h"

enum {
    WORLDS_MAX = 8,
    JOBS_MAX = 64,
    CHUNK_PER_JOB = 64, /* creatures, between two looks at the log */
    ASSIGNMENTS_MAX = 32,
    VERDICT_LIMIT = 32
};
/* Energy below this share of m g size is too little to speak of: as in the guard. */
#define FLOOR_SHARE           1e-3
#define STANDARD_GRAVITY_M_S2 9.81
/* What the ledger is held against: all steps, and evaluations of RK4 steps only. */
#define RESIDUAL_GOOD     1e-2
#define RESIDUAL_GOOD_RK4 1e-4
/* Contacts are held to their law within this, m/s; it is looked at after every tick. */
#define LAW_GOOD_M_S 1e-5

enum kind { KIND_VIOLENT, KIND_RANDOM, KIND_FILES };

/* What is kept of an evaluation. */
struct record {
    uint64_t number;
    int world, verdict;
    int is_finite;
    int is_too_fast;
    int looks, lawless; /* looks at its contacts, and those that found them off their law */
    double time_s, rk4_share, residual_share, unaccounted_j, turnover_j, floor_j, allowed_share;
};

struct stress {
    enum kind kind;
    char *files; /* the world of files is called so */
    const char *worlds[WORLDS_MAX];
    int world_count;
    uint64_t first, count; /* numbers in each world; files: count files */
    char **paths;
    const char *assignments[ASSIGNMENTS_MAX];
    int assignment_count;
    int jobs, offenders;
    const char *log_path, *save_path;
    FILE *log;
    struct record *records;
    size_t record_count;
    int has_crashed;
};

/* Worst of all first. */
static double excess_of(const struct record *record)
{
    double beyond = record->unaccounted_j - record->floor_j;
    return beyond <= 0 ? 0 : beyond / fmax(record->turnover_j - record->floor_j, record->floor_j);
}

/* More unaccounted energy than allowed, without a word. */
static int is_unreported(const struct record *record)
{
    return verdict_is_scored(record->verdict) && excess_of(record) > record->allowed_share;
}

static int is_bad(const struct record *record)
{
    return !record->is_finite || record->is_too_fast || record->verdict == VERDICT_NOT_FINITE ||
           is_unreported(record);
}

/* ---------------------------------------------------------------- one evaluation */

static void die(const char *message)
{
    fprintf(stderr, "stress: %s\n", message);
    exit(2);
}

static void set_all(const struct stress *stress, struct params *params)
{
    struct error error;
    for (int i = 0; i < stress->assignment_count; i++)
        if (set_param(params, stress->assignments[i], &error) != 0)
            die(error.message);
    if (params_check(params, &error) != 0)
        die(error.message);
}

/* Genome and parameters of a creature; the genome is the caller's. */
static void make(const struct stress *stress, int world, uint64_t number, struct genome *genome,
                 struct params *params, uint64_t *seed)
{
    struct error error;
    struct creature creature;
    struct rng rng;
    struct gene_counter ids = {.creature = number};
    params_set_defaults(params);
    *seed = number;
    if (stress->kind == KIND_FILES) {
        if (creature_read(&creature, stress->paths[number - 1], &error) != 0)
            die(error.message);
        if (creature.has_evaluation) {
            *params = creature.params;
            *seed = creature.seed;
        }
        *genome = creature.genome;
        genome_init(&creature.genome);
        creature_deinit(&creature);
        set_all(stress, params);
        return;
    }
    if (params_set(params, "world.preset", stress->worlds[world], &error) != 0)
        die(error.message);
    if (stress->kind == KIND_VIOLENT)
        violent_params(params, number);
    set_all(stress, params);
    rng_init(&rng, (uint64_t)params->run_seed, RNG_RANDOM_GENOME, 0, number);
    if (stress->kind == KIND_VIOLENT ? violent_genome(genome, params, number)
                                     : genetics_random(genome, params, &rng, &ids))
        die("out of memory");
}

/* Whether some part has more kinetic energy than all that there was, that came in, and that may be
 * missing. */
struct watch {
    double allowed_share;
    const struct measures *measures; /* mass and size are known when scoring begins */
    double dt_s;
    int is_too_fast, looks, lawless;
};

static double floor_of(const struct measures *measures)
{
    return FLOOR_SHARE * measures->mass_kg * STANDARD_GRAVITY_M_S2 * measures->size_m;
}

static int watch_speeds(void *context, const struct evaluate_view *view)
{
    struct watch *watch = context;
    const struct ledger *l = view->ledger;
    if (view->phase != PHASE_SCORE)
        return 0;
    watch->looks++;
    watch->lawless += !(view->dynamics->touches.law_miss_m <= LAW_GOOD_M_S * watch->dt_s);
    double losses = l->loss_friction_j + l->loss_impact_j + l->loss_limit_j + l->loss_drag_j +
                    l->loss_damping_j;
    double turnover = l->work_effector_positive_j + losses + fabs(l->energy_start_j);
    double all = l->energy_start_j - l->potential_j + l->work_effector_j - losses;
    double bound = all + watch->allowed_share * turnover + floor_of(watch->measures);
    for (int i = 0; i < view->phenotype->part_count; i++) {
        struct part_state state;
        dynamics_part_state(view->dynamics, i, &state);
        double speed_sq = vec3_dot(state.velocity_m_s, state.velocity_m_s);
        watch->is_too_fast |= 0.5 * view->phenotype->parts[i].mass_kg * speed_sq > bound;
    }
    return watch->is_too_fast;
}

static struct record judge(const struct stress *stress, int world, uint64_t number,
                           struct arena *arena)
{
    struct genome genome;
    struct params params;
    struct evaluation evaluation;
    struct error error;
    uint64_t seed;
    make(stress, world, number, &genome, &params, &seed);
    if (genome_check(&genome, &error) != 0)
        die(error.message);
    struct watch watch = {.allowed_share = params.guard_energy_share,
                          .dt_s = params.simulation_dt_s,
                          .measures = &evaluation.measures};
    evaluate(&genome, &params, seed, arena, watch_speeds, &watch, &evaluation);
    const struct body_physics *physics = body_physics[genome.kind];
    genome_deinit(&genome);

    const struct measures *m = &evaluation.measures;
    const struct ledger ledger = {.residual_j = m->residual_j};
    double floor_j = floor_of(m);
    struct record record = {
        .number = number,
        .world = world,
        .verdict = evaluation.verdict,
        .is_finite = 1,
        .is_too_fast = watch.is_too_fast && verdict_is_scored(evaluation.verdict),
        .looks = watch.looks,
        .lawless = watch.lawless,
        .time_s = m->time_s,
        .rk4_share = m->rk4_share,
        .residual_share = m->residual_share,
        .unaccounted_j = physics->unearned_j(&ledger, m->gain_unearned_j),
        .turnover_j = m->work_in_j + m->loss_friction_j + m->loss_impact_j + m->loss_limit_j +
                      m->loss_drag_j + m->loss_damping_j + floor_j,
        .floor_j = floor_j,
        .allowed_share = params.guard_energy_share};
    for (int i = 0; i < MEASURE_COUNT; i++)
        record.is_finite &= isfinite(measures_get(m, i)) != 0;
    return record;
}

/* ---------------------------------------------------------------- many of them */

/* Position in the whole: world by world, number by number. */
static uint64_t total_of(const struct stress *stress)
{
    return (uint64_t)stress->world_count * stress->count;
}

static void work(const struct stress *stress, uint64_t from, uint64_t to, int job, int output)
{
    struct arena arena;
    if (arena_init(&arena, EVALUATE_ARENA_BYTES) != 0)
        die("out of memory");
    for (uint64_t at = from + (uint64_t)job; at < to; at += (uint64_t)stress->jobs) {
        int world = (int)(at / stress->count);
        struct record record = judge(stress, world, stress->first + at % stress->count, &arena);
        if (write(output, &record, sizeof record) != (ssize_t)sizeof record)
            die("a pipe broke");
    }
    arena_deinit(&arena);
}

static size_t read_fully(int input, void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(input, (char *)bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

/* Takes a child's records into their places; the first that is missing crashed. */
static void collect(struct stress *stress, uint64_t from, uint64_t to, int job, int input,
                    pid_t child)
{
    int status = 0;
    uint64_t at = from + (uint64_t)job;
    struct record record;
    for (; at < to && read_fully(input, &record, sizeof record) == sizeof record;
         at += (uint64_t)stress->jobs)
        stress->records[at] = record;
    close(input);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        exit(2);
    if (at < to || status != 0) {
        fprintf(stderr, "stress: %s %" PRIu64 " crashed (status 0x%x)\n",
                stress->worlds[at / stress->count], stress->first + at % stress->count,
                (unsigned)status);
        stress->has_crashed = 1;
    }
}

static void run_chunk(struct stress *stress, uint64_t from, uint64_t to)
{
    pid_t children[JOBS_MAX];
    int inputs[JOBS_MAX];
    fflush(NULL);
    for (int job = 0; job < stress->jobs; job++) {
        int ends[2];
        if (pipe(ends) != 0 || (children[job] = fork()) < 0)
            die(strerror(errno));
        if (children[job] == 0) {
            close(ends[0]);
            work(stress, from, to, job, ends[1]);
            _exit(0);
        }
        close(ends[1]);
        inputs[job] = ends[0];
    }
    for (int job = 0; job < stress->jobs; job++)
        collect(stress, from, to, job, inputs[job], children[job]);
}

/* ---------------------------------------------------------------- the log */

static const char log_head[] =
    "world,number,verdict,finite,too_fast,looks,lawless,time_s,rk4_share,residual_"
    "share,unaccounted_j,turnover_j,floor_j,"
    "allowed_share\n";

static void log_record(struct stress *stress, const struct record *r)
{
    fprintf(stress->log,
            "%s,%" PRIu64 ",%s,%d,%d,%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
            stress->worlds[r->world], r->number, verdict_name(r->verdict), r->is_finite,
            r->is_too_fast, r->looks, r->lawless, r->time_s, r->rk4_share, r->residual_share,
            r->unaccounted_j, r->turnover_j, r->floor_j, r->allowed_share);
}

/* A line of the log for the creature that comes next; 0 if it is another's or broken. */
static int read_record(const struct stress *stress, const char *line, uint64_t at, struct record *r)
{
    char world[32], verdict[32];
    *r = (struct record){.world = (int)(at / stress->count)};
    return sscanf(line, "%31[^,],%" SCNu64 ",%31[^,],%d,%d,%d,%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf\n",
                  world, &r->number, verdict, &r->is_finite, &r->is_too_fast, &r->looks,
                  &r->lawless, &r->time_s, &r->rk4_share, &r->residual_share, &r->unaccounted_j,
                  &r->turnover_j, &r->floor_j, &r->allowed_share) == 14 &&
           strchr(line, '\n') != NULL && strcmp(world, stress->worlds[r->world]) == 0 &&
           r->number == stress->first + at % stress->count &&
           (r->verdict = verdict_find(verdict)) >= 0;
}

/* Takes what the log has already and leaves it open at its end. What the log was made with is in
 * its first line: another version or other settings are refused. */
static uint64_t open_log(struct stress *stress)
{
    char head[1024], line[1024];
    uint64_t done = 0;
    int length =
        snprintf(head, sizeof head, "# version %d, kind %d, first %" PRIu64 ", count %" PRIu64,
                 SIMULATOR_VERSION, (int)stress->kind, stress->first, stress->count);
    for (int i = 0; i < stress->assignment_count && length < (int)sizeof head - 200; i++)
        length += snprintf(head + length, 180, ", %s", stress->assignments[i]);
    snprintf(head + length, sizeof head - (size_t)length, "\n");
    stress->log = fopen(stress->log_path, "a+");
    if (stress->log == NULL)
        die("the log cannot be opened");
    rewind(stress->log);
    if (fgets(line, sizeof line, stress->log) == NULL) {
        fprintf(stress->log, "%s%s", head, log_head);
        return 0;
    }
    if (strcmp(line, head) != 0)
        die("the log is of another version or of other settings");
    if (fgets(line, sizeof line, stress->log) == NULL || strcmp(line, log_head) != 0)
        die("the log is broken");
    while (done < total_of(stress) && fgets(line, sizeof line, stress->log) != NULL &&
           read_record(stress, line, done, &stress->records[done]))
        done++;
    if (fgets(line, sizeof line, stress->log) != NULL)
        die("the log is broken or of other worlds");
    fseek(stress->log, 0, SEEK_END);
    return done;
}

static void run_all(struct stress *stress)
{
    uint64_t total = total_of(stress), at = stress->log_path ? open_log(stress) : 0;
    while (at < total && !stress->has_crashed) {
        uint64_t to = at + (uint64_t)stress->jobs * CHUNK_PER_JOB;
        to = to < total ? to : total;
        run_chunk(stress, at, to);
        for (uint64_t i = at; stress->log && !stress->has_crashed && i < to; i++)
            log_record(stress, &stress->records[i]);
        if (stress->log && fflush(stress->log) != 0)
            die("the log cannot be written");
        at = to;
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " ", at, total);
    }
    stress->record_count = at;
}

/* ---------------------------------------------------------------- what came out */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_verdicts(const struct stress *stress)
{
    uint64_t counts[VERDICT_LIMIT][WORLDS_MAX] = {{0}};
    static const char *const names[3] = {"not finite", "faster than energy allows",
                                         "unaccounted energy that no verdict reports"};
    uint64_t bad[3][WORLDS_MAX] = {{0}};
    for (size_t i = 0; i < stress->record_count; i++) {
        const struct record *r = &stress->records[i];
        counts[r->verdict][r->world]++;
        bad[0][r->world] += !r->is_finite || r->verdict == VERDICT_NOT_FINITE;
        bad[1][r->world] += (uint64_t)r->is_too_fast;
        bad[2][r->world] += (uint64_t)is_unreported(r);
    }
    printf("| verdict |");
    for (int w = 0; w < stress->world_count; w++)
        printf(" %s |", stress->worlds[w]);
    printf("\n|---|");
    for (int w = 0; w < stress->world_count; w++)
        printf("---|");
    for (int v = 0; v < VERDICT_LIMIT; v++) {
        uint64_t sum = 0;
        for (int w = 0; w < stress->world_count; w++)
            sum += counts[v][w];
        if (sum == 0)
            continue;
        printf("\n| `%s` |", verdict_name(v));
        for (int w = 0; w < stress->world_count; w++)
            printf(" %" PRIu64 " |", counts[v][w]);
    }
    for (int k = 0; k < 3; k++) {
        printf("\n| %s |", names[k]);
        for (int w = 0; w < stress->world_count; w++)
            printf(" %" PRIu64 " |", bad[k][w]);
    }
    printf("\n| contacts beyond %.0e m/s, of looks |", LAW_GOOD_M_S);
    for (int w = 0; w < stress->world_count; w++) {
        uint64_t looks = 0, lawless = 0;
        for (size_t i = 0; i < stress->record_count; i++) {
            looks += stress->records[i].world == w ? (uint64_t)stress->records[i].looks : 0;
            lawless += stress->records[i].world == w ? (uint64_t)stress->records[i].lawless : 0;
        }
        printf(" %" PRIu64 " of %" PRIu64 " |", lawless, looks);
    }
    printf("\n\n");
}

/* residual_share of the scored creatures of a world, those with RK4 steps only or the others. */
static void print_residuals(const struct stress *stress, int world, int is_rk4)
{
    double *shares = malloc((stress->record_count + 1) * sizeof shares[0]), worst = 0;
    size_t count = 0, good = 0;
    if (shares == NULL)
        die("out of memory");
    for (size_t i = 0; i < stress->record_count; i++) {
        const struct record *r = &stress->records[i];
        if (r->world != world || !verdict_is_scored(r->verdict) || (r->rk4_share == 1) != is_rk4)
            continue;
        good += r->residual_share < (is_rk4 ? RESIDUAL_GOOD_RK4 : RESIDUAL_GOOD);
        worst = fmax(worst, excess_of(r));
        shares[count++] = r->residual_share;
    }
    if (count > 0) {
        static const double quantiles[] = {0.5, 0.9, 0.99, 1};
        qsort(shares, count, sizeof shares[0], compare_doubles);
        printf("| %s, %s | %zu |", stress->worlds[world],
               is_rk4 ? "RK4 only" : "contacts or limits", count);
        for (int k = 0; k < 4; k++)
            printf(" %.1e |", shares[(size_t)(quantiles[k] * (double)(count - 1) + 0.5)]);
        printf(" %.2f %% below %.0e | %.1e |\n", 100 * (double)good / (double)count,
               is_rk4 ? RESIDUAL_GOOD_RK4 : RESIDUAL_GOOD, worst);
    }
    free(shares);
}

/* Those that fail, then the scored ones with most unaccounted energy. */
static int compare_offence(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    double ex = verdict_is_scored(x->verdict) ? excess_of(x) : 0;
    double ey = verdict_is_scored(y->verdict) ? excess_of(y) : 0;
    if (is_bad(x) != is_bad(y))
        return is_bad(y) - is_bad(x);
    return (ex < ey) - (ex > ey);
}

/* Writes a creature with the parameters and the outcome of its evaluation, to look at with
 * `simulator evaluate` and the viewer. */
static void save(const struct stress *stress, const struct record *record)
{
    char path[512];
    struct arena arena;
    struct creature creature;
    struct evaluation evaluation;
    struct error error;
    creature_init(&creature);
    make(stress, record->world, record->number, &creature.genome, &creature.params, &creature.seed);
    if (arena_init(&arena, EVALUATE_ARENA_BYTES) != 0)
        die("out of memory");
    evaluate(&creature.genome, &creature.params, creature.seed, &arena, NULL, NULL, &evaluation);
    arena_deinit(&arena);
    creature.id = record->number;
    creature.has_evaluation = 1;
    creature.verdict = evaluation.verdict;
    creature.measures = evaluation.measures;
    creature.digest = evaluation.digest;
    creature.genome_hash = genome_hash(&creature.genome);
    creature.simulator_version = SIMULATOR_VERSION;
    snprintf(path, sizeof path, "%s/%s-%" PRIu64 ".creature", stress->save_path,
             stress->worlds[record->world], record->number);
    if (creature_write(&creature, path, 0, &error) != 0)
        die(error.message);
    creature_deinit(&creature);
}

static void print_offenders(struct stress *stress)
{
    int left = stress->offenders;
    qsort(stress->records, stress->record_count, sizeof stress->records[0], compare_offence);
    for (size_t i = 0; i < stress->record_count && left > 0; i++) {
        const struct record *r = &stress->records[i];
        if (excess_of(r) == 0 && !is_bad(r))
            continue;
        left--;
        printf("%s %s %" PRIu64 ": %s after %.2f s, unaccounted %.3g of %.3g J\n",
               is_bad(r) ? "FAIL" : "    ", stress->worlds[r->world], r->number,
               verdict_name(r->verdict), r->time_s, r->unaccounted_j, r->turnover_j);
        if (stress->save_path)
            save(stress, r);
    }
}

static int report(struct stress *stress)
{
    uint64_t bad = 0;
    for (size_t i = 0; i < stress->record_count; i++)
        bad += (uint64_t)is_bad(&stress->records[i]);
    print_verdicts(stress);
    printf("| residual of the scored | count | median | 90 %% | 99 %% | largest | good | beyond "
           "1e-3 m g size |\n|---|---|---|---|---|---|---|---|\n");
    for (int w = 0; w < stress->world_count; w++)
        for (int is_rk4 = 0; is_rk4 < 2; is_rk4++)
            print_residuals(stress, w, is_rk4);
    printf("\n");
    print_offenders(stress);
    printf("stress: %zu creatures, %" PRIu64 " failed%s\n", stress->record_count, bad,
           stress->has_crashed ? ", and one crashed" : "");
    return bad > 0 || stress->has_crashed;
}

/* ---------------------------------------------------------------- the command line */

static const char usage_text[] =
    "usage: stress [option]... [CREATURE...]\n"
    "  -n N               creatures in each world (default: 1000)\n"
    "  --first NUMBER     the first of them (default: 1)\n"
    "  --random           as a run's first generation has them, default parameters, instead of "
    "violent\n"
    "  --worlds A,B,...   presets (default: land,water,air,moon)\n"
    "  -s SECTION.KEY=VALUE   changes a parameter of all (repeatable)\n"
    "  --log FILE.csv     a line for each; an interrupted run goes on where its log ends\n"
    "  --jobs J           processes (default: one for each core)\n"
    "  --offenders K      how many of the worst to name (default: 10)\n"
    "  --save FOLDER      writes those named as creature files\n"
    "Exit code: 0, 1 one failed or crashed, 2 wrong usage.\n";

static uint64_t read_count(const char *text)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text == '-' || *end != '\0' || value == 0 || value > 100000000)
        die("expected a whole number from 1");
    return value;
}

static void read_worlds(struct stress *stress, char *text)
{
    stress->world_count = 0;
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
        if (stress->world_count == WORLDS_MAX)
            die("too many worlds");
        stress->worlds[stress->world_count++] = word;
    }
    if (stress->world_count == 0)
        die("no world");
}

static void read_arguments(struct stress *stress, int argc, char **argv)
{
    static const struct option options[] = {{"first", required_argument, NULL, 'f'},
                                            {"random", no_argument, NULL, 'r'},
                                            {"worlds", required_argument, NULL, 'w'},
                                            {"log", required_argument, NULL, 'l'},
                                            {"jobs", required_argument, NULL, 'j'},
                                            {"offenders", required_argument, NULL, 'o'},
                                            {"save", required_argument, NULL, 'd'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "n:s:h", options, NULL)) != -1) {
        if (option == 'n')
            stress->count = read_count(optarg);
        else if (option == 'f')
            stress->first = read_count(optarg);
        else if (option == 'r')
            stress->kind = KIND_RANDOM;
        else if (option == 'w')
            read_worlds(stress, optarg);
        else if (option == 'l')
            stress->log_path = optarg;
        else if (option == 'j')
            stress->jobs = (int)read_count(optarg);
        else if (option == 'o')
            stress->offenders = (int)read_count(optarg);
        else if (option == 'd')
            stress->save_path = optarg;
        else if (option == 's' && stress->assignment_count < ASSIGNMENTS_MAX)
            stress->assignments[stress->assignment_count++] = optarg;
        else {
            fputs(usage_text, option == 'h' ? stdout : stderr);
            exit(option == 'h' ? 0 : 2);
        }
    }
    if (optind < argc) {
        stress->kind = KIND_FILES;
        stress->paths = argv + optind;
        stress->worlds[0] = "files";
        stress->world_count = 1;
        stress->first = 1;
        stress->count = (uint64_t)(argc - optind);
    }
    if (stress->jobs > JOBS_MAX)
        stress->jobs = JOBS_MAX;
}

int main(int argc, char **argv)
{
    struct stress stress = {.worlds = {"land", "water", "air", "moon"},
                            .world_count = 4,
                            .first = 1,
                            .count = 1000,
                            .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN),
                            .offenders = 10};
    read_arguments(&stress, argc, argv);
    stress.records = calloc(total_of(&stress), sizeof stress.records[0]);
    if (stress.records == NULL)
        die("out of memory");
    run_all(&stress);
    int is_failed = report(&stress);
    if (stress.log)
        fclose(stress.log);
    free(stress.records);
    return is_failed;
}
