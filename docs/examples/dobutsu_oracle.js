#!/usr/bin/env node
// SPDX-License-Identifier: GPL-3.0-or-later
//
// dobutsu_oracle.js - Dobutsu Shogi as ffish has it (Fairy-Stockfish as a library; the game is built
// into it), to hold Campmate's against. The example of docs/adding-a-variant.md.
//
//     node docs/examples/dobutsu_oracle.js perft DEPTH [FEN...]     a table for tests/perft/
//     node docs/examples/dobutsu_oracle.js compare COUNT [SEED]     random positions, both programs
//
// --ffish DIR    where node_modules/ffish is (build/release/tests/oracle; tests/oracle/install makes it)
// --engine FILE  the program to compare with (build/release/bin/campmate)
//
// In ffish a lion may be left to be caught. Here such moves are left out: ffish itself says whether a
// reply catches the lion. Nothing is asked of Campmate.
'use strict';

const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { parseArgs } = require('node:util');

const START = 'gle/1c1/1C1/ELG[] w - - 0 1';
const other = (turn) => (turn === 'w' ? 'b' : 'w');
const turnOf = (fen) => fen.split(' ')[1];

// The square of a side's lion, null if it was caught.
function lionOf(fen, turn) {
    const rows = fen.split('[')[0].replace(/\+/g, '').split('/');
    for (const [i, row] of rows.entries()) {
        const squares = row.replace(/\d/g, (digit) => '.'.repeat(digit));
        const file = squares.indexOf(turn === 'w' ? 'L' : 'l');
        if (file >= 0) return 'abc'[file] + (rows.length - i);
    }
    return null;
}

class Game {
    constructor(ffish, fen) {
        this.board = new ffish.Board('dobutsu');
        this.board.setFen(fen);
    }

    all() {
        return this.board.legalMoves().split(' ').filter(Boolean);
    }

    after(move, look) {
        this.board.push(move);
        const answer = look();
        this.board.pop();
        return answer;
    }

    // Moves after which no reply catches the lion; none when the other lion has reached its far rank.
    moves() {
        const turn = turnOf(this.board.fen());
        const enemy = lionOf(this.board.fen(), other(turn));
        if (enemy[1] === (turn === 'w' ? '1' : '4')) return [];
        return this.all().filter((move) =>
            this.after(move, () => {
                const lion = lionOf(this.board.fen(), turn);
                return !this.all().some((reply) => reply[1] !== '@' && reply.slice(2, 4) === lion);
            }),
        );
    }

    perft(depth) {
        const moves = this.moves();
        if (depth === 1) return moves.length;
        return moves.reduce((sum, move) => sum + this.after(move, () => this.perft(depth - 1)), 0);
    }
}

function perft(ffish, depth, fens) {
    console.log('# Perft counts of Dobutsu Shogi: FEN ;D<depth> <leaves> ...');
    console.log(`# Made by dobutsu_oracle.js of ${ffish.info()}.`);
    for (const fen of fens.length > 0 ? fens : [START]) {
        const game = new Game(ffish, fen);
        const counts = Array.from({ length: depth }, (_, i) => `;D${i + 1} ${game.perft(i + 1)}`);
        console.log(`${fen} ${counts.join(' ')}`);
    }
}

// Numbers in [0, below), the same for a seed (mulberry32).
function generator(seed) {
    let state = seed;
    return (below) => {
        state = (state + 0x6d2b79f5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) % below;
    };
}

function compare(ffish, engine, count, seed) {
    const random = generator(seed);
    const wanted = new Map(); // FEN to moves
    while (wanted.size < count) {
        const game = new Game(ffish, START);
        for (let ply = 0; ply < 80; ply++) {
            const moves = game.moves();
            wanted.set(game.board.fen(), moves.sort().join(' '));
            if (moves.length === 0) break;
            game.board.push(moves[random(moves.length)]);
        }
        game.board.delete();
    }
    const run = spawnSync(engine, ['moves', '--variant', 'dobutsu'], {
        input: [...wanted.keys()].join('\n') + '\n',
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
    });
    if (run.status !== 0) throw new Error(`${engine}: ${run.error || run.stderr}`);
    const answers = run.stdout.trim().split('\n').map((line) => JSON.parse(line));
    let ended = 0;
    for (const [i, [fen, moves]] of [...wanted].entries()) {
        const found = answers[i].error ?? answers[i].moves.join(' ');
        if (found !== moves) {
            console.log(`${fen}\nffish    ${moves}\ncampmate ${found}\nseed ${seed}`);
            return 1;
        }
        ended += moves === '';
    }
    console.log(`${wanted.size} positions agree, ${ended} of them ends of games`);
    return 0;
}

const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        ffish: { type: 'string', default: 'build/release/tests/oracle' },
        engine: { type: 'string', default: 'build/release/bin/campmate' },
    },
});
const [what, number, ...rest] = positionals;
delete globalThis.fetch; // ffish would use it to load its WebAssembly, which is a file
const ffish = require(path.resolve(values.ffish, 'node_modules/ffish'));
ffish.onRuntimeInitialized = () => {
    if (what === 'perft' && number > 0) {
        perft(ffish, Number(number), rest);
    } else if (what === 'compare' && number > 0) {
        process.exitCode = compare(ffish, values.engine, Number(number), Number(rest[0] ?? Date.now()));
    } else {
        console.error('usage: dobutsu_oracle.js perft DEPTH [FEN...] | compare COUNT [SEED]');
        process.exitCode = 2;
    }
};
