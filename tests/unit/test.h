/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test.h - cmocka with the headers that it wants before it. Every unit test includes this first. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
