/* The run store: choices by hand, some dozens in a generation of a run in which a person
 * chooses. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int store_check_choice(struct store *store, uint64_t id, struct error *error)
{
    struct params params;
    int64_t is_member;
    char sql[512];
    int status = store_get_params(store, &params, error);
    if (status)
        return status;
    if (!search_is_interactive(&params))
        return error_set(
            error, ERR_RANGE,
            "this run has no choices by hand: neither is evolution.behaviour interactive, nor "
            "interactive.share above 0");
    if (store->generation + 1 >= params.evolution_generations)
        return error_set(error, ERR_RANGE,
                         "generation %" PRId64 " is the last one, from which nothing is bred",
                         store->generation);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM " STORE_JUDGED " WHERE individual = %" PRIu64,
             id);
    status = statement_number(&store->database, sql, store->generation, 0, &is_member, error);
    if (!status && !is_member)
        status = error_set(error, ERR_MISSING,
                           "creature %" PRIu64 " is not in generation %" PRId64
                           ", from which the next one is bred",
                           id, store->generation);
    return status;
}

/* Puts one, or takes it away (CHOICE_NONE). */
static int put_choice(struct store *store, int64_t generation, uint64_t id, int choice,
                      struct error *error)
{
    ENSURE(generation >= 0 && choice_name(choice)[0], "choice %d in generation %" PRId64, choice,
           generation);
    const struct store_value none[] = {store_whole(generation), store_whole((int64_t)id),
                                       STORE_ROW_END};
    if (choice == CHOICE_NONE)
        return store_run(store, "DELETE FROM choices WHERE generation = ? AND individual = ?", none,
                         error);
    return store_run(store,
                     "INSERT OR REPLACE INTO choices (generation, individual, choice)"
                     " VALUES (?, ?, ?)",
                     STORE_ROW(none[0], none[1], store_text(choice_name(choice))), error);
}

int store_put_choice(struct store *store, uint64_t id, int choice, struct error *error)
{
    return put_choice(store, store->generation, id, choice, error);
}

int store_get_choices(struct store *store, int64_t generation, struct store_choice **choices,
                      int *count, struct error *error)
{
    return stored_get_choices(&store->database, generation, choices, count, error);
}

int store_get_chosen_until(struct store *store, int64_t *generation, struct error *error)
{
    return statement_number(&store->database,
                            "SELECT CAST(value AS INTEGER) FROM run WHERE key = 'chosen_until'", 0,
                            0, generation, error);
}

int store_copy_choices(struct store *store, struct store *from, struct error *error)
{
    struct store_choice *choices;
    char until[24];
    int count;
    int status = store_get_choices(from, -1, &choices, &count, error);
    snprintf(until, sizeof until, "%" PRId64, from->generation);
    for (int i = 0; !status && i < count; i++)
        if (choices[i].generation < from->generation)
            status =
                put_choice(store, choices[i].generation, choices[i].id, choices[i].choice, error);
    free(choices);
    if (!status)
        status = store_copy_deeds(store, from, error);
    if (!status)
        status = store_set_run_value(store, "chosen_until", until, error);
    return status;
}
