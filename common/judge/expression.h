/* Arithmetic on measures, written by users: the fitness of the behaviour `custom`.
 *
 *   expression = sum [ ("<" | "<=" | ">" | ">=") sum ]         1 if it holds, else 0
 *   sum        = product { ("+" | "-") product }
 *   product    = signed { ("*" | "/") signed }
 *   signed     = { "-" | "+" } power
 *   power      = primary [ "^" signed ]                         -2^2 is -4, 2^3^2 is 2^9
 *   primary    = number | measure | function "(" expression { "," expression } ")"
 *              | "(" expression ")"
 *
 * Functions: min, max (two or more); abs, sqrt, exp, log, sin, cos, atan, tanh, floor, sign (one);
 * clamp(x, low, high); if(c, a, b): a if c > 0, else b. Angles are in rad. */
#ifndef COMMON_JUDGE_EXPRESSION_H
#define COMMON_JUDGE_EXPRESSION_H

#include "common/error.h"
#include "common/judge/measures.h"

/* 0, or ERR_* with a message that names the column, from 1. */
int expression_check(const char *text, struct error *error);

/* Its value, which may be infinite or not a number; not a number too if a measure in it is not
 * finite, or if expression_check() refuses the text. Same bits on every machine. */
double expression_evaluate(const char *text, const struct measures *measures);

#endif
