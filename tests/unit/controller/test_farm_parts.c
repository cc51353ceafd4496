/* The parts of the farm, each alone: the queue gives tasks out in the order in which they came,
 * those given back first, and counts each until it ends; the watch over one task; the names of
 * ends; the logs of workers; what must hold of a worker. checks: forked runs: watched */
#include "controller/workers/task_queue.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "controller/workers/worker.h"
#include "controller/workers/program.h"
#include "tests/unit/directory_fixture.h"

static struct task_queue queue;

static void submit(uint64_t id)
{
    struct task task = {.id = id};
    genome_init(&task.genome);
    ck_assert_int_eq(task_queue_submit(&queue, &task), 0);
}

/* Tasks 1 to 5. */
static void set_up(void)
{
    queue = (struct task_queue){0};
    for (uint64_t id = 1; id <= 5; id++)
        submit(id);
}

static void tear_down(void)
{
    while (queue.waiting_count > 0)
        task_queue_drop(&queue, task_queue_take(&queue));
    task_queue_check(&queue, 0);
    ck_assert_ptr_null(queue.first);
    ck_assert_ptr_null(queue.last);
}

static void expect_next(uint64_t id)
{
    ck_assert_uint_eq(queue.first->task.id, id);
    task_queue_drop(&queue, task_queue_take(&queue));
}

TEST(test_tasks_go_out_in_their_order)
{
    task_queue_check(&queue, 0);
    ck_assert_int_eq(queue.waiting_count, 5);
    for (uint64_t id = 1; id <= 5; id++)
        expect_next(id);
    ck_assert_int_eq(queue.pending_count, 0);
    ck_assert_uint_eq(queue.submitted_count, 5);
}

TEST(test_tasks_given_back_are_next_in_their_order)
{
    struct farm_task *held[3];
    for (int i = 0; i < 3; i++)
        held[i] = task_queue_take(&queue);
    task_queue_check(&queue, 3);
    for (int i = 3; i-- > 0;)
        task_queue_put_front(&queue, held[i]);
    task_queue_check(&queue, 0);
    for (uint64_t id = 1; id <= 5; id++)
        expect_next(id);
}

TEST(test_a_task_put_back_is_the_last)
{
    struct farm_task *first = task_queue_take(&queue);
    task_queue_put_back(&queue, first);
    submit(6);
    for (uint64_t id = 2; id <= 5; id++)
        expect_next(id);
    expect_next(1);
    expect_next(6);
}

TEST(test_an_empty_queue_takes_from_both_sides)
{
    while (queue.waiting_count > 1)
        task_queue_drop(&queue, task_queue_take(&queue));
    struct farm_task *only = task_queue_take(&queue);
    task_queue_check(&queue, 1);
    task_queue_put_front(&queue, only);
    task_queue_check(&queue, 0);
    only = task_queue_take(&queue);
    task_queue_put_back(&queue, only);
    submit(6);
    expect_next(5);
    expect_next(6);
}

TEST(test_a_task_counts_until_it_ends)
{
    struct farm_task *entry = task_queue_take(&queue);
    ck_assert_int_eq(queue.waiting_count, 4);
    ck_assert_int_eq(queue.pending_count, 5);
    task_queue_end(&queue, entry);
    ck_assert_int_eq(queue.pending_count, 4);
    ck_assert_uint_eq(entry->task.id, 1);
    farm_task_free(entry);
    task_queue_check(&queue, 0);
}

TEST_SIGNAL(test_a_lost_task_is_found, SIGABRT)
{
    farm_task_free(task_queue_take(&queue));
    task_queue_check(&queue, 0);
}

TEST_SIGNAL(test_an_empty_queue_gives_nothing, SIGABRT)
{
    queue = (struct task_queue){0};
    task_queue_take(&queue);
}

/* ---- the watch ---- */

static const struct task_limits limits = {.deadline_s = 10, .silence_s = 60};

static enum task_lateness look(struct task_watch *watch, uint32_t attempt, double cpu_s,
                               double now_s)
{
    char reason[96];
    struct task task = {.id = 7, .attempt = attempt};
    int64_t cpu_ns = cpu_s < 0 ? -1 : (int64_t)(1e9 * cpu_s);
    return task_watch_look(watch, &task, cpu_ns, (uint64_t)(1e3 * now_s), &limits, reason,
                           sizeof reason);
}

FIXTURE(NULL, NULL)

/* Processor time counts from the first look, a further attempt has more of it, and silence counts
 * from the last progress; time that is unseen may be silent for both, and counts anew once it is
 * seen. */
TEST(test_lateness_counts_from_what_was_seen)
{
    static const struct {
        uint32_t watch, attempt;
        double cpu_s, now_s;
        enum task_lateness lateness;
    } looks[] = {
        {0, 0, 100, 1, TASK_IN_TIME},  {0, 0, 110, 2, TASK_IN_TIME}, {0, 0, 110.5, 3, TASK_OVERDUE},
        {1, 0, 100, 1, TASK_IN_TIME},  {1, 1, 111, 2, TASK_IN_TIME}, {1, 1, 130, 3, TASK_IN_TIME},
        {1, 1, 132, 4, TASK_OVERDUE},  {2, 0, 1, 1, TASK_IN_TIME},   {2, 0, 2, 50, TASK_IN_TIME},
        {2, 0, 2, 110, TASK_IN_TIME},  {2, 0, 2, 111, TASK_SILENT},  {3, 0, -1, 1, TASK_IN_TIME},
        {3, 0, -1, 71, TASK_IN_TIME},  {3, 0, -1, 72, TASK_SILENT},  {3, 0, 500, 73, TASK_IN_TIME},
        {3, 0, 511, 74, TASK_OVERDUE},
    };
    struct task_watch watches[4] = {{0}};
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        struct task_watch *watch = &watches[looks[i].watch];
        ck_assert_msg(look(watch, looks[i].attempt, looks[i].cpu_s, looks[i].now_s) ==
                          looks[i].lateness,
                      "look %zu", i);
        if (looks[i].cpu_s == 110.5)
            ck_assert_double_eq_tol(task_watch_used_s(watch), 10.5, 1e-6);
    }
}

/* ---- ends ---- */

static const char *print(struct process_end end)
{
    static char text[64];
    process_end_print(end, text, sizeof text);
    return text;
}

TEST(test_ends_have_names)
{
    ck_assert_str_eq(print((struct process_end){.signal = SIGSEGV}), "SIGSEGV");
    ck_assert_str_eq(print((struct process_end){.signal = 40}), "signal 40");
    ck_assert_str_eq(print((struct process_end){.exit_code = 9}), "exit code 9");
    ck_assert_str_eq(print((struct process_end){.exit_code = WORKER_EXIT_HUNG}),
                     "exit code 3 (its own alarm)");
    ck_assert_str_eq(print((struct process_end){.exit_code = 127}),
                     "exit code 127 (program not found)");
}

TEST(test_only_crashes_are_self_inflicted)
{
    ck_assert(process_end_is_self_inflicted((struct process_end){.signal = SIGABRT}));
    ck_assert(!process_end_is_self_inflicted((struct process_end){.signal = SIGKILL}));
    ck_assert(!process_end_is_self_inflicted((struct process_end){.signal = 40}));
    ck_assert(process_end_is_self_inflicted((struct process_end){.exit_code = WORKER_EXIT_MEMORY}));
    ck_assert(!process_end_is_self_inflicted((struct process_end){.exit_code = WORKER_EXIT_SENT}));
    ck_assert(!process_end_is_self_inflicted((struct process_end){.exit_code = 0}));
}

TEST(test_launchers_report_signals_as_exit_codes)
{
    ck_assert_int_eq(process_end_of_child((struct process_end){.exit_code = 128}).signal, 0);
    ck_assert_int_eq(process_end_of_child((struct process_end){.exit_code = 139}).signal, SIGSEGV);
    ck_assert_int_eq(process_end_of_child((struct process_end){.exit_code = 192}).signal, 64);
    ck_assert_int_eq(process_end_of_child((struct process_end){.exit_code = 193}).signal, 0);
    ck_assert_int_eq(process_end_of_child((struct process_end){.signal = SIGTERM}).signal, SIGTERM);
}

/* ---- logs ---- */

static void write_log(const struct worker_logs *logs, const char *text)
{
    int descriptor = worker_log_open(logs, 1);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
}

TEST(test_the_tail_of_a_log_is_of_the_last_process)
{
    char tail[WORKER_LOG_TAIL_BYTES + 1];
    open_directory();
    struct worker_logs logs = {.directory = directory, .max_bytes = 4000};
    worker_log_read_tail(&logs, 1, tail);
    ck_assert_str_eq(tail, "");
    write_log(&logs, "t=1 event=start old\nt=2 event=x\nt=3 event=start new\nt=4 event=y\n");
    worker_log_read_tail(&logs, 1, tail);
    ck_assert_str_eq(tail, "t=3 event=start new\nt=4 event=y\n");
    for (int i = 0; i < 400; i++)
        write_log(&logs, "0123456789\n");
    worker_log_read_tail(&logs, 1, tail);
    ck_assert_uint_eq(strlen(tail) % 11, 0);
    ck_assert_uint_gt(strlen(tail), WORKER_LOG_TAIL_BYTES - 11);
    ck_assert(worker_log_is_due(&logs, 1, 0));
    worker_log_rotate(&logs, 1);
    ck_assert(!worker_log_is_due(&logs, 1, 0));
    ck_assert_int_eq(access(within("worker-01.old.log"), F_OK), 0);
    ck_assert_int_eq(count_files(), 1);
    close_directory();
}

TEST(test_without_a_directory_there_are_no_logs)
{
    char tail[WORKER_LOG_TAIL_BYTES + 1];
    struct worker_logs logs = {.directory = ""};
    ck_assert_int_eq(worker_log_open(&logs, 1), -1);
    ck_assert(!worker_log_is_due(&logs, 1, 0));
    worker_log_read_tail(&logs, 1, tail);
    ck_assert_str_eq(tail, "");
}

/* ---- invariants of a worker ---- */

static struct farm farm;
static struct worker worker;
static struct farm_task alone = {.is_alone = 1};

/* A slot that was never in use. */
static void set_up_worker(void)
{
    farm = (struct farm){.loop = uv_default_loop(), .prefetch = 2};
    worker = (struct worker){0};
    worker_init(&worker, &farm, 1);
}

FIXTURE(set_up_worker, NULL)

TEST(test_a_new_slot_is_gone_until_it_is_hired)
{
    worker_check(&worker);
    ck_assert_int_eq(worker.state, WORKER_GONE);
    worker_dispatch(&worker, EVENT_RETIRE, NULL);
    ck_assert_int_eq(worker.state, WORKER_GONE);
    worker_dispatch(&worker, EVENT_HIRE, NULL);
    ck_assert_int_eq(worker.state, WORKER_WAITING);
    worker_dispatch(&worker, EVENT_STOP, NULL);
    ck_assert_int_eq(worker.state, WORKER_GONE);
}

TEST_SIGNAL(test_what_cannot_happen_stops_the_program, SIGABRT)
{
    worker_dispatch(&worker, EVENT_HELLO, NULL);
}

TEST_SIGNAL(test_an_idle_worker_has_a_process, SIGABRT)
{
    worker.state = WORKER_IDLE;
    worker_check(&worker);
}

TEST_SIGNAL(test_a_waiting_worker_holds_nothing, SIGABRT)
{
    worker.state = WORKER_WAITING;
    worker.held[worker.held_count++] = &alone;
    worker_check(&worker);
}

TEST_SIGNAL(test_a_worker_that_is_gone_has_no_reserved_task, SIGABRT)
{
    worker.reserved = &alone;
    worker_check(&worker);
}

TEST_SIGNAL(test_only_a_waiting_worker_waits_for_a_start, SIGABRT)
{
    worker_dispatch(&worker, EVENT_HIRE, NULL);
    worker.state = WORKER_GONE;
    worker_check(&worker);
}

SUITE("farm_parts", 0, set_up, tear_down)
