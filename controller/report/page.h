/* Tables and texts of a page. Cells are split by bars in literal formats; all of their content is
 * escaped, so that texts of foreign origin may stand in them.
 *
 * A cell's format may begin with a mark of how it is shown:
 *   #  a number, to the right    ~  a long text, which wraps    `  code    *  a long bold text
 *   =  bars: shares in percent, "busy,more"    @  the first word is the cell's class */
#ifndef CONTROLLER_REPORT_PAGE_H
#define CONTROLLER_REPORT_PAGE_H

#include <stdio.h>

/* Begins a table; of columns ("method|#born|") each has a head. NULL: the table has no heads. */
void page_table(FILE *file, const char *columns);
/* One row; or only some of its cells. */
void page_row(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_cells(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends a table. */
void page_table_end(FILE *file);
/* A key figure and its name. */
void page_tile(FILE *file, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Between tags "<p class='soft'>" and "</p>". */
void page_note(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
