/* See page.h. Names are of strangers: they are escaped. */
#include "controller/report/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/formats/html.h"
#include "common/system/file.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
    "<meta http-equiv='Content-Security-Policy' content='default-src &#39;none&#39;; "
    "style-src &#39;unsafe-inline&#39;'>\n"
    "<meta name='viewport' content='width=device-width'>\n<title>A league - Bestiary</title>\n"
    "<style>\nbody { font: 15px system-ui, sans-serif; margin: 2em auto; max-width: 70em; "
    "padding: 0 1em; color: #26323a; background: #fdfcf9 }\n"
    "td, th { padding: 0.15em 0.6em; text-align: left; border-bottom: 1px solid #d8ccb4 }\n"
    ".n, .win, .loss { text-align: right }\n.win { background: #d3ecd8 }\n"
    ".loss { background: #f4d8d2 }\na { color: #2b5564 }\n"
    "@media (prefers-color-scheme: dark) { body { color: #e6ebee; background: #1b2229 } "
    "td, th { border-color: #3d382f } .win { background: #1f4a33 } .loss { background: #57302b } "
    "a { color: #8fb4ea } }\n</style>\n</head>\n<body>\n<h1>A league</h1>\n";

int league_page_duel(char *path, size_t size, const char *directory, int a, int b)
{
    int length = snprintf(path, size, "%s/duel-%d-%d.html", directory, a + 1, b + 1);
    return length < (int)size ? 0 : ERR_LIMIT;
}

static void write_rows(const struct league_page *page, FILE *file)
{
    page_table(file, "#rank|#rating|#90 %|#won|#drawn|#lost|#margin|creature");
    for (int i = 0; i < page->player_count; i++) {
        const struct league_row *row = &page->rows[i];
        page_row(file, "#%d|#%+.0f|#%+.0f .. %+.0f|#%d|#%d|#%d|#%+.3f|%s%s", i + 1, row->rating,
                 row->low, row->high, row->wins, row->draws, row->losses, row->margin,
                 page->names[row->player],
                 page->is_out[row->player] ? " (crashed the simulator: out)" : "");
    }
    page_table_end(file);
}

static void write_cell(const struct league_page *page, FILE *file, int a, int b)
{
    int count, low = a < b ? a : b, high = a < b ? b : a;
    double margin = league_margin(page->bouts, page->bout_count, a, b, &count);
    char path[4096];
    if (a == b || count == 0) {
        fputs("<td></td>", file);
        return;
    }
    margin /= count;
    fprintf(file, "<td class='%s'>", margin > 0 ? "win" : margin < 0 ? "loss" : "n");
    if (!league_page_duel(path, sizeof path, page->directory, low, high) && !access(path, F_OK))
        fprintf(file, "<a href='duel-%d-%d.html'>%+.2f</a></td>", low + 1, high + 1, margin);
    else
        fprintf(file, "%+.2f</td>", margin);
}

static void write_matrix(const struct league_page *page, FILE *file)
{
    fputs("<h2>Wins of each pair</h2>\n<p>Mean margins of the creature of the row over that of the "
          "column, by rank. A number opens the duel.</p>\n",
          file);
    page_table(file, NULL);
    fputs("<tr><th>creature</th>", file);
    for (int i = 0; i < page->player_count; i++)
        fprintf(file, "<th class='n'>%d</th>", i + 1);
    fputs("</tr>\n", file);
    for (int i = 0; i < page->player_count; i++) {
        fputs("<tr>", file);
        page_cells(file, "%d %s", i + 1, page->names[page->rows[i].player]);
        for (int k = 0; k < page->player_count; k++)
            write_cell(page, file, page->rows[i].player, page->rows[k].player);
        fputs("</tr>\n", file);
    }
    page_table_end(file);
}

static void write_triads(const struct league_page *page, FILE *file)
{
    int n = page->player_count, triples = n * (n - 1) * (n - 2) / 6;
    fprintf(
        file,
        "<h2>Cyclic triads</h2>\n<p>%d of %d triples beat one another in a circle; by chance it "
        "would be %.1f. Where there are many, a rank says little.</p>\n<ul>\n",
        page->triad_count, triples, triples / 4.0);
    for (int i = 0; i < page->triad_count && i < 10; i++) {
        const struct league_triad *triad = &page->triads[i];
        html_print(file, "<li>%s beats %s beats %s</li>\n", page->names[triad->a],
                   page->names[triad->b], page->names[triad->c]);
    }
    fprintf(file, "</ul>\n<p>Digest of all contests: %016" PRIx64 "</p>\n</body>\n</html>\n",
            page->digest);
}

int league_page_write(const struct league_page *page, const char *path, struct error *error)
{
    struct atomic_file draft;
    if (atomic_file_open(&draft, path, error))
        return error->code;
    fputs(head, draft.file);
    write_rows(page, draft.file);
    write_matrix(page, draft.file);
    write_triads(page, draft.file);
    return atomic_file_end(&draft, 0, error);
}
