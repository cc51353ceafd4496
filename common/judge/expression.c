/* An expression is read and computed in one go, by recursive descent: texts are short (a parameter
 * has at most 1000 bytes), and there are a few hundred evaluations a second, of a few microseconds
 * each.
 *
 * Why not a library: muParser and GNU libmatheval, the ones in Debian, call the C library's exp and
 * pow, whose last bits differ between machines, and read numbers in the user's locale; a run would
 * not repeat. Both branches of an if() are computed, so that an error is found whatever the
 * measures are. */
#include "common/judge/expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/detmath.h"
#include "common/text.h"

/* Parentheses, functions, signs and powers within one another: bounds the stack. */
#define DEPTH_MAX     64
#define ARGUMENTS_MAX 16

struct reader {
    const char *text, *at;
    const struct measures *measures;
    int depth;
    int is_undefined; /* a measure in it is not finite */
    struct error *error;
    int status; /* the first error; then everything is 0 */
};

static double read_expression(struct reader *reader);

/* ---- errors and characters ---- */

static double fail_at(struct reader *reader, const char *at, const char *what, const char *name,
                      size_t length)
{
    if (!reader->status)
        reader->status =
            error_set(reader->error, ERR_FORMAT, "column %d: %s%.*s", (int)(at - reader->text) + 1,
                      what, length < 40 ? (int)length : 40, name);
    return 0;
}

static double fail(struct reader *reader, const char *what)
{
    return fail_at(reader, reader->at, what, "", 0);
}

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t')
        reader->at++;
}

/* Takes the word if it is what comes next. */
static int take(struct reader *reader, const char *word)
{
    skip_blanks(reader);
    if (strncmp(reader->at, word, strlen(word)))
        return 0;
    reader->at += strlen(word);
    return 1;
}

/* ---- functions ---- */

static double call_min(const double *arguments, int count)
{
    double value = arguments[0];
    for (int i = 1; i < count; i++)
        value = arguments[i] < value ? arguments[i] : value;
    return value;
}

static double call_max(const double *arguments, int count)
{
    double value = arguments[0];
    for (int i = 1; i < count; i++)
        value = arguments[i] > value ? arguments[i] : value;
    return value;
}

static double call_clamp(const double *arguments, int count)
{
    double value = arguments[0] < arguments[1] ? arguments[1] : arguments[0];
    return value > arguments[2] ? arguments[2] : value;
}

static double call_if(const double *arguments, int count)
{
    return arguments[0] > 0 ? arguments[1] : arguments[2];
}

static double call_sign(const double *arguments, int count)
{
    return (arguments[0] > 0) - (arguments[0] < 0);
}

static const struct function {
    const char *name;
    int least, most;                                    /* arguments */
    double (*call)(const double *arguments, int count); /* NULL: of one argument */
    double (*call_one)(double argument);
} functions[] = {
    {"min", 2, ARGUMENTS_MAX, call_min, NULL}, {"max", 2, ARGUMENTS_MAX, call_max, NULL},
    {"abs", 1, 1, .call_one = fabs},           {"sqrt", 1, 1, .call_one = sqrt},
    {"exp", 1, 1, .call_one = det_exp},        {"log", 1, 1, .call_one = det_log},
    {"sin", 1, 1, .call_one = det_sin},        {"cos", 1, 1, .call_one = det_cos},
    {"atan", 1, 1, .call_one = det_atan},      {"tanh", 1, 1, .call_one = det_tanh},
    {"floor", 1, 1, .call_one = det_floor},    {"sign", 1, 1, call_sign, NULL},
    {"clamp", 3, 3, call_clamp, NULL},         {"if", 3, 3, call_if, NULL},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

static double read_call(struct reader *reader, const struct function *function, const char *name)
{
    double arguments[ARGUMENTS_MAX];
    int count = 0;
    do {
        if (count == ARGUMENTS_MAX)
            return fail(reader, "too many arguments (at most 16)");
        arguments[count++] = read_expression(reader);
    } while (!reader->status && take(reader, ","));
    if (reader->status)
        return 0;
    if (!take(reader, ")"))
        return fail(reader, "expected an operator, ',' or ')'");
    if (count < function->least || count > function->most)
        return fail_at(reader, name, "wrong number of arguments of ", name, strlen(function->name));
    return function->call ? function->call(arguments, count) : function->call_one(arguments[0]);
}

/* ---- the grammar ---- */

static double fail_unknown(struct reader *reader, const char *at, const char *name)
{
    char what[256], suggestion[TEXT_SUGGESTION_SIZE];
    const char *meant = NULL;
    for (int i = 0; i < MEASURE_COUNT; i++)
        meant = text_nearer(name, measure_table[i].name, meant);
    snprintf(what, sizeof what, "no measure is called %s%s", name, text_suggest(meant, suggestion));
    return fail_at(reader, at, what, "", 0);
}

/* Comparisons and min() would hide a value that is not a number. */
static double read_measure(struct reader *reader, const char *at, const char *name)
{
    int measure = measure_find(name);
    double value;
    if (measure < 0)
        return fail_unknown(reader, at, name);
    value = measures_get(reader->measures, measure);
    reader->is_undefined |= !isfinite(value);
    return value;
}

static double read_name(struct reader *reader, size_t length)
{
    const char *start = reader->at;
    char name[48];
    if (length >= sizeof name)
        return fail_at(reader, start, "no measure is called ", start, length);
    memcpy(name, start, length);
    name[length] = '\0';
    reader->at += length;
    if (take(reader, "(")) {
        for (int i = 0; i < FUNCTION_COUNT; i++)
            if (!strcmp(functions[i].name, name))
                return read_call(reader, &functions[i], start);
        return fail_at(reader, start, "no function is called ", name, length);
    }
    return read_measure(reader, start, name);
}

static double read_number(struct reader *reader)
{
    char digits[64], *end;
    size_t length = strspn(reader->at, "0123456789.");
    double value;
    /* 2e3, 2e-3: the sign belongs to the number */
    if (length > 0 && (reader->at[length] == 'e' || reader->at[length] == 'E')) {
        size_t sign = reader->at[length + 1] == '-' || reader->at[length + 1] == '+';
        length += 1 + sign + strspn(reader->at + length + 1 + sign, "0123456789");
    }
    if (length >= sizeof digits)
        return fail(reader, "the number is too long");
    memcpy(digits, reader->at, length);
    digits[length] = '\0';
    value = strtod(digits, &end);
    if (length == 0 || *end)
        return fail(reader, "expected a number, a measure, a function or '('");
    if (!isfinite(value))
        return fail(reader, "the number is too large");
    reader->at += length;
    return value;
}

static double read_primary(struct reader *reader)
{
    double value;
    size_t length;
    skip_blanks(reader);
    length = strspn(reader->at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (*reader->at >= 'a' && *reader->at <= 'z')
        return read_name(reader, length);
    if (!take(reader, "("))
        return read_number(reader);
    value = read_expression(reader);
    if (!reader->status && !take(reader, ")"))
        return fail(reader, "expected an operator or ')'");
    return value;
}

/* Whole powers by multiplication, which negative numbers have too; others by exp and log. */
static double raise(double base, double power)
{
    double value = 1;
    if (det_floor(power) != power || fabs(power) > 64)
        return base > 0 ? det_pow(base, power) : base == 0 && power > 0 ? 0 : NAN;
    for (int i = 0; i < fabs(power); i++)
        value *= base;
    return power < 0 ? 1 / value : value;
}

static double read_signed(struct reader *reader)
{
    double value;
    if (++reader->depth > DEPTH_MAX)
        return fail(reader, "nested too deeply");
    if (take(reader, "-")) {
        value = -read_signed(reader);
    } else if (take(reader, "+")) {
        value = read_signed(reader);
    } else {
        value = read_primary(reader);
        if (!reader->status && take(reader, "^"))
            value = raise(value, read_signed(reader));
    }
    reader->depth--;
    return value;
}

static double read_product(struct reader *reader)
{
    double value = read_signed(reader);
    while (!reader->status) {
        if (take(reader, "*"))
            value *= read_signed(reader);
        else if (take(reader, "/"))
            value /= read_signed(reader);
        else
            break;
    }
    return value;
}

static double read_sum(struct reader *reader)
{
    double value = read_product(reader);
    while (!reader->status) {
        if (take(reader, "+"))
            value += read_product(reader);
        else if (take(reader, "-"))
            value -= read_product(reader);
        else
            break;
    }
    return value;
}

static double read_expression(struct reader *reader)
{
    double value = read_sum(reader);
    if (reader->status)
        return 0;
    if (take(reader, "<="))
        return value <= read_sum(reader);
    if (take(reader, ">="))
        return value >= read_sum(reader);
    if (take(reader, "<"))
        return value < read_sum(reader);
    if (take(reader, ">"))
        return value > read_sum(reader);
    return value;
}

static double read_all(struct reader *reader)
{
    double value = read_expression(reader);
    skip_blanks(reader);
    if (!reader->status && *reader->at)
        return fail(reader, "expected an operator or the end");
    return value;
}

int expression_check(const char *text, struct error *error)
{
    static const struct measures measures;
    struct reader reader = {.text = text, .at = text, .measures = &measures, .error = error};
    read_all(&reader);
    return reader.status;
}

double expression_evaluate(const char *text, const struct measures *measures)
{
    struct error error;
    struct reader reader = {.text = text, .at = text, .measures = measures, .error = &error};
    double value = read_all(&reader);
    return reader.status || reader.is_undefined ? NAN : value;
}
