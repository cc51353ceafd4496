/* See reuse.h.
 *
 * Entries are taken in turn, so that the oldest key makes room for a new one; a chained hash
 * finds them. An entry whose creature is out, or for which others wait, stays: if it is in the
 * way, a creature goes without an entry. A question whose key is not known costs some 4 us, in
 * which a phenotype is grown and hashed. */
#include "controller/run/reuse.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/growth/phenotype_key.h"
#include "common/math/hash.h"

enum { BUCKETS = 2 * REUSE_ENTRIES_MAX };

/* A task's tag is the number of its entry, from 1, 0 without one; and this, where it is a check. */
#define CHECK_TAG (UINT64_C(1) << 32)

struct waiting {
    struct task task;
    struct waiting *next;
};

struct waiting_list {
    struct waiting *first, *last;
};

struct entry {
    struct phenotype_key key;
    struct entry *next; /* in the bucket */
    int is_used;
    int is_out;      /* a task whose result it will take; others wait */
    int check_count; /* tasks that are out though their result is known */
    int has_result;
    struct early_stop_bar bar; /* under which it was found */
    struct result result;
    struct waiting_list waiting;
};

struct reuse {
    const struct params *params;
    struct arena arena;
    struct entry *entries, **buckets;
    uint64_t taken_count; /* entries, ever */
    struct waiting_list ready;
    struct reuse_counts counts;
};

/* ---- making and freeing ---- */

struct reuse *reuse_create(const struct params *params)
{
    struct reuse *reuse = calloc(1, sizeof *reuse);
    if (!reuse)
        return NULL;
    reuse->params = params;
    /* pages that are not used cost nothing */
    reuse->entries = calloc(REUSE_ENTRIES_MAX, sizeof *reuse->entries);
    reuse->buckets = calloc(BUCKETS, sizeof *reuse->buckets);
    if (reuse->entries && reuse->buckets && !arena_init(&reuse->arena, PHENOTYPE_KEY_ARENA_BYTES))
        return reuse;
    reuse_destroy(reuse);
    return NULL;
}

static void free_list(struct waiting_list *list)
{
    struct waiting *next;
    for (struct waiting *at = list->first; at; at = next) {
        next = at->next;
        task_deinit(&at->task);
        free(at);
    }
}

void reuse_destroy(struct reuse *reuse)
{
    if (!reuse)
        return;
    for (int i = 0; reuse->entries && i < REUSE_ENTRIES_MAX; i++) {
        if (!reuse->entries[i].is_used)
            break;
        free_list(&reuse->entries[i].waiting);
    }
    free_list(&reuse->ready);
    free(reuse->entries);
    free(reuse->buckets);
    arena_deinit(&reuse->arena);
    free(reuse);
}

/* ---- entries ---- */

static struct entry **bucket_of(struct reuse *reuse, const struct phenotype_key *key)
{
    return &reuse->buckets[key->words[0] % BUCKETS];
}

static void unlink_entry(struct reuse *reuse, const struct entry *entry)
{
    struct entry **link = bucket_of(reuse, &entry->key);
    while (*link && *link != entry)
        link = &(*link)->next;
    ENSURE(*link, "an entry is not in its bucket");
    *link = entry->next;
}

/* In the place of the oldest; NULL if that one is needed. */
static struct entry *add(struct reuse *reuse, const struct phenotype_key *key)
{
    struct entry *entry = &reuse->entries[reuse->taken_count % REUSE_ENTRIES_MAX];
    if (entry->is_out || entry->check_count || entry->waiting.first)
        return NULL;
    if (entry->is_used)
        unlink_entry(reuse, entry);
    struct entry **bucket = bucket_of(reuse, key);
    *entry = (struct entry){.key = *key, .is_used = 1, .next = *bucket};
    *bucket = entry;
    reuse->taken_count++;
    return entry;
}

/* The key's entry, a new one if it has none yet; NULL: there is no room. */
static struct entry *find_or_add(struct reuse *reuse, const struct phenotype_key *key)
{
    struct entry *entry = *bucket_of(reuse, key);
    while (entry && !phenotype_key_is_equal(&entry->key, key))
        entry = entry->next;
    return entry ? entry : add(reuse, key);
}

/* 0, or ERR_MEMORY. */
static int find_key(struct reuse *reuse, struct phenotype_key *key, const struct genome *genome,
                    const struct trial *trial, uint64_t seed)
{
    return phenotype_key_grow(key, genome, reuse->params, trial, seed, &reuse->arena);
}

static int is_known(const struct reuse *reuse, const struct entry *entry,
                    const struct early_stop_bar *bar)
{
    return entry->has_result &&
           early_stop_is_same(&entry->bar, bar, entry->result.verdict, &entry->result.measures,
                              entry->result.pace_least_m_s, reuse->params);
}

static void remember(struct entry *entry, const struct early_stop_bar *bar,
                     const struct result *result)
{
    entry->has_result = 1;
    entry->bar = *bar;
    entry->result = *result;
    entry->result.cost = (struct task_cost){0};
}

/* ---- waiting ---- */

static void append(struct waiting_list *list, struct waiting *first, struct waiting *last)
{
    *(list->last ? &list->last->next : &list->first) = first;
    list->last = last;
}

static int wait_for(struct entry *entry, struct task *task)
{
    ENSURE(entry->is_out && !entry->waiting.first == !entry->waiting.last,
           "a task waits for a result that is not under way");
    struct waiting *waiting = calloc(1, sizeof *waiting);
    if (!waiting)
        return ERR_MEMORY;
    task_move(&waiting->task, task);
    append(&entry->waiting, waiting, waiting);
    return REUSE_WAITS;
}

/* All that wait, in their order, behind those that are ready. */
static void release(struct reuse *reuse, struct entry *entry)
{
    if (!entry->waiting.first)
        return;
    append(&reuse->ready, entry->waiting.first, entry->waiting.last);
    entry->waiting = (struct waiting_list){NULL, NULL};
}

int reuse_take(struct reuse *reuse, struct task *task)
{
    struct waiting *first = reuse->ready.first;
    if (!first)
        return 0;
    reuse->ready.first = first->next;
    if (!first->next)
        reuse->ready.last = NULL;
    ENSURE(reuse->ready.first || !reuse->ready.last, "a last one without a first");
    *task = first->task;
    free(first);
    return 1;
}

/* ---- questions and answers ---- */

int reuse_ask(struct reuse *reuse, struct task *task, const struct result **known)
{
    ENSURE(task->id > 0, "a task without a number");
    static const struct phenotype_key unknown;
    int is_out_of_memory = phenotype_key_is_equal(&task->key, &unknown) &&
                           find_key(reuse, &task->key, &task->genome, &task->trial, task->seed);
    struct entry *entry = is_out_of_memory ? NULL : find_or_add(reuse, &task->key);
    task->tag = entry ? (uint64_t)(entry - reuse->entries) + 1 : 0;
    if (!entry) {
        reuse->counts.simulated++;
        return REUSE_UNKNOWN;
    }
    if (entry->is_out)
        return wait_for(entry, task);
    if (!is_known(reuse, entry, &task->bar)) {
        entry->is_out = 1;
        reuse->counts.simulated++;
        reuse->counts.barred += (uint64_t)entry->has_result;
        return REUSE_UNKNOWN;
    }
    if (hash_u64(HASH_START, task->creature) % REUSE_CHECKED == 0) {
        entry->check_count++;
        task->tag |= CHECK_TAG;
        reuse->counts.checked++;
        return REUSE_UNKNOWN;
    }
    reuse->counts.known++;
    *known = &entry->result;
    return REUSE_KNOWN;
}

/* The task is out no more. Its entry; NULL: it has none. */
static struct entry *end_task(struct reuse *reuse, const struct task *task)
{
    int number = (int)(task->tag & ~CHECK_TAG);
    ENSURE(number >= 0 && number <= REUSE_ENTRIES_MAX, "entry %d", number);
    if (number == 0)
        return NULL;
    struct entry *entry = &reuse->entries[number - 1];
    if (task->tag & CHECK_TAG) {
        ENSURE(entry->check_count > 0, "a check of entry %d that was not out", number);
        entry->check_count--;
        return entry;
    }
    ENSURE(entry->is_out, "a task of entry %d that was not out", number);
    entry->is_out = 0;
    release(reuse, entry);
    return entry;
}

/* Names what differs between the two. */
static const char *find_difference(const struct result *one, const struct result *other)
{
    int measure = measures_find_difference(&one->measures, &other->measures);
    for (int i = 0; i < one->rival_count && measure < 0; i++)
        measure = measures_find_difference(&one->rivals[i].measures, &other->rivals[i].measures);
    if (one->verdict != other->verdict)
        return "verdict";
    if (one->digest != other->digest)
        return "digest";
    if (one->pace_least_m_s != other->pace_least_m_s)
        return "least pace";
    return measure >= 0 ? measure_table[measure].name : NULL;
}

int reuse_tell(struct reuse *reuse, const struct task *task, const struct result *result,
               struct error *error)
{
    struct entry *entry = end_task(reuse, task);
    if (!entry)
        return 0;
    if (!(task->tag & CHECK_TAG)) {
        remember(entry, &task->bar, result);
        return 0;
    }
    /* what it checks may have given way to a result under another bar */
    const char *difference =
        is_known(reuse, entry, &task->bar) ? find_difference(&entry->result, result) : NULL;
    if (!difference)
        return 0;
    return error_set(error, ERR_FORMAT,
                     "creatures %" PRIu64 " and %" PRIu64
                     " have the same body and brain, but not the same result (%s): a machine or a "
                     "build computes other bits, or the key misses what their motion depends on "
                     "(then farm.reuse = no simulates all)",
                     entry->result.creature, task->creature, difference);
}

void reuse_forget(struct reuse *reuse, const struct task *task)
{
    end_task(reuse, task);
}

void reuse_restore(void *context, const struct individual *individual, double pace_least_m_s)
{
    static const struct trial first = {.purpose = TRIAL_FIRST};
    struct reuse *reuse = context;
    struct phenotype_key key;
    struct entry *entry = NULL;
    if (!find_key(reuse, &key, &individual->genome, &first, individual->seed))
        entry = find_or_add(reuse, &key);
    struct result result = {.creature = individual->id,
                            .verdict = individual->verdict,
                            .measures = individual->measures,
                            .digest = individual->digest,
                            .pace_least_m_s = pace_least_m_s};
    if (entry && !is_known(reuse, entry, &individual->bar))
        remember(entry, &individual->bar, &result);
}

const struct reuse_counts *reuse_get_counts(const struct reuse *reuse)
{
    return &reuse->counts;
}
