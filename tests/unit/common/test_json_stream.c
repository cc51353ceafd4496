/* A text that is written by and by is the one that jansson prints of the whole tree. runs: watched */
#include "common/formats/json_text.h"

#include "tests/suite.h"

/* Nested and empty containers, line breaks in texts, numbers of each kind. */
static const char *const trees[] = {"{}",
                                    "[]",
                                    "{\"a\": 1, \"b\": [], \"c\": {}, \"d\": null}",
                                    "[[], {}, [[]], [1, [2, {\"x\": [3]}]]]",
                                    "{\"a\": {\"b\": {\"c\": [true, false, 0.1, -3]}, \"d\": 2}}",
                                    "{\"a\": {\"b\": [\"two\\nlines\", \"\\\"\\\\\\u0007\"]}}",
                                    "[1e300, 5, \"\", {\"k\": [{\"l\": 1}, {\"l\": 2}]}]"};

/* Containers down to a depth as such, those below as values. */
static void stream_tree(struct json_stream *stream, const char *key, json_t *tree, int depth)
{
    const char *name;
    json_t *value;
    size_t i;
    if (depth == 0 || (!json_is_object(tree) && !json_is_array(tree))) {
        json_stream_put(stream, key, json_incref(tree));
    } else if (json_is_object(tree)) {
        json_stream_begin(stream, key, '{');
        json_object_foreach(tree, name, value) stream_tree(stream, name, value, depth - 1);
        json_stream_end(stream, '}');
    } else {
        json_stream_begin(stream, key, '[');
        json_array_foreach(tree, i, value) stream_tree(stream, NULL, value, depth - 1);
        json_stream_end(stream, ']');
    }
}

TEST_LOOP(layouts_are_those_of_the_whole, 0, sizeof trees / sizeof trees[0])
{
    json_t *tree = json_loads(trees[_i], 0, NULL);
    ck_assert_ptr_nonnull(tree);
    for (int is_compact = 0; is_compact <= 1; is_compact++)
        for (int depth = 0; depth <= 5; depth++) {
            FREED char *text,
                *whole = json_dumps(tree, (is_compact ? JSON_COMPACT : JSON_INDENT(2)) |
                                              JSON_REAL_PRECISION(17));
            size_t length;
            struct json_stream stream = {.file = open_memstream(&text, &length),
                                         .is_compact = is_compact};
            stream_tree(&stream, NULL, tree, depth);
            ck_assert_int_eq(fclose(stream.file), 0);
            ck_assert_int_eq(stream.has_failed, 0);
            ck_assert_str_eq(text, whole);
        }
    json_decref(tree);
}

TEST(failures_are_kept)
{
    struct json_stream stream = {.file = fopen("/dev/full", "w")};
    if (!stream.file)
        return;
    setvbuf(stream.file, NULL, _IONBF, 0);
    json_stream_begin(&stream, NULL, '[');
    json_stream_put(&stream, NULL, json_integer(1));
    ck_assert_int_eq(stream.has_failed, 1);
    fclose(stream.file);
    stream = (struct json_stream){.file = stdout};
    json_stream_put(&stream, NULL, NULL);
    ck_assert_int_eq(stream.has_failed, 1);
}

SUITE("json_stream", 0, NULL, NULL)
