/* Statements to an open run store, and values out of their rows. Errors name `path`. */
#ifndef COMMON_STORE_STATEMENT_H
#define COMMON_STORE_STATEMENT_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* The error of SQLite's last call, as ERR_*; the message says that `what` could not be done. */
int statement_fail(sqlite3 *database, const char *path, const char *what, struct error *error);
/* To be finalized by the caller. */
int statement_prepare(sqlite3 *database, const char *path, const char *sql,
                      sqlite3_stmt **statement, struct error *error);
/* 1: a row; 0: no more; negative: an error. */
int statement_next(sqlite3_stmt *statement, const char *path, struct error *error);
/* One number of a query, whose parameter, if it has one, is `argument`; `preset` if there is no row
 * or it is NULL. */
int statement_number(sqlite3 *database, const char *path, const char *sql, int64_t argument,
                     int64_t preset, int64_t *value, struct error *error);

/* "" for NULL; good until the next step. */
const char *statement_text(sqlite3_stmt *row, int column);
/* As clean UTF-8, cut to fit. */
void statement_copy_text(char *buffer, size_t size, sqlite3_stmt *row, int column);
/* A column of 16 hexadecimal digits: 0 or ERR_FORMAT, without a message. */
int statement_hash(sqlite3_stmt *row, int column, uint64_t *hash);

#endif
