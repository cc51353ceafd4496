/* Columns, in this order:
 *   generations  number, branch, closed, evaluations of its own, in all, best, median, mean, best id
 *   individuals  id, generation, method, parents, mutations, seed, body, trials, branch, verdict,
 *                fitness, the referee's fitness and words, digest, measures, genome
 *   bars         id, pace in m/s and in sizes/s
 *   members      id, rank, survived, fitness
 *   archive      generation, id, cell, trials, waiting
 * Those of the other tables are the store's. Hashes are texts of 16 digits. */
#include "controller/evolution/run_digest.h"

#include <string.h>

#include "common/math/hash.h"

void run_digest_row(uint64_t *hash, const struct run_value *values, int count)
{
    for (int i = 0; i < count; i++) {
        const struct run_value *value = &values[i];
        *hash = hash_u64(*hash, (uint64_t)value->type);
        if (value->type == RUN_WHOLE) {
            *hash = hash_u64(*hash, (uint64_t)value->whole);
        } else if (value->type == RUN_REAL) {
            *hash = hash_double(*hash, value->real);
        } else if (value->type != RUN_NOTHING) {
            *hash = hash_u64(*hash, value->length);
            *hash = hash_bytes(*hash, value->bytes ? value->bytes : "", value->length);
        }
    }
}

int run_digest_generation(run_rows *rows, void *context, int64_t generation, uint64_t *hash,
                          struct error *error)
{
    int status = 0;
    *hash = HASH_START;
    for (int table = 0; !status && table < RUN_TABLES; table++)
        status = rows(context, (enum run_table)table, generation, hash, error);
    return status;
}

void run_digest_params(uint64_t *hash, const struct params *params)
{
    for (int i = 0; i < param_count; i++) {
        char value[PARAM_TEXT_SIZE];
        if (param_table[i].scope == 'F' || params_is_default(params, i))
            continue;
        params_print_value(params, i, value, sizeof value);
        *hash = hash_bytes(*hash, param_table[i].key, strlen(param_table[i].key) + 1);
        *hash = hash_bytes(*hash, value, strlen(value) + 1);
    }
}
