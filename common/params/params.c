/* Parameters: the table made of the rows in params.h, and everything that works row by row.
 *
 * Some hundred rows, found by a linear search: values are set some hundred times in a run. Every
 * way in (INI files, -s, creature files, messages) ends in params_set(), so that there is one place
 * where types and ranges are checked. Reading and writing files is in params_file.c, messages are
 * in params_codec.c. */
#include "common/params/params.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/hash.h"
#include "common/math/neuron.h"
#include "common/math/relief.h"
#include "common/params/obstacles.h"
#include "common/text.h"

/* How far above a guard's bound a second opinion's speeds may be, as a factor. */
#define SOLVER_SLACK 1.25

/* Rows of section `run` have bare keys: IS_BARE(run) is 1, IS_BARE(anything else) is 0. */
#define BARE_run                   ~, 1
#define SECOND(first, second, ...) second
#define IS_BARE_EXPANDED(...)      SECOND(__VA_ARGS__, 0, 0)
#define IS_BARE(s)                 IS_BARE_EXPANDED(BARE_##s)

#define KEY(s, n) &(#s "." #n)[IS_BARE(s) ? sizeof(#s) : 0]
#define HEAD(s, n, type, scope, when)                                                              \
#s, #n, KEY(s, n), PARAM_##type, scope, when, offsetof(struct params, s##_##n)

#define ROW_REAL(s, n, d, lo, hi, scope, when, help)                                               \
    {HEAD(s, n, REAL, scope, when), (double)(lo), (double)(hi), NULL, #d, help},
#define ROW_INT(s, n, d, lo, hi, scope, when, help)                                                \
    {HEAD(s, n, INT, scope, when), (double)(lo), (double)(hi), NULL, #d, help},
#define ROW_BOOL(s, n, d, scope, when, help) {HEAD(s, n, BOOL, scope, when), 0, 1, NULL, #d, help},
#define ROW_CHOICE(s, n, d, names, scope, when, help)                                              \
    {HEAD(s, n, CHOICE, scope, when), 0, 0, names, #d, help},
#define ROW_TEXT(s, n, d, scope, when, help) {HEAD(s, n, TEXT, scope, when), 0, 0, NULL, d, help},

const struct param_info param_table[] = {PARAMS(ROW_REAL, ROW_INT, ROW_BOOL, ROW_CHOICE, ROW_TEXT)};
const int param_count = (int)(sizeof(param_table) / sizeof(param_table[0]));

/* The values that world.preset sets: g, viscosity of either law by length and by area, ground,
 * friction, elasticity. Indexed by PRESET_*. By area it slows boxes of 150 kg/m3 as by length
 * rectangles of 1 kg/m2. */
static const struct {
    double gravity_m_s2, viscosity_pa_s, quadratic_drag_kg_m2, viscosity_pa_s_m;
    double quadratic_drag_kg_m3;
    int ground;
    double friction, elasticity;
} presets[] = {
    [PRESET_LAND] = {9.81, 0, 0, 0, 0, 1, 0.8, 0},
    [PRESET_WATER] = {0, 1, 1, 150, 150, 0, 0.8, 0},
    [PRESET_AIR] = {9.81, 0.05, 0.05, 7.5, 7.5, 0, 0.8, 0},
    [PRESET_MOON] = {1.62, 0, 0, 0, 0, 1, 0.8, 0},
};

const char *const params_solver_names[SOLVER_COUNT] = {
#define SOLVER_NAME(name, bar) name,
    SOLVERS(SOLVER_NAME)
#undef SOLVER_NAME
};

int params_other_solver(int solver)
{
    return solver == SOLVER_ARTICULATED ? SOLVER_CONSTRAINT : SOLVER_ARTICULATED;
}

void params_ask_solver(struct params *params, int solver)
{
    double *const bounds[] = {&params->guard_speed_m_s, &params->guard_turn_rad,
                              &params->guard_joint_speed_rad_s, &params->guard_joint_speed_m_s};
    ENSURE(solver >= 0 && solver < SOLVER_COUNT, "solver %d of %d", solver, SOLVER_COUNT);
    if (solver == params->simulation_solver)
        return;
    params->simulation_solver = solver;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        *bounds[i] *= SOLVER_SLACK;
}

int params_find(const char *key)
{
    key = params_key_now(key);
    for (int i = 0; i < param_count; i++)
        if (strcmp(param_table[i].key, key) == 0)
            return i;
    return -1;
}

#define DEFAULT_NUMBER(s, n, d, lo, hi, scope, when, help) .s##_##n = (d),
#define DEFAULT_BOOL(s, n, d, scope, when, help)           .s##_##n = (d),
#define DEFAULT_CHOICE(s, n, d, names, scope, when, help)  .s##_##n = (d),
#define DEFAULT_TEXT(s, n, d, scope, when, help)           .s##_##n = d,
#define DEFAULT_CONSTANT(s, n, value, scope, help)         .s##_##n = (value),
static const struct params defaults = {
    PARAMS(DEFAULT_NUMBER, DEFAULT_NUMBER, DEFAULT_BOOL, DEFAULT_CHOICE, DEFAULT_TEXT)
        CONSTANTS(DEFAULT_CONSTANT, DEFAULT_CONSTANT)};

void params_set_defaults(struct params *params)
{
    *params = defaults;
}

void params_set_recorded_defaults(struct params *params)
{
    params_set_defaults(params);
    params->boxes_neighbours = NEIGHBOURS_PASS;
    params->preserve_egg_j = 300;
}

static const void *value_of(const struct params *params, const struct param_info *info)
{
    return (const char *)params + info->offset;
}

/* ---- one value from text ---- */

static int fail_value(const struct param_info *info, const char *value, const char *problem,
                      struct error *error)
{
    char range[200];
    params_print_range((int)(info - param_table), range, sizeof(range));
    return error_set(error, ERR_RANGE, "%s: %.80s%s %s %s", info->key, value[0] ? value : "\"\"",
                     strlen(value) > 80 ? "..." : "", problem, range);
}

/* Numbers of which 0 switches something off, as their help says, may be given as that word. */
static int can_be_off(const struct param_info *info)
{
    return strstr(info->help, "0 = off") != NULL;
}

static int set_real(double *field, const struct param_info *info, const char *value,
                    struct error *error)
{
    // strtod alone would also take blanks in front, hexadecimal numbers, inf and nan
    char *end;
    if (strcmp(value, "off") == 0 && can_be_off(info))
        value = "0";
    double number = strtod(value, &end);
    if (*value == '\0' || *end != '\0' || strspn(value, "0123456789+-.eE") != strlen(value))
        return fail_value(info, value, "is not a number within", error);
    if (!(number >= info->min && number <= info->max))
        return fail_value(info, value, "is not within", error);
    *field = number + 0.0;
    return 0;
}

static int set_int(int64_t *field, const struct param_info *info, const char *value,
                   struct error *error)
{
    char *end;
    errno = 0;
    if (strcmp(value, "off") == 0 && can_be_off(info))
        value = "0";
    long long number = strtoll(value, &end, 10);
    if (*value == '\0' || *end != '\0' || strspn(value, "0123456789+-") != strlen(value))
        return fail_value(info, value, "is not a whole number within", error);
    if (errno == ERANGE || (double)number < info->min || (double)number > info->max)
        return fail_value(info, value, "is not within", error);
    *field = number;
    return 0;
}

static int set_bool(int *field, const struct param_info *info, const char *value,
                    struct error *error)
{
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(value, words[i]) == 0) {
            *field = (int)(i % 2);
            return 0;
        }
    return fail_value(info, value, "is not", error);
}

static int set_choice(int *field, const struct param_info *info, const char *value,
                      struct error *error)
{
    int number = text_find_word(info->choices, value);
    if (number < 0)
        return fail_value(info, value, "is not one of", error);
    *field = number;
    return 0;
}

/* Only what an INI file can give back: see params_file.c for its lines and comments. */
static int set_text(char *field, const struct param_info *info, const char *value,
                    struct error *error)
{
    size_t length = strlen(value);
    int has_edge_blank = length > 0 && (value[0] == ' ' || value[length - 1] == ' ');
    if (length > PARAM_TEXT_LENGTH_MAX || !text_is_clean(value, length) || has_edge_blank ||
        value[0] == ';' || strstr(value, " ;"))
        return fail_value(info, value, "is not", error);
    memcpy(field, value, length + 1);
    return 0;
}

static void apply_preset(struct params *params)
{
    int preset = params->world_preset;
    if (preset == PRESET_CUSTOM)
        return;
    params->world_gravity_m_s2 = presets[preset].gravity_m_s2;
    params->world_viscosity_pa_s = presets[preset].viscosity_pa_s;
    params->world_quadratic_drag_kg_m2 = presets[preset].quadratic_drag_kg_m2;
    params->world_viscosity_pa_s_m = presets[preset].viscosity_pa_s_m;
    params->world_quadratic_drag_kg_m3 = presets[preset].quadratic_drag_kg_m3;
    params->world_ground = presets[preset].ground;
    params->world_friction = presets[preset].friction;
    params->world_elasticity = presets[preset].elasticity;
}

/* The key a person may have meant, or NULL: first one with the same name in another section, else
 * the one with the fewest typing errors. */
static const char *suggest_key(const char *key)
{
    const char *dot = strrchr(key, '.');
    const char *name = dot ? dot + 1 : key;
    const char *best = NULL;
    for (int pass = 0; pass < 2 && !best; pass++)
        for (int i = 0; i < param_count; i++) {
            const struct param_info *info = &param_table[i];
            int is_candidate =
                pass == 0 ? strcmp(info->name, name) == 0 : text_is_similar(key, info->key);
            if (is_candidate && (!best || text_distance(key, info->key) < text_distance(key, best)))
                best = info->key;
        }
    return best;
}

/* Appends to the list of keys those of a section; "..." stands for those without room. */
static void list_section(const char *section, size_t length, char *list, size_t size)
{
    for (int i = 0; i < param_count; i++) {
        size_t used = strlen(list);
        const char *key = param_table[i].key, *comma = used ? ", " : "";
        if (length == 0 || strlen(param_table[i].section) != length ||
            strncmp(param_table[i].section, section, length) != 0)
            continue;
        int has_room = used + strlen(key) + sizeof ", , ..." < size;
        snprintf(list + used, size - used, "%s%s", comma, has_room ? key : "...");
        if (!has_room)
            return;
    }
}

/* Where no key is similar, those of both sections that the key may mean: "evolution.fitness". */
static int fail_unknown(const char *key, struct error *error)
{
    char list[320] = "";
    const char *best = suggest_key(key), *dot = strchr(key, '.');
    if (best) {
        const char *hint = strchr(best, '.') ? "" : ", which stands in no section";
        return error_set(error, ERR_UNKNOWN, "unknown key %.80s (did you mean %s%s?)", key, best,
                         hint);
    }
    list_section(dot ? dot + 1 : key, strlen(dot ? dot + 1 : key), list, sizeof list);
    list_section(key, dot ? (size_t)(dot - key) : 0, list, sizeof list);
    if (list[0])
        return error_set(error, ERR_UNKNOWN, "unknown key %.80s (there are %s)", key, list);
    return error_set(error, ERR_UNKNOWN, "unknown key %.80s", key);
}

int params_set(struct params *params, const char *key, const char *value, struct error *error)
{
    int index = params_find(key);
    if (index < 0 && params_is_fixed(key))
        return params_check_fixed(key, value, error);
    if (index < 0)
        return fail_unknown(key, error);
    const struct param_info *info = &param_table[index];
    void *field = (char *)params + info->offset;
    int rc = 0;
    switch (info->type) {
    case PARAM_REAL:
        return set_real(field, info, value, error);
    case PARAM_INT:
        return set_int(field, info, value, error);
    case PARAM_BOOL:
        return set_bool(field, info, value, error);
    case PARAM_TEXT:
        return set_text(field, info, value, error);
    case PARAM_CHOICE:
        rc = set_choice(field, info, value, error);
        if (rc == 0 && field == &params->world_preset)
            apply_preset(params);
        break;
    }
    return rc;
}

int params_set_assignment(struct params *params, const char *assignment, struct error *error)
{
    char key[96];
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : 0;
    if (!equals || length == 0)
        return error_set(error, ERR_USAGE, "%.80s: expected section.key=value", assignment);
    if (length >= sizeof(key))
        return error_set(error, ERR_UNKNOWN, "unknown key %.80s...", assignment);
    memcpy(key, assignment, length);
    key[length] = '\0';
    return params_set(params, key, equals + 1, error);
}

/* ---- text from values ---- */

static void print_choice(const char *choices, int number, char *buffer, size_t size)
{
    for (; number > 0; number--) {
        const char *bar = strchr(choices, '|');
        ENSURE(bar, "choice %d is beyond %s", number, choices);
        choices = bar + 1;
    }
    snprintf(buffer, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

void params_print_value(const struct params *params, int index, char *buffer, size_t size)
{
    ENSURE(index >= 0 && index < param_count, "the value of parameter %d of %d", index,
           param_count);
    const struct param_info *info = &param_table[index];
    const void *value = value_of(params, info);
    char number[TEXT_NUMBER_SIZE];
    switch (info->type) {
    case PARAM_REAL:
        snprintf(buffer, size, "%s", text_print_double(*(const double *)value, number));
        break;
    case PARAM_INT:
        snprintf(buffer, size, "%" PRId64, *(const int64_t *)value);
        break;
    case PARAM_BOOL:
        snprintf(buffer, size, "%s", *(const int *)value ? "yes" : "no");
        break;
    case PARAM_CHOICE:
        print_choice(info->choices, *(const int *)value, buffer, size);
        break;
    case PARAM_TEXT:
        snprintf(buffer, size, "%s", (const char *)value);
        break;
    }
}

static void print_choices(const char *choices, char *buffer, size_t size)
{
    size_t length = 0;
    buffer[0] = '\0';
    for (; *choices && length + 3 < size; choices++) {
        if (*choices == '|')
            buffer[length++] = ',';
        buffer[length++] = *choices == '|' ? ' ' : *choices;
        buffer[length] = '\0';
    }
}

void params_print_range(int index, char *buffer, size_t size)
{
    ENSURE(index >= 0 && index < param_count, "the range of parameter %d of %d", index,
           param_count);
    const struct param_info *info = &param_table[index];
    char min[TEXT_NUMBER_SIZE], max[TEXT_NUMBER_SIZE];
    switch (info->type) {
    case PARAM_INT:
        if (info->max >= (double)INT64_MAX) {
            snprintf(buffer, size, "%.0f .. %" PRId64, info->min, INT64_MAX);
            break;
        } // fall through
    case PARAM_REAL:
        snprintf(buffer, size, "%s .. %s", text_print_double(info->min, min),
                 text_print_double(info->max, max));
        break;
    case PARAM_BOOL:
        snprintf(buffer, size, "yes or no");
        break;
    case PARAM_CHOICE:
        print_choices(info->choices, buffer, size);
        break;
    case PARAM_TEXT:
        snprintf(buffer, size, "a text of at most %d bytes on one line, without ' ;'",
                 PARAM_TEXT_LENGTH_MAX);
        break;
    }
}

/* ---- what no single row can check ---- */

static int check_bounds(const struct params *params, struct error *error)
{
#define ORDER(s, low, high)                                                                        \
    {                                                                                              \
#s "." #low, #s "." #high, (double)params->s##_##low, (double)params->s##_##high           \
    }
    const struct {
        const char *low_key, *high_key;
        double low, high;
    } orders[] = {ORDER(initial, bodies_min, bodies_max), ORDER(initial, side_min_m, side_max_m),
                  ORDER(creature, parts_min, parts_max), ORDER(exam, pass, starts),
                  ORDER(creature, side_min_m, side_max_m)};
#undef ORDER
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        if (!(orders[i].low <= orders[i].high))
            return error_set(error, ERR_RANGE, "%s %g is above %s %g", orders[i].low_key,
                             orders[i].low, orders[i].high_key, orders[i].high);
    return 0;
}

static int check_search(const struct params *params, struct error *error)
{
    if (params->breeding_asexual + params->breeding_crossover + params->breeding_graft <= 0)
        return error_set(error, ERR_RANGE,
                         "breeding.asexual, breeding.crossover and breeding.graft are all 0");
    // shares such as 0.7 and 0.3 may add up to a little more than 1
    if (params->mutation_none + params->mutation_one > 1 + 1e-9)
        return error_set(error, ERR_RANGE,
                         "mutation.none %g and mutation.one %g add up to more than 1",
                         params->mutation_none, params->mutation_one);
    if ((double)params->population_size * params->population_survival < 1)
        return error_set(error, ERR_RANGE,
                         "population.survival %g of population.size %" PRId64 " leaves no survivor",
                         params->population_survival, params->population_size);
    return 0;
}

/* The ground is not too steep for contacts. */
static int check_relief(const struct params *params, struct error *error)
{
    double depth_m = det_max(params->world_relief_m, params->exam_relief_m);
    double wavelength_m = params->world_relief_wavelength_m;
    const char *key = params->world_relief_m > 0 ? "world.relief_m" : "exam.relief_m";
    if (depth_m <= 0)
        return 0;
    if (relief_steepest(depth_m, wavelength_m) > RELIEF_SLOPE_MAX)
        return error_set(error, ERR_RANGE,
                         "%s: waves of %g m that are %g m long are steeper than %g: "
                         "world.relief_wavelength_m must be %.3g at least",
                         key, depth_m, wavelength_m, RELIEF_SLOPE_MAX,
                         1.0005 * relief_steepest(depth_m, 1) / RELIEF_SLOPE_MAX);
    return 0;
}

static int check_simulation(const struct params *params, struct error *error)
{
    if (params->simulation_dt_s * params->simulation_brain_hz > 1 + 1e-9)
        return error_set(error, ERR_RANGE,
                         "simulation.dt_s %g is longer than a brain tick (simulation.brain_hz %g)",
                         params->simulation_dt_s, params->simulation_brain_hz);
    struct obstacles obstacles;
    int rc = obstacles_parse(&obstacles, params->world_obstacles, error);
    if (rc != 0)
        return rc;
    if (params->simulation_integrator == INTEGRATOR_RK4 && params->world_ground)
        return error_set(error, ERR_RANGE,
                         "simulation.integrator rk4 cannot hold contacts, and world.ground is on: "
                         "use auto or midpoint");
    if (params->simulation_integrator == INTEGRATOR_RK4 && obstacles.count > 0)
        return error_set(error, ERR_RANGE,
                         "simulation.integrator rk4 cannot hold contacts, and there are "
                         "world.obstacles: use auto or midpoint");
    if (params->settle_required && params->settle_limit_s < SETTLE_REST_S)
        return error_set(error, ERR_RANGE,
                         "settle.limit_s %g leaves no %g s at rest, and settle.required is on",
                         params->settle_limit_s, SETTLE_REST_S);
    return 0;
}

int params_check(const struct params *params, struct error *error)
{
    static int (*const checks[])(const struct params *, struct error *) = {
        check_bounds, check_search, check_simulation, check_relief};
    const char *name = params->run_name;
    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/'))
        return error_set(error, ERR_RANGE,
                         "name: \"%.80s\" cannot name a directory (no '/', no '.' in front)", name);
    uint32_t functions;
    if (neuron_parse_set(params->initial_functions, &functions, error))
        return error_prefix(error, "initial.functions");
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof checks / sizeof checks[0]; i++)
        rc = checks[i](params, error);
    return rc;
}

int params_check_meeting(const struct params *params, struct error *error)
{
    int solver = params->simulation_solver;
    if (solver == SOLVER_ARTICULATED)
        return 0;
    return error_set(error, ERR_RANGE,
                     "several creatures in one world are moved by simulation.solver %s only, not "
                     "by %s",
                     params_solver_names[SOLVER_ARTICULATED], params_solver_names[solver]);
}

int params_is_same(const struct params *a, const struct params *b, int index)
{
    char one[PARAM_TEXT_SIZE], other[PARAM_TEXT_SIZE];
    params_print_value(a, index, one, sizeof one);
    params_print_value(b, index, other, sizeof other);
    return !strcmp(one, other);
}

int params_is_default(const struct params *params, int index)
{
    return params_is_same(params, &defaults, index);
}

/* world.preset is left out: it acts through the rows it sets. */
uint64_t params_evaluation_digest(const struct params *params)
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < param_count; i++) {
        const struct param_info *info = &param_table[i];
        const void *value = value_of(params, info);
        if (info->scope != 'E' || value == &params->world_preset || params_is_default(params, i))
            continue;
        hash = hash_bytes(hash, info->key, strlen(info->key));
        if (info->type == PARAM_REAL)
            hash = hash_double(hash, *(const double *)value);
        else if (info->type == PARAM_INT)
            hash = hash_u64(hash, (uint64_t) * (const int64_t *)value);
        else if (info->type == PARAM_TEXT)
            hash = hash_bytes(hash, value, strlen(value));
        else
            hash = hash_u64(hash, (uint64_t) * (const int *)value);
    }
    return hash;
}
