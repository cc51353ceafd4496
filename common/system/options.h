/* Command lines as data: a row for each option, from which parsing, checking and help come; and a
 * row for each command of a program. */
#ifndef COMMON_SYSTEM_OPTIONS_H
#define COMMON_SYSTEM_OPTIONS_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum option_type {
    OPTION_FLAG,  /* int: becomes `value`, or 1 if that is 0 */
    OPTION_TEXT,  /* const char *: the last one given */
    OPTION_LIST,  /* struct option_list: all that were given */
    OPTION_WHOLE, /* int64_t within min .. max */
    OPTION_REAL,  /* double within min .. max */
    OPTION_WORD,  /* int: which of the words of `argument`, "a|b|c" */
    OPTION_READ   /* what `read` makes of the text; its message is put behind the option's name */
};

/* A name of NULL ends a table. All tables have --help besides. */
struct option_row {
    const char *name;
    char letter;          /* or 0 */
    const char *argument; /* as help names it; NULL: it takes none */
    const char *help;     /* NULL: help does not list it */
    enum option_type type;
    size_t field; /* where the value goes, in the request */
    double min, max;
    int value;
    int (*read)(const char *text, void *field, struct error *error);
};

/* In a row: its type, and the member of `struct request` that its value goes to. */
#define OPTION_AT(type, request, member) OPTION_##type, .field = offsetof(struct request, member)

/* The `max` of a whole number that may be as large as one can be. */
#define OPTION_WHOLE_MAX 9.2e18

/* Texts in their order, of argv; to be freed with free(items). */
struct option_list {
    const char **items;
    int count;
};

/* Returned by options_parse() when --help was among the options. */
#define OPTIONS_HELP 1

/* Reads the options of argv[1...] into the request and moves them before the operands, which begin
 * at optind. 0, OPTIONS_HELP, or ERR_USAGE with a message. */
int options_parse(const struct option_row *rows, int argc, char **argv, void *request,
                  struct error *error);

/* A seed: a whole number of 64 bits, decimal or hexadecimal after 0x. For OPTION_READ, of a struct
 * option_seed. */
struct option_seed {
    int is_given;
    uint64_t value;
};
int option_read_seed(const char *text, void *seed, struct error *error);

/* A command of a program, or a program without commands (name NULL). */
struct command {
    const char *program, *name;
    const char *also[2];  /* other words for it, which help does not list; NULL: no more */
    const char *operands; /* "RUN_DIR ID|best" */
    const char *summary;  /* one line */
    const char *about;    /* what --help says before the options */
    const struct option_row *options;
    const char *after;                 /* and behind them; or NULL */
    int (*run)(int argc, char **argv); /* argv[0] is its name; returns the exit code */
    /* NULL, or what runs instead, of a row that is the first member of another */
    int (*act)(const struct command *command, int argc, char **argv);
};

/* As options_parse(). Returns -1 to go on, or the exit code to end with: 0 after the help, or 2
 * after a line on standard error. */
int command_parse(const struct command *command, int argc, char **argv, void *request);
/* Exit codes. */
enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };
/* One line on standard error that names the command; returns the exit code. */
int command_complain(const struct command *command, int exit_code, const char *message);
/* The same, which refers to the help; returns EXIT_USAGE. */
int command_refuse(const struct command *command, const char *message);
/* The table of a program's commands, which NULL ends, for its help. */
void commands_print(const struct command *const *commands);
/* Runs the one that argv[0] names, or says that there is none, and which may be meant. */
int commands_run(const struct command *const *commands, int argc, char **argv);

/* The fault of an option, in words, after getopt_long() answered ':' or '?' (with opterr = 0, since
 * it would print the word as it is, and a list of short options that begins with a colon). A long
 * option that is similar is suggested. */
void option_describe_fault(char **argv, const struct option *options, int answer, char *text,
                           size_t size);

/* The words `help` and `version` in the place of a command become the options, and `help COMMAND`
 * becomes `COMMAND --help`. */
void options_read_words(int argc, char **argv);

#endif
