/* Scenes in three dimensions as replays: they move as the simulator moves them, every reference
 * case can be shown, and what is no scene is refused. runs: watched */
#include "viewer/replay/replay.h"

#include "common/formats/file_kind.h"

#include <dirent.h>
#include <unistd.h>

#include "common/system/file.h"
#include "simulator/links/spatial_state.h"
#include "simulator/tools/scenes/scene.h"
#include "viewer/window/gallery.h"
#include "tests/plain_fixture.h"

static struct scene scene;

/* The motion of a file by the dynamics alone, at its end. */
TEST(a_scene_moves_as_in_the_simulator)
{
    static const char path[] = "examples/scenes/space/arm.json";
    struct replay *replay;
    struct dynamics *run;
    ck_ok(replay_create_scene(&replay, path, &error));
    ck_assert_int_eq(arena_init(&arena, SCENE_ARENA_BYTES), 0);
    ck_assert_int_eq(scene_read_file(&scene, path, &error), 0);
    ck_assert_int_eq(scene_start(&scene, &arena, &run, &error), 0);
    double dt = scene.settings.dt_s;
    struct vec3 start = spatial_tree_centre_of_mass(spatial_state_tree(spatial_state_of(run)));
    ck_assert_double_eq_tol(replay_duration(replay), scene.until_s, replay->frame_s);
    ck_assert_int_eq(replay->part_count, 3);
    ck_assert_int_eq(replay->drive_count, 2 + 1 + 3);
    ck_assert_int_eq(replay->parts[2].parent, 1);
    ck_assert_int_eq(replay->has_depth, 1);
    for (int i = 0; i * dt < 2 - dt / 2; i++)
        ck_assert_int_eq(dynamics_step(run), 0);
    const struct spatial_tree *tree = spatial_state_tree(spatial_state_of(run));
    struct replay_frame frame = replay_get_frame(replay, (int)(2 / replay->frame_s + 0.5));
    for (int i = 0; i < 3; i++) {
        struct vec3 at = spatial_tree_centre(&tree->links[i]);
        struct vec3 x = replay_pose_turn(&frame.poses[i], (struct vec3){1, 0, 0});
        ck_assert_double_eq_tol((double)frame.poses[i].x_m, at.x - start.x, 1e-6);
        ck_assert_double_eq_tol((double)frame.poses[i].y_m, at.y - start.y, 1e-6);
        ck_assert_double_eq_tol((double)frame.poses[i].z_m, at.z, 1e-6);
        ck_assert_double_eq_tol(vec3_length(vec3_sub(x, tree->links[i].turned.x)), 0, 1e-6);
    }
    struct drive_state drive;
    dynamics_drive_state(run, 2, &drive);
    ck_assert_double_eq_tol((double)frame.values[2], drive.value, 1e-6);
    ck_assert_double_gt(replay->drives[0].strength, 0);
    replay_destroy(replay);
}

/* Each body has a part, whether the file gives it boxes or not; nothing is flat or without size. */
TEST(every_reference_case_can_be_shown)
{
    static const char folder[] = "tests/oracle/space/scenes";
    DIR *files = opendir(folder);
    int shown = 0;
    ck_assert_ptr_nonnull(files);
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;) {
        struct replay *replay;
        if (entry->d_name[0] == '.')
            continue;
        const char *path = printed("%s/%s", folder, entry->d_name);
        ck_assert_int_eq(file_kind_of(path), FILE_SPACE_SCENE);
        ck_ok(replay_create_scene(&replay, path, &error));
        ck_assert_int_gt(replay->part_count, 0);
        ck_assert_int_gt(replay->frame_count, 10);
        for (int i = 0; i < replay->part_count; i++) {
            struct vec3 half = replay->shapes[i].half_m;
            ck_assert_msg(half.x > 1e-4 && half.y > 1e-4 && half.z > 1e-4, "%s, part %d", path, i);
        }
        ck_assert(isfinite(replay->size_m) && replay->size_m > 0);
        replay_destroy(replay);
        shown++;
    }
    closedir(files);
    ck_assert_int_ge(shown, 20);
}

TEST(what_is_no_scene_is_refused)
{
    struct replay *replay;
    FILE *file = fopen("bad-scene.json", "w");
    fputs("{\"scene\": 1, \"dimensions\": 3, \"bodies\": [{\"name\": \"a\", \"color\": 1}]}", file);
    fclose(file);
    ck_assert_int_ne(replay_create_scene(&replay, "bad-scene.json", &error), 0);
    ck_assert_ptr_null(replay);
    ck_assert_msg(strstr(error.message, "bad-scene.json") != NULL, "%s", error.message);
    remove("bad-scene.json");
    ck_assert_int_ne(replay_create_scene(&replay, "no-such-scene.json", &error), 0);
    /* as many boxes as a scene may have, and a body without any */
    file = fopen("bad-scene.json", "w");
    fputs("{\"scene\": 1, \"dimensions\": 3, \"bodies\": [{\"name\": \"a\", \"mass_kg\": 1, "
          "\"inertia_kg_m2\": [1, 1, 1]}, {\"name\": \"b\", \"boxes\": [",
          file);
    for (int i = 0; i < REPLAY_PARTS_MAX; i++)
        fprintf(file, "%s{\"size_m\": [1, 1, 1], \"density_kg_m3\": 1}", i ? ", " : "");
    fputs("]}]}", file);
    fclose(file);
    ck_assert_int_eq(replay_create_scene(&replay, "bad-scene.json", &error), ERR_LIMIT);
    ck_assert_msg(strstr(error.message, "64 boxes") != NULL, "%s", error.message);
    remove("bad-scene.json");
    ck_assert_int_eq(file_kind_of("examples/creatures/biped.json"), FILE_CREATURE);
}

/* In the gallery a scene stands beside creatures, and is there at once. */
TEST(scenes_stand_in_the_gallery)
{
    struct gallery_options options = {.champions_most = 2};
    struct gallery *gallery = gallery_create(&options);
    ck_assert_int_eq(gallery_add_scene(gallery, "examples/scenes/space/stack.json", &error), 0);
    ck_assert_int_eq(gallery_add_file(gallery, "examples/creatures/biped.json", &error), 0);
    ck_assert_int_eq(gallery->shown.count, 2);
    ck_assert_int_eq(gallery_simulate(gallery, 0, &error), 0);
    ck_assert_str_eq(gallery_specimen(gallery, 0)->replay->name, "stack");
    ck_assert_int_eq(gallery_heal(gallery, 0, &error), 0);
    gallery_destroy(gallery);
}

static void copy_file(const char *from, const char *to)
{
    FREED char *bytes = NULL;
    size_t length;
    ck_ok(file_read(from, 1 << 20, &bytes, &length, &error));
    ck_ok(file_write(to, bytes, length, &error));
}

/* A creature's file that is written anew is read again; a bad one is said once, and changes
 * nothing; a file that is gone is none. */
TEST(files_are_read_again)
{
    struct gallery_options options = {.champions_most = 2};
    struct gallery *gallery = gallery_create(&options);
    char path[] = "reloaded-XXXXXX";
    int changed, descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    close(descriptor);
    copy_file("examples/creatures/biped.json", path);
    ck_assert_int_eq(gallery_add_file(gallery, path, &error), 0);
    ck_assert_int_eq(gallery_simulate(gallery, 0, &error), 0);
    ck_assert_int_eq(gallery_reload(gallery, &changed, &error), 0);
    ck_assert_int_eq(changed, 0);
    copy_file("examples/creatures/strider.json", path);
    ck_assert_int_eq(gallery_reload(gallery, &changed, &error), 0);
    ck_assert_int_eq(changed, 1);
    ck_assert_str_eq(gallery_specimen(gallery, 0)->replay->name, "strider");
    ck_ok(file_write(path, "{", 1, &error));
    ck_refused(gallery_reload(gallery, &changed, &error), 0, path);
    ck_assert_int_eq(gallery_reload(gallery, &changed, &error), 0);
    ck_assert_int_eq(changed, 0);
    ck_assert_str_eq(gallery_specimen(gallery, 0)->replay->name, "strider");
    remove(path);
    ck_assert_int_eq(gallery_reload(gallery, &changed, &error), 0);
    ck_assert_int_eq(changed, 0);
    gallery_destroy(gallery);
}

SUITE("replay_scene", 120, NULL, NULL)
