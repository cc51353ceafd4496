/* See obstacles.h. */
#include "common/params/obstacles.h"

#include <stdlib.h>
#include <string.h>

/* Nothing is farther away, and no side longer, m; no side is shorter, so that a foot cannot slip
 * through. */
#define FARTHEST_M 1000.0
#define THINNEST_M 0.01
/* One turn either way. */
#define ANGLE_MAX_RAD 6.283185307179586
#define NUMBERS       5

static const char *const names[NUMBERS] = {"x_m", "y_m", "width_m", "height_m", "angle_rad"};
static const double least[NUMBERS] = {-FARTHEST_M, -FARTHEST_M, THINNEST_M, THINNEST_M,
                                      -ANGLE_MAX_RAD};
static const double most[NUMBERS] = {FARTHEST_M, FARTHEST_M, FARTHEST_M, FARTHEST_M, ANGLE_MAX_RAD};

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* A number of an entry; strtod alone would also take hexadecimal numbers, inf and nan. */
static int take_number(const char **at, int entry, const char *name, double min, double max,
                       double *value, struct error *error)
{
    *at = skip_blanks(*at);
    size_t length = strspn(*at, "0123456789+-.eE");
    char *end = NULL;
    *value = length > 0 ? strtod(*at, &end) : 0;
    if (length == 0 || end != *at + length)
        return error_set(
            error, ERR_FORMAT,
            "world.obstacles: entry %d: %s is not a number: \"%.20s\" (expected x_m y_m "
            "width_m height_m angle_rad [* count dx_m dy_m], ...)",
            entry, name, *at);
    if (!(*value >= min && *value <= max))
        return error_set(error, ERR_RANGE,
                         "world.obstacles: entry %d: %s %.*s is not within %g .. %g", entry, name,
                         (int)(length < 40 ? length : 40), *at, min, max);
    *at = skip_blanks(end);
    return 0;
}

/* "* count dx dy" behind an entry. */
static int take_repeats(const char **at, int entry, double *count, double shift[2],
                        struct error *error)
{
    int rc;
    *count = 1;
    if (**at != '*')
        return 0;
    ++*at;
    rc = take_number(at, entry, "count", 1, OBSTACLES_MAX, count, error);
    if (rc == 0 && *count != (int)*count)
        rc = error_set(error, ERR_RANGE,
                       "world.obstacles: entry %d: count %g is not a whole number", entry, *count);
    if (rc == 0)
        rc = take_number(at, entry, "dx_m", -FARTHEST_M, FARTHEST_M, &shift[0], error);
    if (rc == 0)
        rc = take_number(at, entry, "dy_m", -FARTHEST_M, FARTHEST_M, &shift[1], error);
    return rc;
}

static int take_entry(struct obstacles *obstacles, const char **at, int entry, struct error *error)
{
    double numbers[NUMBERS], count, shift[2] = {0, 0};
    int rc = 0;
    for (int i = 0; rc == 0 && i < NUMBERS; i++)
        rc = take_number(at, entry, names[i], least[i], most[i], &numbers[i], error);
    if (rc == 0)
        rc = take_repeats(at, entry, &count, shift, error);
    if (rc != 0)
        return rc;
    if (**at != '\0' && **at != ',')
        return error_set(error, ERR_FORMAT,
                         "world.obstacles: entry %d: \"%.20s\" behind it: entries end with a comma",
                         entry, *at);
    if (obstacles->count + (int)count > OBSTACLES_MAX)
        return error_set(error, ERR_LIMIT,
                         "world.obstacles: entry %d: more than %d obstacles with it", entry,
                         OBSTACLES_MAX);
    for (int i = 0; i < (int)count; i++)
        obstacles->list[obstacles->count++] = (struct obstacle){.x_m = numbers[0] + i * shift[0],
                                                                .y_m = numbers[1] + i * shift[1],
                                                                .width_m = numbers[2],
                                                                .height_m = numbers[3],
                                                                .angle_rad = numbers[4]};
    return 0;
}

int obstacles_parse(struct obstacles *obstacles, const char *text, struct error *error)
{
    const char *at = skip_blanks(text);
    *obstacles = (struct obstacles){0};
    for (int entry = 1; *at != '\0'; entry++) {
        int rc = take_entry(obstacles, &at, entry, error);
        if (rc != 0) {
            obstacles->count = 0;
            return rc;
        }
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    return 0;
}
