/* A creature for the page's editor: the parts that grow of its genes, as they are at birth, and the
 * fields of a gene. Each function writes one text of JSON, whose form stands here. */
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
 * fields that the body gene or connection in row `row` of its table uses, and its inputs. `assumed`
 * is the value of a field that a file leaves out. A gate is the field that adds its group to the
 * gene or takes it out. The names are those of a choice, or the sensors with their meanings. */
void plan_write_fields(FILE *file, const struct genome *genome, int is_connection, int row);
/* [[function's name, number of inputs, its value in words, of inputs a, b, c], ...] */
void plan_write_functions(FILE *file);

#endif
