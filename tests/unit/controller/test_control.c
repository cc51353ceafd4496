/* Orders through a socket: more at once than there is room for, and controllers that drip, hang up
 * or say what must not be printed. runs: watched */
#include "controller/run/control.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

/* Several times the clients that are served at once, and the ones that may wait. */
#define CROWD 90

static char *answer;

static void setup(void)
{
    open_directory();
    error = (struct error){0};
    answer = NULL;
}

static void teardown(void)
{
    free(answer);
    close_directory();
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* ---- a controller ---- */

static int obeyed;

static char *obey(void *context, const char *line)
{
    obeyed++;
    return strdup("ok\n");
}

static pid_t start_client(void)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        char *text;
        struct error of_client;
        _exit(control_ask(directory, "order", 20000, &text, &of_client) == 0 ? 0 : 1);
    }
    return child;
}

/* Clients that have ended, of which those that got an answer. */
static void reap_clients(int *ended, int *answered)
{
    int status;
    while (waitpid(-1, &status, WNOHANG) > 0) {
        *ended += 1;
        *answered += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
}

/* All ask before the controller looks at the first of them. */
TEST(test_every_order_of_a_crowd_is_obeyed_once)
{
    uv_loop_t loop;
    int ended = 0, answered = 0;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    struct control *control = control_create(&loop, directory, obey, NULL, &error);
    ck_assert_msg(control != NULL, "%s", error.message);
    for (int i = 0; i < CROWD; i++)
        start_client();
    sleep_ms(300);
    while (ended < CROWD) {
        uv_run(&loop, UV_RUN_NOWAIT);
        reap_clients(&ended, &answered);
        sleep_ms(1);
    }
    control_destroy(control);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    ck_assert_int_eq(answered, CROWD);
    ck_assert_int_eq(obeyed, CROWD);
}

/* ---- something else that listens ---- */

static int listen_there(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/control", directory);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(listener, 16), 0);
    return listener;
}

/* Serves in a process of its own: `count` clients get the text, a piece every 20 ms; later ones
 * wait for ever. */
static pid_t start_impostor(const char *const *texts, int count, size_t piece)
{
    int listener = listen_there();
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child > 0) {
        close(listener);
        return child;
    }
    signal(SIGPIPE, SIG_DFL);
    for (int i = 0; i < count; i++) {
        int client = accept(listener, NULL, NULL);
        char line[64];
        if (read(client, line, sizeof line) < 0)
            _exit(1);
        for (const char *at = texts[i]; *at;) {
            size_t length = strlen(at) < piece ? strlen(at) : piece;
            if (write(client, at, length) < 0)
                _exit(1);
            at += length;
            sleep_ms(20);
        }
        close(client);
    }
    pause();
    _exit(0);
}

static void end_impostor(pid_t impostor)
{
    kill(impostor, SIGKILL);
    waitpid(impostor, NULL, 0);
}

/* Each byte comes in time, the whole never. */
TEST(test_an_answer_that_drips_is_not_waited_for)
{
    char drops[103] = "ok\n";
    memset(drops + 3, 'x', sizeof drops - 4);
    const char *texts[] = {drops};
    pid_t impostor = start_impostor(texts, 1, 1);
    ck_assert_int_eq(control_ask(directory, "pause", 200, &answer, &error), ERR_BUSY);
    ck_assert_ptr_null(answer);
    ck_assert_ptr_nonnull(strstr(error.message, "the controller does not answer"));
    end_impostor(impostor);
}

/* A controller closes those that it has no room for, before it reads them. */
TEST(test_an_order_is_given_again_to_who_hangs_up)
{
    static const char *const texts[] = {"", "", "ok\ndone\n"};
    pid_t impostor = start_impostor(texts, 3, 100);
    ck_assert_int_eq(control_ask(directory, "pause", 20000, &answer, &error), 0);
    ck_assert_str_eq(answer, "done");
    end_impostor(impostor);
}

TEST(test_who_always_hangs_up_does_not_answer)
{
    static const char *texts[500];
    for (int i = 0; i < 500; i++)
        texts[i] = "";
    pid_t impostor = start_impostor(texts, 500, 100);
    ck_assert_int_eq(control_ask(directory, "pause", 200, &answer, &error), ERR_BUSY);
    end_impostor(impostor);
}

/* Half of an answer is none, and the order may have been obeyed: it is not given again. */
TEST_LOOP(test_what_is_no_answer_is_refused, 0, 3)
{
    static const char *const texts[] = {"okay\n", "error: no\033[2J\xe2\x80\xa8\xef\xbb\xbf!\nmore",
                                        "ok"};
    const char *text[] = {texts[_i]};
    pid_t impostor = start_impostor(text, 1, 100);
    ck_refused_as(control_ask(directory, "pause", 5000, &answer, &error), ERR_RANGE,
                  _i == 1 ? "no [2J?\?!" : "no answer");
    ck_assert_ptr_null(answer);
    end_impostor(impostor);
}

TEST(test_nobody_is_told_from_one_that_does_not_answer)
{
    ck_assert_int_eq(control_ask(directory, "pause", 100, &answer, &error), ERR_MISSING);
    int listener = listen_there();
    ck_assert_int_eq(control_ask(directory, "pause", 100, &answer, &error), ERR_BUSY);
    close(listener);
    ck_assert_int_eq(control_ask(directory, "pause", 100, &answer, &error), ERR_MISSING);
}

SUITE("control", 60, setup, teardown)
