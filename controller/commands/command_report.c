/* controller report: a page about a run. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/system/file.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/report/report.h"
#include "controller/store/run_directory.h"

/* The page as one string, so that the file appears whole or not at all. In the run's directory,
 * which may be a stranger's, nothing but a file gets its place. */
static int write_report(const struct report *report, const char *path, int is_in_run,
                        struct error *error)
{
    char *page = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&page, &length);
    int status = file ? report_write(report, file) : ERR_MEMORY;
    if (file && fclose(file))
        status = ERR_MEMORY;
    if (status)
        error_set(error, status, "%s: %s", path, error_text(status));
    else
        status = (is_in_run ? file_replace : file_write)(path, page, length, error);
    free(page);
    return status;
}

struct request {
    const char *output;
    int has_no_pictures;
};

static int choose_path(const char *directory, const char *output, char path[RUN_PATH_SIZE],
                       struct error *error)
{
    const char *suffix = output ? strrchr(output, '.') : NULL;
    if (!output)
        return run_directory_path(directory, "report.html", path, error);
    if (!suffix || strcasecmp(suffix, ".html"))
        return error_set(error, ERR_USAGE, "-o '%s': the name must end in .html", output);
    if (snprintf(path, RUN_PATH_SIZE, "%s", output) >= RUN_PATH_SIZE)
        return error_set(error, ERR_USAGE, "-o: the path is too long");
    return 0;
}

static int report_run(const char *directory, void *wanted, struct error *error)
{
    const struct request *request = wanted;
    struct store *store = NULL;
    static struct report report;
    char path[RUN_PATH_SIZE];
    int has_failed = choose_path(directory, request->output, path, error) ||
                     command_open_run(directory, &store, NULL, error) ||
                     report_read(&report, directory, store, !request->has_no_pictures, error);
    store_close(store);
    if (has_failed)
        return error->code;
    int status = write_report(&report, path, !request->output, error);
    if (!status && report.gallery.problem[0])
        output_print(stderr, "controller: some pictures or replays are missing: %s\n",
                     report.gallery.problem);
    report_deinit(&report);
    if (!status)
        output_print(stdout, "%s\n", path);
    return status;
}

static const struct option_row options[] = {
    {"output", 'o', "FILE", "ends in .html; default: RUN_DIR/report.html. Overwritten if it exists",
     OPTION_AT(TEXT, request, output)},
    {"no-pictures", 0, NULL, "without pictures and replays: a smaller page that needs no viewer",
     OPTION_AT(FLAG, request, has_no_pictures)},
    {.name = NULL}};
RUN_COMMAND(report, report_run, (&(struct request){.output = NULL}),
            "a page about the run: plots, champions, lineage, what holds it back", options,
            "Writes one page of HTML about a run, to be opened in any browser without a network: "
            "what holds the run back and which setting to try, plots, champions playing, their "
            "lineage, all parameters. The run may be under way. Pictures and replays are made by "
            "the program viewer.");
