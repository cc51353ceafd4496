/* What people type: words for options, words that are nearly right, files of another kind than was
 * asked for, creatures of runs, examples by their names. runs: watched */
#include "common/formats/file_kind.h"
#include "common/store/favourites.h"
#include "common/system/examples.h"
#include "common/system/file.h"
#include "common/system/options.h"
#include "common/text.h"

#include <sys/stat.h>
#include <unistd.h>
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

static char path[128];

static void set_up(void)
{
    open_directory();
    snprintf(path, sizeof path, "%s/it", directory);
    error = (struct error){0};
}

static void write_it(const char *text, size_t length)
{
    ck_ok(file_write(path, text, length, &error));
}

TEST(the_nearest_name_is_meant)
{
    static const char *const names[] = {"run", "resume", "status", "save", "sane"};
    static const struct {
        const char *typed, *meant;
    } cases[] = {
        {"rnu", "run"}, {"statsu", "status"}, {"sav", "save"}, {"sane", "sane"}, {"fly", NULL}};
    char text[TEXT_SUGGESTION_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *meant = NULL;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            meant = text_nearer(cases[i].typed, names[k], meant);
        ck_assert_pstr_eq(meant, cases[i].meant);
    }
    ck_assert_str_eq(text_suggest("run", text), " (did you mean run?)");
    ck_assert_str_eq(text_suggest(NULL, text), "");
}

/* Texts, and their words with a bar behind each; NULL: a quote is not closed. */
TEST(words_are_cut)
{
    static const struct {
        const char *text, *words;
    } cases[] = {{"", ""},
                 {" \t ", ""},
                 {"a", "a|"},
                 {"  a\tb  c ", "a|b|c|"},
                 {"\"a b\" c", "a b|c|"},
                 {"my\" \"files/a", "my files/a|"},
                 {"\"a \"\"b\"\" c\"", "a \"b\" c|"},
                 {"\"\" \"\"\"\"", "|\"|"},
                 {"a \"b", NULL},
                 {"\"a\"\"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64], words[64] = "", *rest = text, *word;
        int found;
        strcpy(text, cases[i].text);
        while ((found = text_cut_word(&rest, &word)) == 1)
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s|", word);
        ck_assert_int_eq(found, cases[i].words ? 0 : ERR_FORMAT);
        if (cases[i].words)
            ck_assert_str_eq(words, cases[i].words);
    }
}

TEST(words_are_quoted)
{
    static const char *const words[] = {"", "a", "it's", "a b", "\"", " \"a\"\t", "ends \""};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[64], *rest = text, *word;
        ck_assert_uint_eq(text_quote_word(words[i], text, sizeof text), strlen(text));
        ck_assert_uint_eq(text_quote_word(words[i], text, 0), strlen(text));
        ck_assert_int_eq(text_cut_word(&rest, &word), 1);
        ck_assert_str_eq(word, words[i]);
        ck_assert_int_eq(text_cut_word(&rest, &word), 0);
        text_quote_word(words[i], text, 3);
        ck_assert_uint_le(strlen(text), 2);
    }
}

TEST(an_option_is_suggested)
{
    static const struct option options[] = {{"generations", required_argument, NULL, 'g'},
                                            {"seed", required_argument, NULL, 'n'},
                                            {NULL, 0, NULL, 0}};
    static const struct {
        const char *word, *text;
    } cases[] = {
        {"--generatoins=3", "unknown option '--generatoins=3' (did you mean --generations?)"},
        {"--sede", "unknown option '--sede' (did you mean --seed?)"},
        {"--frob", "unknown option '--frob'"},
        {"-x", "unknown option '-x'"},
        {"--seed", "option '--seed' needs a value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char program[] = "run", word[32], text[128];
        char *argv[] = {program, word, NULL};
        strcpy(word, cases[i].word);
        opterr = optind = 0;
        int answer = getopt_long(2, argv, ":", options, NULL);
        option_describe_fault(argv, options, answer, text, sizeof text);
        ck_assert_str_eq(text, cases[i].text);
    }
}

struct request {
    int flag, order, word;
    const char *text;
    struct option_list list;
    int64_t whole;
    double real;
    struct option_seed seed;
};

#define AT(field_) .field = offsetof(struct request, field_)
static const struct option_row rows[] = {
    {"flag", 'f', NULL, "", OPTION_FLAG, AT(flag)},
    {"order", 0, NULL, "", OPTION_FLAG, AT(order), .value = 3},
    {"text", 't', "T", "", OPTION_TEXT, AT(text)},
    {"set", 's', "K=V", "", OPTION_LIST, AT(list)},
    {"whole", 0, "N", "", OPTION_WHOLE, AT(whole), .min = 1, .max = 9},
    {"real", 0, "R", "", OPTION_REAL, AT(real), .max = 2.5},
    {"word", 0, "one|two|three", "", OPTION_WORD, AT(word)},
    {"seed", 0, "N", "", OPTION_READ, AT(seed), .read = option_read_seed},
    {.name = NULL}};
#undef AT

/* A command line of blanks and words, as options_parse() reads it. */
static int parse_line(const char *line, struct request *request, struct error *fault)
{
    static char words[128], *argv[32];
    int argc = 0;
    strcpy(words, line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    memset(request, 0, sizeof *request);
    return options_parse(rows, argc, argv, request, fault);
}

TEST(values_go_where_their_rows_say)
{
    struct request request;
    ck_ok(parse_line("x a -f --order -t one --text two -s a=1 --set b=2 b --whole 9 "
                     "--real=2.5 --word three --seed 0x10",
                     &request, &error));
    ck_assert(request.flag == 1 && request.order == 3 && request.word == 2);
    ck_assert_str_eq(request.text, "two");
    ck_assert_int_eq(request.list.count, 2);
    ck_assert_str_eq(request.list.items[1], "b=2");
    ck_assert(request.whole == 9 && request.real == 2.5);
    ck_assert(request.seed.is_given && request.seed.value == 16);
    ck_assert_int_eq(optind, 18);
    free(request.list.items);
    ck_assert_int_eq(parse_line("x --flag -h", &request, &error), OPTIONS_HELP);
}

TEST(wrong_values_are_named)
{
    static const struct {
        const char *line, *text;
    } cases[] = {
        {"x --whole 10", "--whole '10' is not a whole number within 1 .. 9"},
        {"x --whole 1x", "--whole '1x' is not a whole number within 1 .. 9"},
        {"x --real nan", "--real 'nan' is not a number within 0 .. 2.5"},
        {"x --word tw", "--word 'tw' is not one of one|two|three"},
        {"x --seed 1x", "--seed: '1x' is not a whole number of 64 bits, decimal or 0x..."},
        {"x --whol 1 --orders", "unknown option '--orders' (did you mean --order?)"},
        {"x --text", "option '--text' needs a value"},
    };
    struct request request;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_refused_as(parse_line(cases[i].line, &request, &error), ERR_USAGE, cases[i].text);
    }
}

TEST(words_are_options)
{
    static const struct {
        const char *typed[3], *read[3];
        int count;
    } cases[] = {{{"x", "help", ""}, {"x", "--help", ""}, 2},
                 {{"x", "version", ""}, {"x", "--version", ""}, 2},
                 {{"x", "help", "run"}, {"x", "run", "--help"}, 3},
                 {{"x", "run", "help"}, {"x", "run", "help"}, 3},
                 {{"x", "", ""}, {"x", "", ""}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char words[3][16], *argv[4] = {words[0], words[1], words[2], NULL};
        for (int k = 0; k < 3; k++)
            strcpy(words[k], cases[i].typed[k]);
        options_read_words(cases[i].count, argv);
        for (int k = 0; k < cases[i].count; k++)
            ck_assert_str_eq(argv[k], cases[i].read[k]);
    }
}

TEST(a_file_is_known_by_its_beginning)
{
#define TEXT(text) text, sizeof text - 1
    static const struct {
        const char *bytes;
        size_t length;
        enum file_kind kind;
    } cases[] = {
        {TEXT("; walkers\n\n[population]\nsize = 3\n"), FILE_PARAMS},
        {TEXT("\xef\xbb\xbf"
              "seed = 3"),
         FILE_PARAMS},
        {TEXT("{\"format\": \"bestiary-creature\"}"), FILE_CREATURE},
        {TEXT("\xef\xbb\xbf {\"format\": \"bestiary-creature\"}"), FILE_CREATURE},
        {TEXT("\x84\xa6"
              "format\xb1"
              "bestiary"),
         FILE_CREATURE},
        {TEXT("{\"scene\": 1}"), FILE_SCENE},
        {TEXT("{\"scene\": 1, \"dimensions\": 3}"), FILE_SPACE_SCENE},
        {TEXT("SQLite format 3\0..."), FILE_STORE},
        {TEXT("{\"scene\": "), FILE_UNKNOWN},
        {TEXT("{}"), FILE_UNKNOWN},
        {TEXT("[1, 2]"), FILE_UNKNOWN},
        {TEXT("a letter to you"), FILE_UNKNOWN},
        {TEXT(""), FILE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_it(cases[i].bytes, cases[i].length);
        ck_assert_msg(file_kind_of(path) == cases[i].kind, "case %zu: %d", i, file_kind_of(path));
    }
    ck_assert_int_eq(file_kind_of(directory), FILE_UNKNOWN);
    ck_assert_int_eq(file_kind_of("/dev/null"), FILE_UNKNOWN);
    ck_assert_int_eq(file_kind_of("nowhere"), FILE_UNKNOWN);
}

/* The message says what the file is and what to type; of a run, and of a creature in it, too. */
TEST(another_kind_is_explained)
{
    write_it(TEXT("seed = 3\n"));
    error_set(&error, ERR_FORMAT, "damaged");
    ck_refused_as(file_kind_explain(path, FILE_PARAMS, &error), ERR_FORMAT, "damaged");
    ck_refused_as(file_kind_explain(path, FILE_CREATURE, &error), ERR_FORMAT,
                  printed("%s: this is a parameter file, not a creature (try: controller run %s)",
                          path, path));
    ck_assert_int_eq(file_kind_check_order(path, "examples/creatures/biped.json", &error),
                     ERR_USAGE);
    ck_assert_int_eq(file_kind_check_order("examples/creatures/biped.json", path, &error), 0);
    ck_assert_int_eq(file_kind_check_order(path, NULL, &error), 0);

    remove(path);
    const char *store = within("run.db");
    const char *name = printed("%s:3", directory);
    strcpy(path, store);
    write_it(TEXT("SQLite format 3\0..."));
    ck_assert_int_eq(file_kind_of(directory), FILE_RUN);
    ck_assert_int_eq(file_kind_of(name), FILE_OF_RUN);
    file_kind_explain(store, FILE_RUN, &error);
    ck_assert_ptr_nonnull(strstr(error.message, printed("(try: controller view %s)", directory)));
}

TEST(a_creature_of_a_run_is_named)
{
    static const struct {
        const char *name, *directory;
        uint64_t id;
    } cases[] = {{"runs/a:17", "runs/a", 17},
                 {"a:b:best", "a:b", CREATURE_BEST},
                 {"a:first", "a", CREATURE_FIRST}};
    static const char *const others[] = {"runs/a", "a:",   ":3",      "a:0",
                                         "a:-1",   "a:3x", "a:best ", "a:99999999999999999999"};
    char found[64];
    uint64_t id;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(creature_name_split(cases[i].name, found, sizeof found, &id), 1);
        ck_assert_str_eq(found, cases[i].directory);
        ck_assert_uint_eq(id, cases[i].id);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        ck_assert_msg(!creature_name_split(others[i], found, sizeof found, &id), "%s", others[i]);
    /* a file of that name is a file */
    snprintf(path, sizeof path, "%s/a:3", directory);
    write_it("", 0);
    ck_assert_int_eq(creature_name_split(path, found, sizeof found, &id), 0);
}

static void check_example(void *context, const char *name, const char *comment)
{
    int *count = context;
    ck_assert_msg(strncmp(comment, "; ", 2) == 0, "%s begins without a comment", name);
    ck_assert_msg(strchr(".?:", strchr(comment, '\n')[-1]) != NULL, "%s: no sentence in a line",
                  name);
    ck_assert_msg(strstr(comment, "\n; Takes ") && strstr(comment, " on two cores.\n"),
                  "%s: how long?", name);
    ++*count;
}

/* By name, whatever the folder one is in; the file of that name comes first; every example says
 * what it is and how long it takes, in the lines that `controller examples` shows. */
TEST(an_example_is_found)
{
    char found[256];
    int count = 0;
    ck_ok(examples_each(check_example, &count, &error));
    ck_assert_int_ge(count, 20);
    ck_assert_int_eq(example_find(EXAMPLE_PARAMS, "walk3d", found, sizeof found, &error), 0);
    ck_assert_msg(strstr(found, "/examples/walk3d.ini") != NULL, "%s", found);
    ck_assert_int_eq(file_kind_of(found), FILE_PARAMS);
    ck_ok(example_find(EXAMPLE_PARAMS, "examples/walk.ini", found, sizeof found, &error));
    ck_assert_str_eq(found, "examples/walk.ini");
    static const char *const wrong[] = {"wlak3d", "examples/wlak3d.ini", "wlak3d.ini"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_int_eq(example_find(EXAMPLE_PARAMS, wrong[i], found, sizeof found, &error),
                         ERR_MISSING);
        ck_assert_msg(strstr(error.message, "did you mean walk3d?") != NULL, "%s", error.message);
    }
    static const char *const creatures[][2] = {{"strider", "/examples/creatures/strider.json"},
                                               {"walker-1", "/creatures/walker-1.creature"}};
    for (int i = 0; i < 2; i++) {
        ck_ok(example_find(EXAMPLE_CREATURE, creatures[i][0], found, sizeof found, &error));
        ck_assert_msg(strstr(found, creatures[i][1]) != NULL, "%s", found);
        ck_assert_int_eq(file_kind_of(found), FILE_CREATURE);
    }
    ck_assert_int_eq(example_find(EXAMPLE_CREATURE, "stirder", found, sizeof found, &error),
                     ERR_MISSING);
    ck_assert_msg(strstr(error.message, "did you mean strider?") != NULL, "%s", error.message);
}

SUITE("names", 0, set_up, close_directory)
