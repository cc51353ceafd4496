/* The run report: the page is well-formed whatever the run holds, refers to nothing outside of
 * itself, and hostile texts stand for themselves. runs: watched */
#include "controller/report/report.h"

#include <ctype.h>

#include "common/formats/html.h"
#include "controller/report/page.h"
#include "tests/counts.h"
#include "tests/unit/planted_run.h"
#include "tests/suite.h"

#define HOSTILE "<script>alert('x')</script>\"&amp;</td></svg>"

static struct report report;
static char *page;

static void tear_down(void)
{
    report_deinit(&report);
    free(page);
    page = NULL;
}

static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    ck_assert_ptr_nonnull(copy);
    return memcpy(copy, text, size);
}

/* ---- is it well-formed? ---- */

static int is_void(const char *name)
{
    static const char *const names[] = {"meta", "link", "br", "!doctype"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return 0;
}

static const char *read_name(const char *c, char name[32])
{
    size_t length = strcspn(c, " \t\n/>");
    ck_assert_msg(length > 0 && length < 31, "a tag without name: %.40s", c);
    memcpy(name, c, length);
    name[length] = '\0';
    return c + length;
}

/* From behind a tag's name to behind its '>': attributes have values in quotes. */
static const char *skip_attributes(const char *c, int *is_closed)
{
    *is_closed = 0;
    for (;;) {
        c += strspn(c, " \t\n");
        if (*c == '/' && c[1] == '>') {
            *is_closed = 1;
            return c + 2;
        }
        if (*c == '>')
            return c + 1;
        size_t length = strcspn(c, " \t\n=/><\"'");
        ck_assert_msg(length > 0, "not an attribute: %.60s", c);
        c += length;
        if (*c != '=')
            continue;
        char quote = c[1];
        ck_assert_msg(quote == '\'' || quote == '"', "no quotes: %.60s", c);
        c = strchr(c + 2, quote);
        ck_assert_ptr_nonnull(c);
        c++;
    }
}

/* An entity that browsers know. */
static void check_entity(const char *c)
{
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&rarr;"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(c, names[i], strlen(names[i])))
            return;
    ck_abort_msg("a bare &: %.40s", c);
}

/* Every tag that is opened is closed in its order. */
static void check_well_formed(const char *text)
{
    char open[64][32];
    int depth = 0, is_closed;
    for (const char *c = text; *c;) {
        char name[32];
        if (*c == '&')
            check_entity(c);
        ck_assert_msg(*c != '>', "a bare >: %.40s", c);
        if (*c != '<') {
            c++;
            continue;
        }
        if (c[1] == '/') {
            c = read_name(c + 2, name);
            ck_assert_msg(depth > 0 && !strcmp(open[depth - 1], name), "</%s> in <%s>", name,
                          depth > 0 ? open[depth - 1] : "nothing");
            depth--;
            c = strchr(c, '>') + 1;
            continue;
        }
        c = skip_attributes(read_name(c + 1, name), &is_closed);
        if (is_void(name) || is_closed)
            continue;
        ck_assert_int_lt(depth, 64);
        strcpy(open[depth++], name);
        if (!strcmp(name, "style") || !strcmp(name, "script")) {
            c = strstr(c, printed("</%s>", name));
            ck_assert_ptr_nonnull(c);
        }
    }
    ck_assert_int_eq(depth, 0);
}

/* ---- a made-up report ---- */

static void add_entries(const struct planted *planted)
{
    const struct store_generation *last = &report.facts.generations[planted->generations - 1];
    uint64_t id = last->best_id;
    report.top = calloc(2, sizeof *report.top);
    report.lines[0].entries = calloc((size_t)planted->generations, sizeof *report.top);
    report.champions = calloc(2, sizeof *report.champions);
    ck_assert(report.top && report.lines[0].entries && report.champions);
    for (int i = 0; id; i++) {
        const struct store_fact *fact = planted_fact(&report.facts, id);
        struct store_entry *entry = &report.lines[0].entries[report.lines[0].count++];
        *entry = (struct store_entry){.id = id,
                                      .generation = fact->generation,
                                      .rank = 1,
                                      .fitness = fact->fitness,
                                      .parents = {fact->parents[0], 0}};
        strcpy(entry->method, "asexual");
        snprintf(entry->mutations, sizeof entry->mutations, "width 1 -> 2; %s", HOSTILE);
        id = fact->parents[0];
    }
    report.top[0] = report.lines[0].entries[0];
    report.top_count = 1;
    report.champions[0] = (struct report_champion){last->generation, last->best_id, last->best};
    report.champion_count = 1;
}

static void add_gallery(void)
{
    struct report_gallery *gallery = &report.gallery;
    gallery->pictures = calloc(2, sizeof *gallery->pictures);
    ck_assert_ptr_nonnull(gallery->pictures);
    gallery->pictures[0] =
        (struct report_picture){report.top[0].id, "verified", copy_of("foobar"), 6, 0, 0};
    gallery->pictures[1] =
        (struct report_picture){report.lines[0].entries[3].id, "differs", copy_of("foo"), 3, -1, 0};
    gallery->count = 2;
    gallery->player = copy_of("<!doctype html><p class=\"x\">a &lt; b</p>");
    snprintf(gallery->problem, sizeof gallery->problem, "viewer: %s", HOSTILE);
}

/* Anew, after a change of the facts. */
static void examine(void)
{
    run_statistics_deinit(&report.statistics);
    ck_assert_int_eq(run_statistics_make(&report.statistics, &report.facts), 0);
    report.finding_count =
        doctor_examine(&report.statistics, &report.facts.params, report.findings);
}

static void make_report(const struct planted *planted)
{
    tear_down();
    planted_make(&report.facts, planted);
    report.directory = "runs/" HOSTILE;
    examine();
    strcpy(report.time_utc, "2026-03-01 10:00 UTC");
    if (planted->generations > 3) {
        add_entries(planted);
        add_gallery();
    }
}

/* A new page; its length is that of the text. */
static FILE *open_page(void)
{
    static size_t length;
    free(page);
    page = NULL;
    FILE *file = open_memstream(&page, &length);
    ck_assert_ptr_nonnull(file);
    return file;
}

static void write_page(void)
{
    static struct river river;
    report.river = &river;
    ck_assert_int_eq(river_make(&river, &report.facts), 0);
    FILE *file = open_page();
    ck_assert_int_eq(report_write(&report, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    report.river = NULL;
    check_well_formed(page);
}

/* Whatever is loaded is in the page itself. */
static void check_closed(void)
{
    static const char *const attributes[] = {" src=", " href=", "url(", "import "};
    ck_assert_int_eq(count_text(page, "http://"), count_text(page, "http://www.w3.org/2000/svg"));
    ck_assert_int_eq(count_text(page, "https://"), 0);
    ck_assert_int_eq(count_text(page, "<script>"), 1);
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        for (const char *at = page; (at = strstr(at, attributes[i])) != NULL;) {
            at += strlen(attributes[i]) + 1;
            ck_assert_msg(*at == '#' || !strncmp(at, "data:", 5), "refers to %.40s", at);
        }
    ck_assert_ptr_nonnull(strstr(page, "default-src &#39;none&#39;"));
}

#define check_says(...) check_says_each((const char *const[]){__VA_ARGS__, NULL})

static void check_says_each(const char *const *texts)
{
    for (; *texts; texts++)
        ck_assert_msg(strstr(page, *texts) != NULL, "the page has no '%s'", *texts);
}

#define check_lacks(text, ...) check_lacks_each(text, (const char *const[]){__VA_ARGS__, NULL})

static void check_lacks_each(const char *text, const char *const *absent)
{
    for (; *absent; absent++)
        ck_assert_msg(!strstr(text, *absent), "the page has '%s'", *absent);
}

/* ---- the page ---- */

TEST(page_tells_of_the_run)
{
    static const char *const sections[] = {"doctor",   "fitness", "champions",
                                           "lineage",  "variety", "breeding",
                                           "verdicts", "workers", "parameters"};
    make_report(&(struct planted){.generations = 20, .clone_from = 7, .stagnant_from = 5});
    write_page();
    check_closed();
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        const char *head = printed("<h2 id='%s'>", sections[i]);
        check_says(head, printed("<a href='#%s'>", sections[i]));
    }
    check_says("Fitness by generation", "Fitness by evaluation",
               "the population is one clone since generation 7",
               "evolution.search=sims is set on purpose", "<h3>How creature", "width 1 &rarr; 2",
               "verified", "data-play='0'", "data:image/png;base64,Zm9vYmFy'");
    for (int i = 0; i < param_count; i++) {
        ck_assert_int_eq(count_text(page, printed("<code>%s</code>", param_table[i].key)), 1);
    }
}

TEST(page_escapes_what_is_hostile)
{
    make_report(&(struct planted){.generations = 10});
    snprintf(report.facts.params.run_name, sizeof report.facts.params.run_name, "%s", HOSTILE);
    report.facts.params.evolution_behaviour = BEHAVIOUR_CUSTOM;
    strcpy(report.facts.params.fitness_expression, "if(1 < 2, 1, 0)</code>");
    report.facts.events[0].event = "\x01\xff<b>";
    report.facts.events[0].detail = HOSTILE;
    snprintf(report.facts.status.created_utc, sizeof report.facts.status.created_utc, "<i>");
    report.facts.quarantined = calloc(1, sizeof *report.facts.quarantined);
    ck_assert_ptr_nonnull(report.facts.quarantined);
    report.facts.quarantined_count = 1;
    report.facts.quarantined[0].command = copy_of(HOSTILE);
    report.facts.quarantined[0].reason = copy_of(HOSTILE);
    report.facts.status.champion.id = 7;
    snprintf(report.facts.status.champion.words, sizeof report.facts.status.champion.words, "%s",
             HOSTILE);
    snprintf(report.top[0].method, sizeof report.top[0].method, "<i>x");
    write_page();
    check_closed();
    ck_assert_ptr_null(strstr(page, "alert('x')"));
    ck_assert_ptr_null(strchr(page, '\x01'));
    check_says("??&lt;b&gt;", "<h1>&lt;script&gt;");
}

/* Marks of the made-up run: the best breeds in all generations but the last, its parent was kept
 * once; the run goes on without a goal, or beside one. */
static void make_chosen_report(int behaviour)
{
    make_report(&(struct planted){.generations = 8});
    const struct report_line *line = &report.lines[0];
    report.facts.params.evolution_behaviour = behaviour;
    report.facts.params.evolution_search = SEARCH_SIMS;
    report.facts.params.interactive_share = 0.5;
    report.facts.choices = calloc(16, sizeof *report.facts.choices);
    ck_assert_ptr_nonnull(report.facts.choices);
    for (uint32_t g = 0; g < 7; g++) {
        if (g == 5)
            report.facts.choices[report.facts.choice_count++] =
                (struct store_choice){g, line->entries[1].id, CHOICE_KEEP};
        if (g != 4)
            report.facts.choices[report.facts.choice_count++] =
                (struct store_choice){g, line->entries[0].id, CHOICE_BREED};
    }
    report.chosen = calloc(1, sizeof *report.chosen);
    ck_assert_ptr_nonnull(report.chosen);
    report.chosen[0] = (struct report_champion){6, line->entries[0].id, 2.5};
    report.chosen_count = 1;
    examine();
}

TEST(choices_stand_on_the_cards_and_in_the_lineage)
{
    char text[64];
    make_chosen_report(BEHAVIOUR_WALK);
    write_page();
    check_closed();
    check_says("<span class='mark breed'>breed in 0-3, 5-6</span>",
               "<span class='mark keep'>keep in 5</span>", "class='node breed'",
               "class='node keep'", ", breed in 0-3, 5-6</title>", "<h2 id='choices'>Choices</h2>",
               "Marked by hand, by generation", "Chosen by hand through the generations",
               "The best through the generations", "<th class='n'>chosen by hand</th>",
               "Fitness by generation", "a share of 0.5 is bred from those chosen");
    report_print_choices(&report, report.top[0].id, CHOICE_BAN, text, sizeof text);
    ck_assert_str_eq(text, "");
    report_print_choices(&report, report.top[0].id, CHOICE_BREED, text, 34);
    ck_assert_str_eq(text, " in 0-3");
}

/* Where all scores are equal the page knows no champions and no fitness. */
TEST(without_a_goal_there_is_no_fitness)
{
    make_chosen_report(BEHAVIOUR_INTERACTIVE);
    report.champion_count = 0;
    write_page();
    check_closed();
    check_says("Bred <b>by hand</b>", "<a href='#choices'>choices</a>",
               "<h2 id='champions'>Creatures</h2>", "Chosen by hand through the generations",
               "<span class='mark breed'>breed in 0-3, 5-6</span>");
    check_lacks(page, "Fitness by", "#fitness", "best fitness", ">fitness <b>", "fitter than",
                "The best through", "evolution.search=archive", ">best <b>");
}

/* The page within the page comes out of its attribute as it was. */
TEST(player_stands_in_an_attribute)
{
    make_report(&(struct planted){.generations = 10});
    write_page();
    check_says("srcdoc=\"<!doctype html><p class=&quot;x&quot;>a &amp;lt; b</p>\"></iframe>");
}

TEST(a_young_run_has_a_page)
{
    make_report(&(struct planted){.generations = 1});
    report.facts.generation_count = report.facts.member_count = 0;
    examine();
    write_page();
    check_closed();
    check_says("No generation is complete yet");
    make_report(&(struct planted){.generations = 1});
    write_page();
    check_says("<circle class='dot");
}

/* A run of a preserve: two worlds, `epochs` of them whole, and one that only world 0 has
 * reached. */
static void make_preserve(int epochs)
{
    make_report(&(struct planted){.generations = 1});
    struct run_facts *facts = &report.facts;
    facts->params.evolution_behaviour = BEHAVIOUR_PRESERVE;
    facts->params.preserve_worlds = 2;
    facts->epochs = calloc((size_t)epochs * 2 + 1, sizeof *facts->epochs);
    facts->lives = calloc(3, sizeof *facts->lives);
    ck_assert(facts->epochs && facts->lives);
    facts->epoch_count = epochs * 2 + 1;
    for (int i = 0; i < facts->epoch_count; i++) {
        struct store_epoch_row *row = &facts->epochs[i];
        *row = (struct store_epoch_row){.epoch = (uint32_t)i / 2, .world = (uint32_t)i % 2};
        row->facts[EPOCH_living] = 10 + i;
        row->facts[EPOCH_sun_uj] = row->facts[EPOCH_plants_uj] = i * (int64_t)15e6;
        row->facts[EPOCH_plants_uj] -= row->facts[EPOCH_scent_uj] = i;
    }
    facts->lives[0] = (struct store_life){.id = 5,
                                          .family = 3,
                                          .cause = -1,
                                          .children = 1,
                                          .part_count = 4,
                                          .area_m2 = 0.25,
                                          .topology = 12};
    facts->lives[1] = (struct store_life){.id = 7,
                                          .mother = 9,
                                          .family = 3,
                                          .generation = 2,
                                          .is_dead = 1,
                                          .died_s = 65,
                                          .cause = 2,
                                          .part_count = 4,
                                          .area_m2 = 0.5,
                                          .way_m = 13,
                                          .depth_m = 2.25,
                                          .gained_uj = {3000000, 12000000, 15000000}};
    facts->lives[2] = (struct store_life){.id = 9,
                                          .mother = 5,
                                          .family = 3,
                                          .generation = 1,
                                          .is_dead = 1,
                                          .born_s = 20,
                                          .died_s = 80,
                                          .cause = 0,
                                          .children = 1,
                                          .part_count = 5,
                                          .depth_m = 4.5,
                                          .topology = 13,
                                          .gained_uj = {10000000}};
    facts->life_count = 3;
}

TEST(a_preserve_has_worlds_and_lives)
{
    make_preserve(3);
    write_page();
    check_closed();
    check_says("<a href='#worlds'>", "<h2 id='lives'>",
               "Form A, of 4 parts, was there at the beginning; 1 of 1 have it at the end.");
    check_says("<b>form B</b>: 5 parts, first at 0:20<br>born of form A<br>most: 1 at 0:20; 1 "
               "lived so, 4.5 m deep<br>extinct at 1:20");
    check_says("The worlds after 1 minutes", "<td class='n'>1</td><td class='n'>15</td>",
               "<i class='s1'></i>world 1 <b>15</b>");
    check_says("<i class='s0'></i>sun <b>2</b>"); /* 60 J in 30 s */
    check_says("Energy adds up");
    check_says("<td>families</td><td class='n'>0.50</td>"); /* one, in one of two worlds */
    check_says("200 shadows have");
    /* epochs 1 and 2 of both worlds: 30 J each in 30 s */
    check_says("<td>sun</td><td>plants</td><td class='n'>2.0</td>", "family 3 <b>",
               "<td>bitten</td><td class='n'>0</td><td class='n'>2</td><td class='long'>9, 5</td>",
               ">1:05</td>");
    /* 2 of the dead, one grazes: 10 J; one bites: 30 J, half of it carrion */
    check_says("<td>grazers</td><td class='n'>1</td><td class='n'>25 %</td>");
    check_says("<td>flesh eaters</td><td class='n'>1</td><td class='n'>75 %</td><td class='n'>40 %"
               "</td><td class='n'>50 %</td><td class='n'>2.9</td>");
    check_says("a tenth of all food or more: 2.",
               "the first that mouths killed</td><td class='n'>7</td><td class='n'>1:05</td>",
               "view RUN_DIR --world 0 --from 1:00<",
               "more parts than any founder</td><td class='n'>9</td><td class='n'>0:20</td>");
    char *main_part = strstr(page, "<main>"), *end = strstr(page, "id='parameters'");
    ck_assert(main_part && end);
    *end = '\0';
    check_lacks(main_part, "#doctor", "#fitness", "#champions", "#breeding", "id='doctor'",
                "id='verdicts'", "evaluat");
}

/* Numbers that no run has, and a ring of mothers. */
TEST(a_strange_preserve_has_a_page)
{
    make_preserve(3);
    struct run_facts *facts = &report.facts;
    for (int i = 0; i < facts->epoch_count; i++)
        for (int k = 0; k < EPOCH_FACT_COUNT; k++)
            facts->epochs[i].facts[k] = (i + k / 2) % 2 ? INT64_MAX : INT64_MIN;
    facts->lives[0] = (struct store_life){.id = UINT64_MAX,
                                          .mother = 7,
                                          .generation = INT64_MAX,
                                          .born_s = -1e300,
                                          .is_dead = 1,
                                          .died_s = NAN,
                                          .cause = 99,
                                          .children = INT64_MAX};
    facts->lives[1].mother = 7;
    write_page();
    check_closed();
    check_says("Energy does not add up after epoch 0 of world 0");
    facts->params.preserve_worlds = 64;
    write_page();
    check_says("No epoch is over in all worlds yet");
    facts->life_count = facts->epoch_count = 0;
    write_page();
    check_says("No creature has hatched yet");
}

TEST(what_is_not_a_number_is_drawn_nowhere)
{
    make_report(&(struct planted){.generations = 10});
    for (int i = 0; i < 10; i++) {
        struct run_generation *generation = &report.statistics.generations[i];
        generation->fitness.best = i % 3 ? NAN : INFINITY;
        generation->fitness.q3 = -INFINITY;
        generation->size_m.median = 1e300;
        generation->cells = INT_MAX;
        generation->evaluations = i % 2 ? INT64_MAX : INT64_MIN;
    }
    write_page();
    check_closed();
    for (const char *at = page; (at = strstr(at, " points='")) != NULL; at++) {
        const char *points = at + 9, *end = strchr(points, '\'');
        ck_assert_uint_eq(strspn(points, "0123456789., "), (size_t)(end - points));
    }
}

/* ---- its parts ---- */

TEST(steps_are_the_largest)
{
    struct store_entry entries[60] = {{0}};
    struct report_line line = {entries, 60};
    int steps[REPORT_STEPS_MAX];
    for (int i = 0; i < 60; i++)
        entries[i].fitness = 60 - i + (i <= 30 ? 100 : 0); /* a leap at 30 */
    ck_assert_int_eq(report_choose_steps(&line, steps), REPORT_STEPS_MAX);
    ck_assert_int_eq(steps[0], 59);
    ck_assert_int_eq(steps[REPORT_STEPS_MAX - 1], 0);
    int has_leap = 0;
    for (int i = 0; i < REPORT_STEPS_MAX; i++) {
        has_leap |= steps[i] == 30;
        ck_assert(i == 0 || steps[i] < steps[i - 1]);
    }
    ck_assert(has_leap);
    line.count = 5;
    ck_assert_int_eq(report_choose_steps(&line, steps), 5);
    line.count = 1;
    ck_assert_int_eq(report_choose_steps(&line, steps), 1);
    ck_assert_int_eq(steps[0], 0);
}

/* The examples of RFC 4648, section 10. */
TEST_LOOP(bytes_are_base64, 0, 7)
{
    static const char *const words[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                        "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    FREED char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    html_write_base64(file, (const unsigned char *)"foobar", _i);
    fclose(file);
    ck_assert_str_eq(text, words[_i]);
}

TEST(html_is_escaped)
{
    FREED char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    html_write(file, "a<b>&\"'\xc3\xa4|");
    html_write(file, "\xc3<\x7f\n");
    fclose(file);
    ck_assert_str_eq(text, "a&lt;b&gt;&amp;&quot;&#39;\xc3\xa4|?&lt;??");
}

/* Marks and bars of foreign texts stand for themselves. */
TEST(cells_are_escaped)
{
    FILE *file = open_page();
    page_table(file, "a <b>|#95 % from");
    page_row(file, "%s|#%d|=%.1f,%.1f|@%s|`%s|*%s|~", "#|<i>", 5, 2.5, 30.0, "bad so|so", "<", "&");
    page_table_end(file);
    fclose(file);
    ck_assert_str_eq(page,
                     "<div class='wide'><table><tr><th>a &lt;b&gt;</th><th class='n'>95 % from</th>"
                     "</tr>\n<tr><td>#|&lt;i&gt;</td><td class='n'>5</td><td><span class='bar'>"
                     "<i class='s0' style='width:2.5%'></i><i class='s2' style='width:30.0%'></i>"
                     "</span></td><td class='bad'>so|so</td><td><code>&lt;</code></td>"
                     "<td class='long'><b>&amp;</b></td><td class='long'></td></tr>\n"
                     "</table></div>\n");
}

TEST(charts_hold_their_values)
{
    const double x[] = {0, 1, 2}, y[] = {0, 5, 10};
    const struct chart_series series = {"a <b>", 3, y};
    FILE *file = open_page();
    struct chart chart = {.file = file,
                          .title = "title",
                          .x_name = "x",
                          .marks = (const double[]){1},
                          .mark_count = 1};
    page_figure(&chart, x, &series, 1, 3);
    fclose(file);
    check_well_formed(page);
    ck_assert_double_eq(chart.y_max, 10);
    check_says("data-axes='0 2 0 10'", "x1='237.0' y1='10' x2='237.0' y2='194'/>",
               "points='46.0,194.0 237.0,102.0 428.0,10.0 '", "a &lt;b&gt; <b>10</b>");
}

/* No fifth of a creature on an axis of counts. */
TEST(counts_have_whole_ticks)
{
    const double x[] = {0, 1, 2}, y[] = {0, 1, 1};
    for (int is_count = 0; is_count < 2; is_count++) {
        FILE *file = open_page();
        struct chart chart = {.file = file, .title = "marks", .x_name = "generation"};
        chart.is_count = is_count;
        page_figure(&chart, x, &(struct chart_series){"breed", 0, y}, 1, 3);
        fclose(file);
        ck_assert_double_eq(chart.y_max, 1);
        check_says(">1</text>");
        ck_assert_int_eq(strstr(page, ">0.2</text>") == NULL, is_count);
    }
}

/* Long runs: not every generation is a point, but the last is. */
TEST(charts_are_thinned_out)
{
    static double x[5000];
    const struct chart_series series = {"line", 0, x};
    for (int i = 0; i < 5000; i++)
        x[i] = i;
    FILE *file = open_page();
    struct chart chart = {.file = file, .title = "title", .x_name = "x"};
    page_figure(&chart, x, &series, 1, 5000);
    fclose(file);
    ck_assert_uint_lt(strlen(page), 10000);
    check_says("428.0,10.0 '");
}

SUITE("report", 60, NULL, tear_down)
