/* A creature for the page's editor: the parts that grow of its genes, as they are at birth, and the
 * fields of a gene. All are texts of JSON. */
#ifndef PAGE_PLAN_H
#define PAGE_PLAN_H

#include <stdio.h>

#include "common/genome/genome.h"
#include "common/params/params.h"

/* {"verdict": text, "parts": [[body gene's id, connection's id or 0, parent or -1, mirror: 1 or -1,
 * half sides (3), centre (3), turn: w x y z, joint's place (3)], ...]}: m, in the world at birth. 0
 * or ERR_MEMORY. */
int plan_write(FILE *file, const struct genome *genome, const struct params *params);
/* [[key, group or "", words, unit or "", type, low, high, assumed, is_gate, names or []], ...]: the
 * fields that body gene or connection number `row` uses, and its inputs. A gate is the field by
 * which its group is there. The names are those of a choice, or the sensors with their meanings.
 * `row` must be in the table. */
void plan_write_fields(FILE *file, const struct genome *genome, int is_connection, int row);
/* [[function's name, number of inputs, its sentence on inputs a, b, c], ...] */
void plan_write_functions(FILE *file);

#endif
