/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * orders/none.h - all moves equally likely (core/order.h), for any variant: what a new one begins
 * with. Its games take more room than with a table fitted to them.
 */
static const int8_t order_table[ORDER_ENTRIES] = {0};
