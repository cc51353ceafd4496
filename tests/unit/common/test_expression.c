/* Expressions: values worked out by hand, errors and their columns, and a fuzz of made-up texts.
 * runs: watched */
#include "common/judge/expression.h"

#include "common/math/detmath.h"
#include "tests/plain_fixture.h"

static struct measures measures;

static void set_up(void)
{
    memset(&measures, 0, sizeof measures);
    measures.distance_m = 6;
    measures.size_m = 2;
    measures.parts = 3;
    measures.work_net_j = -4;
}

static const struct {
    const char *text;
    double value;
} good[] = {
    {"1", 1},
    {" 1.5e1 ", 15},
    {"2e-1", 0.2},
    {"1 + 2 * 3", 7},
    {"(1 + 2) * 3", 9},
    {"8 - 4 - 2", 2},
    {"8 / 4 / 2", 1},
    {"2 - -3", 5},
    {"--2", 2},
    {"+2", 2},
    {"-2^2", -4},
    {"(-2)^2", 4},
    {"(-2)^3", -8},
    {"2^3^2", 512},
    {"2^-2", 0.25},
    {"2^0", 1},
    {"0^0.5", 0},
    {"-2 * -3", 6},
    {"distance_m", 6},
    {"distance_m / size_m", 3},
    {"distance_m/size_m-parts", 0},
    {"work_net_j + 1", -3},
    {"min(3, 1, 2)", 1},
    {"max(distance_m, 7)", 7},
    {"abs(work_net_j)", 4},
    {"sqrt(size_m * 8)", 4},
    {"sign(-3) + sign(0) + 10 * sign(2)", 9},
    {"floor(-1.5)", -2},
    {"exp(0) + log(1) + sin(0) + cos(0) + atan(0) + tanh(0)", 2},
    {"clamp(5, 0, 2) + clamp(-5, 0, 2) + clamp(1, 0, 2)", 3},
    {"if(1, 2, 3) + if(0, 20, 30) + if(-1, 200, 300)", 332},
    {"3 < 4", 1},
    {"4 < 4", 0},
    {"4 <= 4", 1},
    {"5 > 4", 1},
    {"4 >= 5", 0},
    {"1 + 1 < 1 + 2", 1},
    {"(parts > 2) * distance_m", 6},
    {"if(parts < 3, 0, distance_m / max(size_m, 0.5))", 3},
};

TEST_LOOP(values_are_right, 0, (int)(sizeof good / sizeof good[0]))
{
    ck_assert_msg(expression_check(good[_i].text, &error) == 0, "%s: %s", good[_i].text,
                  error.message);
    ck_assert_double_eq(expression_evaluate(good[_i].text, &measures), good[_i].value);
}

TEST(functions_are_the_repeatable_ones)
{
    measures.size_m = 1.7;
    ck_assert(expression_evaluate("exp(size_m)", &measures) == det_exp(1.7));
    ck_assert(expression_evaluate("log(size_m)", &measures) == det_log(1.7));
    ck_assert(expression_evaluate("sin(size_m)", &measures) == det_sin(1.7));
    ck_assert(expression_evaluate("cos(size_m)", &measures) == det_cos(1.7));
    ck_assert(expression_evaluate("atan(size_m)", &measures) == det_atan(1.7));
    ck_assert(expression_evaluate("tanh(size_m)", &measures) == det_tanh(1.7));
    ck_assert(expression_evaluate("size_m ^ 0.3", &measures) == det_pow(1.7, 0.3));
}

TEST(what_has_no_value_is_not_finite)
{
    ck_assert(!isfinite(expression_evaluate("1 / (parts - 3)", &measures)));
    ck_assert(!isfinite(expression_evaluate("log(work_net_j)", &measures)));
    ck_assert(!isfinite(expression_evaluate("sqrt(work_net_j)", &measures)));
    ck_assert(!isfinite(expression_evaluate("work_net_j ^ 0.5", &measures)));
    ck_assert(isnan(expression_evaluate("1 +", &measures)));
    /* comparisons do not hide it */
    measures.speed_max_m_s = NAN;
    ck_assert(isnan(expression_evaluate("1 + (speed_max_m_s > 3)", &measures)));
    ck_assert(isnan(expression_evaluate("min(speed_max_m_s, 3)", &measures)));
    ck_assert_double_eq(expression_evaluate("1 + (parts > 2)", &measures), 2);
    /* what an if() leaves out does no harm */
    ck_assert_double_eq(expression_evaluate("if(parts > 3, 1 / (parts - 3), 7)", &measures), 7);
}

static const struct {
    const char *text, *message;
} bad[] = {
    {"", "column 1: expected a number, a measure, a function or '('"},
    {"1 +", "column 4: expected a number, a measure, a function or '('"},
    {"1 2", "column 3: expected an operator or the end"},
    {"(1 + 2", "column 7: expected an operator or ')'"},
    {"1)", "column 2: expected an operator or the end"},
    {"distanse_m / 2", "column 1: no measure is called distanse_m (did you mean distance_m?)"},
    {"2 * nothing", "column 5: no measure is called nothing"},
    {"sum(1, 2)", "column 1: no function is called sum"},
    {"1 + min(1)", "column 5: wrong number of arguments of min"},
    {"if(1, 2)", "column 1: wrong number of arguments of if"},
    {"abs(1, 2)", "column 1: wrong number of arguments of abs"},
    {"abs(1", "column 6: expected an operator, ',' or ')'"},
    {"abs()", "column 5: expected a number, a measure, a function or '('"},
    {"max(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)",
     "column 44: too many arguments (at most 16)"},
    {"1e999", "column 1: the number is too large"},
    {"1.2.3", "column 1: expected a number, a measure, a function or '('"},
    {"1e", "column 1: expected a number, a measure, a function or '('"},
    {"1,5", "column 2: expected an operator or the end"},
    {"0x10", "column 2: expected an operator or the end"},
    {"inf", "column 1: no measure is called inf"},
    {"1 < 2 < 3", "column 7: expected an operator or the end"},
    {"distance_m = 3", "column 12: expected an operator or the end"},
    {"2 $ 3", "column 3: expected an operator or the end"},
    {"\xc3\xa4", "column 1: expected a number, a measure, a function or '('"},
};

TEST_LOOP(errors_name_the_column, 0, (int)(sizeof bad / sizeof bad[0]))
{
    ck_refused_as(expression_check(bad[_i].text, &error), 0, bad[_i].message);
    ck_assert(isnan(expression_evaluate(bad[_i].text, &measures)));
}

TEST(depth_and_length_are_bounded)
{
    static char text[100001];
    const char *const signs = "(-+^a";
    for (int i = 0; signs[i]; i++) {
        memset(text, signs[i], sizeof text - 1);
        ck_assert_int_ne(expression_check(text, &error), 0);
    }
    memset(text, '1', sizeof text - 1);
    ck_refused_as(expression_check(text, &error), 0, "column 1: the number is too long");
    for (int i = 0; i < (int)sizeof text - 1; i++)
        text[i] = "2^"[i % 2];
    ck_refused(expression_check(text, &error), 0, "nested too deeply");
    for (int i = 0; i < (int)sizeof text - 1; i++)
        text[i] = "2+"[i % 2];
    text[sizeof text - 2] = '\0';
    ck_assert_int_eq(expression_check(text, &error), 0);
    ck_assert_double_eq(expression_evaluate(text, &measures), 100000);
}

/* Pieces of the language in random order: it is accepted or refused, check and evaluation agree,
 * and a text that is accepted is still so within parentheses and gives the same. */
TEST(random_texts)
{
    static const char *const pieces[] = {
        "1",      "0.5",  "2e3",  "distance_m", "size_m", "+",   "-",   "*",  "/",    "^",
        "(",      ")",    "min(", "if(",        "abs(",   ",",   "<",   ">=", " ",    "e",
        "clamp(", "sin(", ".",    "parts",      "\x80",   "a_b", "log", "(1", "+ 1)", "\t"};
    int accepted = 0;
    for (uint64_t trial = 0; trial < 60000; trial++) {
        char text[400] = "", wrapped[420];

        struct rng rng = test_rng(1, 0, trial);
        for (int i = (int)rng_below(&rng, 12); i >= 0; i--)
            strcat(text, pieces[rng_below(&rng, sizeof pieces / sizeof pieces[0])]);
        int status = expression_check(text, &error);
        double value = expression_evaluate(text, &measures);
        if (status) {
            ck_assert(isnan(value));
            ck_assert_int_eq(strncmp(error.message, "column ", 7), 0);
            ck_assert_int_le(atoi(error.message + 7), (int)strlen(text) + 1);
            continue;
        }
        accepted++;
        snprintf(wrapped, sizeof wrapped, "((%s)) ", text);
        ck_assert_msg(expression_check(wrapped, &error) == 0, "%s: %s", wrapped, error.message);
        double again = expression_evaluate(wrapped, &measures);
        ck_assert(again == value || (isnan(again) && isnan(value)));
    }
    ck_assert_int_gt(accepted, 600);
}

SUITE("expression", 60, set_up, NULL)
