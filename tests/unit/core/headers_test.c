/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers_test.c - compiled together with one generated file for each public header, which
 * includes it first, and twice. What is tested happens at compile time.
 */
#include "test.h"

static void test_headers_compile_alone(void **state)
{
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_headers_compile_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
