/* common/sensor: the tables and their names. */
#include "common/genome/body_kind.h"
#include "common/genome/sensor.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>

START_TEST(names_are_distinct_and_found)
{
    for (int i = 0; i < SENSOR_COUNT; i++) {
        ck_assert_str_ne(sensors[i].name, "");
        ck_assert_str_ne(sensors[i].meaning, "");
        ck_assert_int_eq(sensor_find(sensors[i].name), i);
    }
    for (int i = 0; i < FACE_COUNT; i++)
        ck_assert_int_eq(face_find(face_names[i]), i);
}
END_TEST

/* Files refer to sensors and faces by these names. */
START_TEST(the_table_stands)
{
    ck_assert_int_eq(SENSOR_COUNT, 23);
    ck_assert_uint_eq(body_kinds[BODY_RECTANGLES].sensors, 0x7ff);
    ck_assert_uint_eq(body_kinds[BODY_BOXES].sensors, 0x7fa7ff);
    ck_assert_int_eq(sensor_find("joint"), SENSOR_JOINT);
    ck_assert_int_eq(sensor_find("contact-left"), SENSOR_CONTACT_LEFT);
    ck_assert_int_eq(face_find("right"), FACE_RIGHT);
    ck_assert_int_eq(face_find("bottom"), FACE_BOTTOM);

    for (int face = 0; face < FACE_COUNT; face++)
        ck_assert_str_eq(sensors[face_sensors[face]].name + 8, face_names[face]);
    ck_assert_uint_eq(SENSOR_BIT(SENSOR_CONTACT_BOTTOM), 16);
}
END_TEST

/* Each switch of section sensor is alone responsible for its sensors; together they have all. */
START_TEST(the_switches_share_out_the_sensors)
{
    static const struct {
        const char *key;
        int count;
    } switches[] = {
        {"sensor.joint", 3},        {"sensor.joint_rate", 3}, {"sensor.contact", FACE_COUNT + 1},
        {"sensor.acceleration", 3}, {"sensor.light", 4},      {"sensor.bone", 2},
        {"sensor.height", 1}};
    struct params params;
    struct error error;
    uint32_t all = 0;

    params_set_defaults(&params);
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        ck_assert_int_eq(params_set(&params, switches[i].key, "no", &error), 0);
    ck_assert_uint_eq(sensors_switched_on(&params), 0);
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        ck_assert_int_eq(params_set(&params, switches[i].key, "yes", &error), 0);
        uint32_t set = sensors_switched_on(&params);
        ck_assert_int_eq(__builtin_popcount(set), switches[i].count);
        ck_assert_uint_eq(all & set, 0);
        all |= set;
        ck_assert_int_eq(params_set(&params, switches[i].key, "no", &error), 0);
    }
    ck_assert_uint_eq(all, SENSOR_BIT(SENSOR_COUNT) - 1);
}
END_TEST

START_TEST(unknown_names_are_not_found)
{
    static const char *const unknown[] = {"", "Joint", "joint ", "contact", "up"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        ck_assert_int_eq(sensor_find(unknown[i]), -1);
        ck_assert_int_eq(face_find(unknown[i]), -1);
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("sensor");
    tcase_add_test(cases, names_are_distinct_and_found);
    tcase_add_test(cases, the_table_stands);
    tcase_add_test(cases, the_switches_share_out_the_sensors);
    tcase_add_test(cases, unknown_names_are_not_found);
    return run_tests("sensor", cases);
}
