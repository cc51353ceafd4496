/* common/math/hash: fixed values (digests in stored runs depend on them), order, doubles, text
 * form. */
#include "common/math/hash.h"

#include "common/error.h"
#include "tests/suite.h"

/* Computed once by an independent program; a change here changes every stored digest. */
TEST(values_are_fixed)
{
    ck_assert_uint_eq(hash_u64(HASH_START, 0), UINT64_C(0x9ca066f1a4ab2eea));
    ck_assert_uint_eq(hash_u64(HASH_START, 1), UINT64_C(0x25b775faeca8f520));
    ck_assert_uint_eq(hash_double(HASH_START, 1.5), UINT64_C(0x35afcf05f2013659));
    ck_assert_uint_eq(hash_bytes(HASH_START, "genotype and phenotype", 22),
                      UINT64_C(0xd4a46ad5d6d6addf));
}

TEST(zeros_are_equal_and_so_are_nans)
{
    ck_assert_uint_eq(hash_double(7, -0.0), hash_double(7, 0.0));
    ck_assert_uint_eq(hash_double(7, -NAN), hash_double(7, NAN));
    uint64_t bits = UINT64_C(0xfff00000deadbeef);
    double odd_nan;
    memcpy(&odd_nan, &bits, sizeof odd_nan);
    ck_assert_uint_eq(hash_double(7, odd_nan), hash_double(7, NAN));
    ck_assert_uint_ne(hash_double(7, 0.0), hash_double(7, 0x1p-1074));
    ck_assert_uint_ne(hash_double(7, 1.0), hash_double(7, -1.0));
    ck_assert_uint_ne(hash_double(7, INFINITY), hash_double(7, NAN));
    ck_assert_uint_ne(hash_double(7, 1.0), hash_double(7, 1.0 + 0x1p-52));
}

TEST(order_matters)
{
    ck_assert_uint_ne(hash_u64(hash_u64(HASH_START, 1), 2), hash_u64(hash_u64(HASH_START, 2), 1));
    ck_assert_uint_ne(hash_u64(hash_u64(HASH_START, 0), 0), hash_u64(HASH_START, 0));
}

static int count_bits(uint64_t word)
{
    int count = 0;
    for (; word; word &= word - 1)
        count++;
    return count;
}

/* Each bit of the word flips about half of the bits of the hash. */
TEST(every_bit_spreads)
{
    for (int bit = 0; bit < 64; bit++) {
        int flipped = 0;
        for (uint64_t i = 0; i < 200; i++) {
            uint64_t word = i * UINT64_C(0x123456789abcdef1);
            uint64_t other = word ^ UINT64_C(1) << bit;
            flipped += count_bits(hash_u64(HASH_START, word) ^ hash_u64(HASH_START, other));
        }
        ck_assert_double_eq_tol(flipped / 200.0, 32.0, 3.0);
    }
}

/* One changed bit or byte count anywhere gives another hash. */
TEST(bytes_are_told_apart)
{
    unsigned char bytes[40];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37);
    uint64_t whole = hash_bytes(HASH_START, bytes, sizeof bytes);
    for (size_t i = 0; i < 8 * sizeof bytes; i++) {
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
        ck_assert_uint_ne(hash_bytes(HASH_START, bytes, sizeof bytes), whole);
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
    }
    const char zeros[20] = {0};
    for (size_t i = 0; i < sizeof zeros; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_ne(hash_bytes(HASH_START, zeros, i), hash_bytes(HASH_START, zeros, j));

    /* Alignment is of no consequence. */
    char moved[24];
    for (size_t shift = 0; shift < 8; shift++) {
        memcpy(moved + shift, "sixteen letters.", 16);
        ck_assert_uint_eq(hash_bytes(1, moved + shift, 16), hash_bytes(1, "sixteen letters.", 16));
    }
}

TEST(text_form_round_trips)
{
    char text[17];
    hash_to_text(UINT64_C(0x00ff12ab00000009), text);
    ck_assert_str_eq(text, "00ff12ab00000009");
    uint64_t hash = HASH_START;
    for (int i = 0; i < 1000; i++) {
        uint64_t back = 0;
        hash = hash_u64(hash, (uint64_t)i);
        hash_to_text(hash, text);
        ck_assert_int_eq(hash_from_text(text, &back), 0);
        ck_assert_uint_eq(back, hash);
    }
}

TEST(bad_texts_are_refused)
{
    static const char *const bad[] = {
        "",
        "0",
        "0123456789abcde",
        "0123456789abcdef0",
        "0123456789abcdeF",
        "0123456789abcdeg",
        " 123456789abcdef",
        "0x23456789abcdef",
        "-123456789abcdef",
        "0123456789abcde\xff",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t hash = 99;
        ck_assert_int_eq(hash_from_text(bad[i], &hash), ERR_FORMAT);
        ck_assert_uint_eq(hash, 99);
    }
}

SUITE("hash", 0, NULL, NULL)
