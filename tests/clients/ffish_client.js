#!/usr/bin/env node
// SPDX-License-Identifier: GPL-3.0-or-later
//
// ffish_client.js - games as ffish, the library of Fairy-Stockfish in npm, reads them.
//
//     node ffish_client.js MODULES moves VARIANT < lines     each line FEN<TAB>moves: all are legal
//     node ffish_client.js MODULES pgn VARIANT FILE          each game of a PGN is read to its end
//
// VARIANT is ffish's name of the game. Prints a line of JSON for each game; exit 1 at the first that
// ffish does not take.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const [modules, what, variant, file] = process.argv.slice(2);

// Plays moves from a FEN; the position at the end.
function play(ffish, fen, moves) {
    const board = new ffish.Board(variant);
    if (fen) board.setFen(fen);
    for (const [i, move] of moves.entries()) {
        if (!board.legalMoves().split(' ').includes(move))
            throw new Error(`move ${i + 1}, ${move}, is not legal in ${board.fen()}`);
        board.push(move);
    }
    const end = { fen: board.fen(), plies: moves.length, result: board.result(true), left: board.numberLegalMoves() };
    board.delete();
    return end;
}

function readMoves(ffish) {
    for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
        const [fen, moves] = line.split('\t');
        console.log(JSON.stringify(play(ffish, fen, moves.split(' ').filter(Boolean))));
    }
}

function readPgn(ffish) {
    for (const text of fs.readFileSync(file, 'utf8').split(/\n\n(?=\[Event)/)) {
        // Burmese is Sittuyin with fewer moves, and ffish has only the latter.
        const game = ffish.readGamePGN(text.replace(/\[Variant "[^"]*"\]/, `[Variant "${variant}"]`));
        const moves = game.mainlineMoves().split(' ').filter(Boolean);
        const end = play(ffish, game.headers('FEN'), moves);
        end.written = game.headers('Result');
        end.moves = moves.join(' ');
        console.log(JSON.stringify(end));
        game.delete();
    }
}

delete globalThis.fetch; // ffish would use it to load its WebAssembly, which is a file
const ffish = require(path.resolve(modules, 'node_modules/ffish'));
ffish.onRuntimeInitialized = () => {
    const games = path.join(__dirname, '../oracle/ffish_variants.ini');
    ffish.loadVariantConfig(fs.readFileSync(games, 'utf8'));
    try {
        if (what === 'moves') readMoves(ffish);
        else readPgn(ffish);
    } catch (error) {
        console.error(error.message);
        process.exitCode = 1;
    }
};
