// SPDX-License-Identifier: GPL-3.0-or-later
//
// sjaak.js - a second opinion on Sittuyin: the moves that Debian's sjaakii (Sjaak II) lists.
//
// Sjaak lets a promotion give check and the new general stand beside an enemy; RULES 3.4 does not
// (points 4 and 5). Everything else is the same.
'use strict';

const { spawnSync } = require('node:child_process');

// "Ke1-d1", "c6xb7", "c6-b5F", "N@a1" as UCI moves.
function uci(text) {
    if (text[1] === '@') return text;
    const [, from, to, promotion] = text.match(/^[A-Z]?([a-h][1-8])[-x]([a-h][1-8])(F?)$/);
    return from + to + promotion.toLowerCase();
}

// The legal moves of each position, in Sjaak's order.
function sjaakMoves(program, fens) {
    const commands = ['xboard', 'variant sittuyin', 'force'];
    // Sjaak knows no counts; its perft has no clocks.
    for (const fen of fens)
        commands.push(`setboard ${fen.split(' ', 2).join(' ')} - - 0 1`, 'perft 1 1');
    const run = spawnSync(program, {
        input: commands.join('\n') + '\nquit\n',
        encoding: 'latin1',
        maxBuffer: 2 ** 29,
    });
    if (run.error) throw run.error;
    const lists = [];
    let moves = [];
    for (const line of run.stdout.split('\n')) {
        // A line for each move, with 0 for those that leave the king in check; then the sum.
        const move = line.match(/^ +(\S*[a-h][1-8]F?) +([01]) +\d+$/);
        const sum = line.match(/^ 1 +(\d+) .*nps$/);
        if (move && move[2] === '1') moves.push(uci(move[1]));
        if (!sum) continue;
        if (Number(sum[1]) !== moves.length) throw new Error(`${program}: cannot read ${line}`);
        lists.push(moves);
        moves = [];
    }
    if (lists.length !== fens.length)
        throw new Error(`${program}: ${lists.length} answers of ${fens.length}`);
    return lists;
}

module.exports = { sjaakMoves };
