/* The commands of `controller` (main.c runs them), and what they share.
 *
 * Each file has the rows of its commands and of their options; see common/system/options.h. */
#ifndef CONTROLLER_COMMANDS_COMMANDS_H
#define CONTROLLER_COMMANDS_COMMANDS_H

#include <stdint.h>
#include <stdio.h>

#include "common/system/options.h"
#include "controller/store/run_directory.h"
#include "controller/store/store.h"

enum { COMMAND_OK = 0, COMMAND_FAILED = 1, COMMAND_USAGE = 2 };

/* All commands, in the order of the help. */
#define COMMANDS(X)                                                                                \
    X(run)                                                                                         \
    X(examples)                                                                                    \
    X(resume)                                                                                      \
    X(status)                                                                                      \
    X(list)                                                                                        \
    X(view)                                                                                        \
    X(report)                                                                                      \
    X(save)                                                                                        \
    X(evaluate)                                                                                    \
    X(contest)                                                                                     \
    X(league)                                                                                      \
    X(progress)                                                                                    \
    X(preserve)                                                                                    \
    X(logs)                                                                                        \
    X(workers)                                                                                     \
    X(pause)                                                                                       \
    X(continue)                                                                                    \
    X(choose)                                                                                      \
    X(tend)                                                                                        \
    X(random)                                                                                      \
    X(mutate)                                                                                      \
    X(breed)                                                                                       \
    X(diff)                                                                                        \
    X(digest)                                                                                      \
    X(compare)                                                                                     \
    X(bisect)                                                                                      \
    X(evolution)                                                                                   \
    X(garden)
#define X(word) extern const struct command word##_command;
COMMANDS(X)
#undef X

/* Defines the row of a command, which command_WORD() runs. */
#define COMMAND(word, its_operands, its_summary, its_options, its_about)                           \
    const struct command word##_command = {.program = "controller",                                \
                                           .name = #word,                                          \
                                           .operands = its_operands,                               \
                                           .summary = its_summary,                                 \
                                           .about = its_about,                                     \
                                           .options = its_options,                                 \
                                           .run = command_##word}

/* The same of a command whose one operand is RUN_DIR, with the function that acts; `its_request` is
 * a pointer to what the options are read into, or NULL. */
#define RUN_COMMAND(word, act, its_request, its_summary, its_options, its_about)                   \
    static int command_##word(int argc, char **argv)                                               \
    {                                                                                              \
        return command_with_run(&word##_command, argc, argv, its_request, act);                    \
    }                                                                                              \
    COMMAND(word, "RUN_DIR", its_summary, its_options, its_about)

/* The same of a command without options that has `least` to `most` operands, of these names. */
#define OPERAND_COMMAND(word, act, least, most, names, its_operands, its_summary, its_about)       \
    static int command_##word(int argc, char **argv)                                               \
    {                                                                                              \
        return command_with_operands(&word##_command, argc, argv, NULL, least, most, names, act);  \
    }                                                                                              \
    COMMAND(word, its_operands, its_summary, NULL, its_about)

/* Each prints one line to standard error and returns the exit code to end with. */
int command_fail(const struct error *error);
int command_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reads the options into the request. Of arguments that are not options there must be `least` to
 * `most`, or a usage error says what is too much, or which of the names ("RUN_DIR|N") is missing.
 * Returns -1 to go on, or the exit code to end with. */
int command_begin(const struct command *command, int argc, char **argv, void *request, int least,
                  int most, const char *names);
/* Flushes what was printed, or tells the error, ERR_USAGE as a usage error. Returns the exit
 * code. */
int command_end(const char *command, int status, const struct error *error);
/* The whole of a command: begins, acts, and ends. Returns the exit code. */
typedef int command_act(char **operands, int count, void *request, struct error *error);
int command_with_operands(const struct command *command, int argc, char **argv, void *request,
                          int least, int most, const char *names, command_act *act);
/* The same of a command whose one operand is RUN_DIR. */
typedef int command_act_on_run(const char *directory, void *request, struct error *error);
int command_with_run(const struct command *command, int argc, char **argv, void *request,
                     command_act_on_run *act);

/* A whole number within bounds; else a usage error. Returns 0 or COMMAND_USAGE. */
int command_parse_number(const char *command, const char *option, const char *text, int64_t minimum,
                         int64_t maximum, int64_t *value);

/* Standard output, flushed: 0, or 1 with a message if it could not be written. */
int command_finish_output(void);

/* Opens the store of a run, read-only or to write, and reads the parameters in force unless
 * `params` is NULL. 0, or ERR_* with a message; *store is to be closed all the same. */
int command_open(const char *directory, int is_read_only, struct store **store,
                 struct params *params, struct error *error);
/* Read-only. */
int command_open_run(const char *directory, struct store **store, struct params *params,
                     struct error *error);
/* ERR_EXISTS if something has that name already, unless is_forced. */
int command_check_new(const char *path, int is_forced, struct error *error);

/* Where the controller of a run is, or may be, if that is another machine: "HOST (process N)"; else
 * "". */
void command_find_elsewhere(const struct store_status *status, char *text, size_t size);

/* A creature's number, "best" (CREATURE_BEST) or "first" (CREATURE_FIRST); else a usage error.
 * Returns 0 or COMMAND_USAGE. */
int command_parse_id(const char *command, const char *option, const char *text, uint64_t *id);
/* That creature of a run. On error it is initialised and empty. */
int command_get_creature(const char *directory, uint64_t id, struct creature *creature,
                         struct error *error);
/* The creature that an argument names: a creature file, or of a run RUN_DIR:ID, or a favourite. On
 * error it is initialised and empty. */
int command_read_creature(const char *name, struct creature *creature, struct error *error);

#define COMMAND_WORDS_SIZE 1024
/* How mutations are told: not at all, in short plain words, or each as it was made. */
enum mutation_detail { MUTATIONS_LEFT_OUT, MUTATIONS_SHORT, MUTATIONS_FULL };
/* The origin of an entry: a seed's file, or its mutations. In a buffer of the caller. */
const char *command_entry_words(const struct store_entry *entry, enum mutation_detail detail,
                                char text[COMMAND_WORDS_SIZE]);
/* A line of a table on standard output. On a terminal it ends where the terminal does, with "...",
 * unless is_whole. */
void command_print_row(const char *row, int is_whole);
/* A table of survivors for people on standard output, with a star at the champion. */
void command_print_survivors(const struct store_entry *entries, int count,
                             enum mutation_detail detail);
/* " of 12 and 40", or less where it has less. */
void command_print_parents(const struct creature *creature);
/* A table of a preserve's worlds after an epoch, on standard output. */
int command_print_worlds(struct store *store, uint32_t epoch, struct error *error);

#endif
