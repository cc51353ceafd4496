#include "common/system/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/output.h"
#include "common/text.h"

/* Columns of a help text, and where its explanations begin. */
enum { HELP_COLUMNS = 90, HELP_INDENT = 26 };
enum { ROWS_MAX = 40 };

/* The long option that may have been meant by "--WORD" or "--WORD=VALUE"; NULL: there is none. */
static const char *find_meant(const char *word, const struct option *options)
{
    const char *best = NULL;
    char typed[64];
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (; options->name; options++)
        best = text_nearer(typed, options->name, best);
    return best;
}

void option_describe_fault(char **argv, const struct option *options, int answer, char *text,
                           size_t size)
{
    const char *word = argv[optind - 1], *meant = find_meant(word, options);
    if (answer == ':')
        snprintf(text, size, "option '%s' needs a value", word);
    else if (optopt > 0 && optopt < 256 && strncmp(word, "--", 2) != 0)
        snprintf(text, size, "unknown option '-%c'", optopt);
    else
        snprintf(text, size, "unknown option '%s'%s%s%s", word, meant ? " (did you mean --" : "",
                 meant ? meant : "", meant ? "?)" : "");
}

void options_read_words(int argc, char **argv)
{
    static char help[] = "--help", version[] = "--version";
    int has_command = argc > 2 && argv[2][0] != '-';
    if (argc < 2)
        return;
    if (!strcmp(argv[1], "version"))
        argv[1] = version;
    if (strcmp(argv[1], "help"))
        return;
    argv[1] = has_command ? argv[2] : help;
    if (has_command)
        argv[2] = help;
}

/* ---- values ---- */

static int read_whole(const struct option_row *row, const char *text, int64_t *value,
                      struct error *error)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (!errno && end != text && !*end && (double)number >= row->min &&
        (double)number <= row->max) {
        *value = number;
        return 0;
    }
    if (row->max >= OPTION_WHOLE_MAX)
        return error_set(error, ERR_USAGE, "--%s '%s' is not a whole number, %.0f or more",
                         row->name, text, row->min);
    return error_set(error, ERR_USAGE, "--%s '%s' is not a whole number within %.0f .. %.0f",
                     row->name, text, row->min, row->max);
}

static int read_real(const struct option_row *row, const char *text, double *value,
                     struct error *error)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= row->min && number <= row->max))
        return error_set(error, ERR_USAGE, "--%s '%s' is not a number within %g .. %g", row->name,
                         text, row->min, row->max);
    *value = number;
    return 0;
}

static int read_word(const struct option_row *row, const char *text, int *value,
                     struct error *error)
{
    int number = text_find_word(row->argument, text);
    if (number >= 0)
        *value = number;
    if (number >= 0)
        return 0;
    return error_set(error, ERR_USAGE, "--%s '%s' is not one of %s", row->name, text,
                     row->argument);
}

static int add_item(struct option_list *list, const char *text, int most, struct error *error)
{
    if (!list->items)
        list->items = calloc((size_t)most, sizeof *list->items);
    if (!list->items)
        return error_memory(error);
    list->items[list->count++] = text;
    return 0;
}

int option_read_seed(const char *text, void *field, struct error *error)
{
    struct option_seed *seed = field;
    int is_hex = !strncmp(text, "0x", 2);
    const char *digits = is_hex ? text + 2 : text;
    size_t length = strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789");
    errno = 0;
    seed->is_given = 1;
    seed->value = strtoull(digits, NULL, is_hex ? 16 : 10);
    return length > 0 && digits[length] == '\0' && errno == 0
               ? 0
               : error_set(error, ERR_USAGE,
                           "'%s' is not a whole number of 64 bits, decimal or 0x...", text);
}

/* The value of a row; argc bounds the length of lists. */
static int take_value(const struct option_row *row, const char *text, int argc, void *request,
                      struct error *error)
{
    void *field = (char *)request + row->field;
    ENSURE((row->type == OPTION_FLAG) == (row->argument == NULL), "--%s has a value, or none",
           row->name);
    ENSURE(row->type != OPTION_READ || row->read, "--%s: it has no reader", row->name);
    ENSURE(!(row->min > row->max), "--%s: %g to %g", row->name, row->min, row->max);
    switch (row->type) {
    case OPTION_FLAG:
        *(int *)field = row->value ? row->value : 1;
        return 0;
    case OPTION_TEXT:
        *(const char **)field = text;
        return 0;
    case OPTION_LIST:
        return add_item(field, text, argc, error);
    case OPTION_WHOLE:
        return read_whole(row, text, field, error);
    case OPTION_REAL:
        return read_real(row, text, field, error);
    case OPTION_WORD:
        return read_word(row, text, field, error);
    case OPTION_READ:
        break;
    }
    if (!row->read(text, field, error))
        return 0;
    error_prefix(error, "--%s", row->name);
    return ERR_USAGE;
}

/* ---- the command line ---- */

int options_parse(const struct option_row *rows, int argc, char **argv, void *request,
                  struct error *error)
{
    struct option options[ROWS_MAX + 2] = {{NULL, 0, NULL, 0}};
    char letters[2 * ROWS_MAX + 3] = ":h", fault[sizeof error->message];
    int count = 0, answer, index = -1;
    size_t used = strlen(letters);
    for (; rows && rows[count].name; count++) {
        const struct option_row *row = &rows[count];
        ENSURE(count < ROWS_MAX, "--%s", row->name);
        options[count] = (struct option){row->name, row->argument != NULL, NULL, 256 + count};
        if (row->letter)
            letters[used++] = row->letter;
        if (row->letter && row->argument)
            letters[used++] = ':';
    }
    options[count] = (struct option){"help", 0, NULL, 'h'};
    opterr = 0;
    optind = 0; /* starts anew after main(), in glibc and musl */
    while ((answer = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        if (answer == 'h')
            return OPTIONS_HELP;
        if (answer == '?' || answer == ':') {
            option_describe_fault(argv, options, answer, fault, sizeof fault);
            return error_set(error, ERR_USAGE, "%s", fault);
        }
        for (index = 0; answer != 256 + index && answer != rows[index].letter; index++)
            ;
        int status = take_value(&rows[index], optarg, argc, request, error);
        if (status)
            return status;
    }
    return 0;
}

/* ---- help ---- */

/* Words from column `indent` on, which the first line has reached already. */
static void print_wrapped(const char *text, int indent)
{
    int column = indent, is_first = 1;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (!is_first && column + 1 + length > HELP_COLUMNS) {
            output_print(stdout, "\n%*s", indent, "");
            column = indent;
            is_first = 1;
        }
        output_print(stdout, "%s%.*s", is_first ? "" : " ", length, text);
        column += length + !is_first;
        is_first = 0;
        text += length;
        if (*text == '\n') {
            output_print(stdout, "\n%*s", text[1] && text[1] != '\n' ? indent : 0, "");
            column = indent;
            is_first = 1;
        }
        text += *text != '\0';
    }
    output_print(stdout, "\n");
}

/* The table as part of a help text, on standard output. */
static void options_print(const struct option_row *rows)
{
    char head[64], letter[8];
    for (; rows && rows->name; rows++) {
        if (!rows->help)
            continue;
        snprintf(letter, sizeof letter, rows->letter ? "-%c, " : "    ", rows->letter);
        snprintf(head, sizeof head, "  %s--%s%s%s", letter, rows->name, rows->argument ? " " : "",
                 rows->argument ? rows->argument : "");
        output_print(stdout, "%-*s", HELP_INDENT - 2, head);
        if (strlen(head) > HELP_INDENT - 2)
            output_print(stdout, "\n%*s", HELP_INDENT - 2, "");
        output_print(stdout, "  ");
        print_wrapped(rows->help, HELP_INDENT);
    }
    output_print(stdout, "  -h, --help              this text\n");
}

/* ---- commands ---- */

static void print_help(const struct command *command)
{
    output_print(stdout, "usage: %s%s%s%s%s%s\n", command->program, command->name ? " " : "",
                 command->name ? command->name : "", command->operands[0] ? " " : "",
                 command->operands, command->options ? " [option]..." : "");
    print_wrapped(command->about, 0);
    output_print(stdout, "\n");
    options_print(command->options);
    if (command->after) {
        output_print(stdout, "\n");
        print_wrapped(command->after, 0);
    }
}

int command_parse(const struct command *command, int argc, char **argv, void *request)
{
    struct error error = {0};
    int status = options_parse(command->options, argc, argv, request, &error);
    if (status == OPTIONS_HELP)
        print_help(command);
    else if (status)
        return command_refuse(command, error.message);
    return status ? 0 : -1;
}

/* "program", or "program command" */
static void full_name(const struct command *command, char *name, size_t size)
{
    snprintf(name, size, "%s%s%s", command->program, command->name ? " " : "",
             command->name ? command->name : "");
}

int command_complain(const struct command *command, int exit_code, const char *message)
{
    char name[64];
    full_name(command, name, sizeof name);
    output_print(stderr, "%s: %s\n", name, message);
    return exit_code;
}

int command_refuse(const struct command *command, const char *message)
{
    char name[64];
    full_name(command, name, sizeof name);
    output_print(stderr, "%s: %s (see '%s --help')\n", name, message, name);
    return EXIT_USAGE;
}

void commands_print(const struct command *const *commands)
{
    for (; *commands; commands++)
        output_print(stdout, "  %s %-8s%s%s%s\n%22s%s\n", (*commands)->program, (*commands)->name,
                     (*commands)->operands[0] ? " " : "", (*commands)->operands,
                     (*commands)->options ? " [option]..." : "", "", (*commands)->summary);
}

static int is_called(const struct command *command, const char *word)
{
    int is_called = !strcmp(word, command->name);
    for (int i = 0; i < 2 && command->also[i]; i++)
        is_called |= !strcmp(word, command->also[i]);
    return is_called;
}

int commands_run(const struct command *const *commands, int argc, char **argv)
{
    char suggestion[TEXT_SUGGESTION_SIZE];
    const char *meant = NULL, *program = commands[0]->program;
    for (; *commands; commands++) {
        if (is_called(*commands, argv[0])) {
            static char name[32]; /* messages name the command */
            snprintf(name, sizeof name, "%s", (*commands)->name);
            argv[0] = name;
            return (*commands)->act ? (*commands)->act(*commands, argc, argv)
                                    : (*commands)->run(argc, argv);
        }
        meant = text_nearer(argv[0], (*commands)->name, meant);
    }
    output_print(stderr, "%s: unknown command '%s'%s; see '%s --help'\n", program, argv[0],
                 text_suggest(meant, suggestion), program);
    return EXIT_USAGE;
}
