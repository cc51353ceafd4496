/* Statements to an open run store, and values out of their rows. Errors name `path`. */
#ifndef COMMON_STORE_STATEMENT_H
#define COMMON_STORE_STATEMENT_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

/* The error of SQLite's last call, as ERR_*; the message says that `what` could not be done. */
int statement_fail(sqlite3 *database, const char *path, const char *what, struct error *error);
/* To be finalized by the caller. */
int statement_prepare(sqlite3 *database, const char *path, const char *sql,
                      sqlite3_stmt **statement, struct error *error);
/* Prepares what `print` writes of two texts. */
typedef void statement_print(FILE *text, const char *first, const char *second);
int statement_prepare_printed(sqlite3 *database, const char *path, statement_print *print,
                              const char *first, const char *second, sqlite3_stmt **statement,
                              struct error *error);
/* 1: a row; 0: no more; negative: an error. */
int statement_next(sqlite3_stmt *statement, const char *path, struct error *error);
/* One number of a query, whose parameter, if it has one, is `argument`; `preset` if there is no row
 * or it is NULL. */
int statement_number(sqlite3 *database, const char *path, const char *sql, int64_t argument,
                     int64_t preset, int64_t *value, struct error *error);

/* ERR_FORMAT: the rows are not what a controller wrote. */
int statement_fail_content(const char *path, const char *what, struct error *error);
/* Room for one more item behind `count`, in an array that doubles; `items` is a pointer to the
 * pointer. More than `most` are ERR_FORMAT. */
int statement_make_room(const char *path, void *items, int count, size_t size, int64_t most,
                        struct error *error);
/* Makes an item of a row. It has zeros before, and owns no memory. */
typedef int statement_read(const char *path, sqlite3_stmt *row, void *item, struct error *error);
/* All rows of a bound statement as an array to free(), of `most` items at most; finalizes it.
 * `items` is a pointer to the pointer; NULL and 0 on error and where there are no rows. */
int statement_get_rows(sqlite3_stmt *statement, const char *path, int64_t most,
                       statement_read *read, size_t size, void *items, int *count,
                       struct error *error);

/* "" for NULL; good until the next step. */
const char *statement_text(sqlite3_stmt *row, int column);
/* As clean UTF-8, cut to fit. */
void statement_copy_text(char *buffer, size_t size, sqlite3_stmt *row, int column);
/* A column of 16 hexadecimal digits: 0 or ERR_FORMAT, without a message. */
int statement_hash(sqlite3_stmt *row, int column, uint64_t *hash);

#endif
