// SPDX-License-Identifier: GPL-3.0-or-later
//
// random_games.js - seeded random games in which the rare rules come up.
//
// Every game has its own taste for captures, drops, promotions, king moves, checks, double steps,
// for leaving few replies and for going back, so that some games pile up hands, others clear the
// board, mate or repeat. Half of them begin from a few pieces on random squares. Between the games
// come many more of such positions with a move or two.
'use strict';

const { squaresOf } = require('./referee.js');

// mulberry32, a 32-bit generator by T. Ettinger. Returns a function that returns [0, 1).
function generator(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let z = Math.imul(state ^ (state >>> 15), state | 1);
        z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
        return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
    };
}

const pick = (random, list) => list[Math.floor(random() * list.length)];

// --- how a game begins ------------------------------------------------------------------------

// The text of a board, ranks from the top; squares is a Map like that of squaresOf().
function boardText(squares, size) {
    const ranks = [];
    for (let rank = size; rank > 0; rank--) {
        const row = [...'abcdefghi'.slice(0, size)].map((file) => squares.get(file + rank) || '1');
        ranks.push(row.join('').replace(/1+/g, (run) => run.length));
    }
    return ranks.join('/');
}

// A FEN with kings and a few other pieces that both programs take for a position, or null. Pieces
// often stand in line with a king, for pins and for checks by uncovering, and pawns where they may
// be taken en passant.
function sparse(random, variant, board) {
    const size = variant.ranks || 8;
    const squares = squaresOf(variant.shape || Array(size).fill(size).join('/'));
    const below = (n) => Math.floor(random() * n);
    const square = (file, rank) => 'abcdefghi'[file] + (rank + 1);
    // Pawns stand neither on last ranks nor where they would have promoted.
    const margin = (piece) => (/^[pP]$/.test(piece) ? (variant.shape ? 2 : 1) : 0);
    const put = (piece, file, rank) => {
        const inside = Math.min(rank, size - 1 - rank) >= margin(piece) && file >= 0 && file < size;
        if (!inside || squares.has(square(file, rank))) return false;
        squares.set(square(file, rank), piece);
        return true;
    };
    const piece = (letters) => {
        const letter = pick(random, letters);
        return random() < 0.5 ? letter : letter.toLowerCase();
    };
    const king = (letter) => {
        for (;;) {
            const [file, rank] = [below(size), below(size)];
            if (put(letter, file, rank)) return [file, rank];
        }
    };
    const kings = [king('K'), king('k')];
    for (const [file, rank] of kings) {
        const [right, up] = [below(3) - 1, below(3) - 1];
        for (let steps = 1 + below(8); steps < 8 && (right || up); steps += 1 + below(3))
            put(piece(variant.pieces), file + right * steps, rank + up * steps);
    }
    if (variant.enPassant && random() < 0.5) {
        const [file, beside] = [below(size), pick(random, [-1, 1])];
        const [jumper, from, taker, at] = pick(random, [['p', 6, 'P', 4], ['P', 1, 'p', 3]]);
        if (put(jumper, file, from)) put(taker, file + beside, at);
    }
    for (let n = below(7); n > 0; n--) put(piece(variant.pieces), below(size), below(size));
    const hands = variant.hands ? Array.from({ length: below(6) }, () => piece(variant.hands)) : [];

    const fenFor = (turn) => `${boardText(squares, size)}[${hands.join('')}] ${turn} - - 0 1`;
    const [turn, other] = random() < 0.5 ? 'wb' : 'bw';
    const apart = Math.max(...[0, 1].map((i) => Math.abs(kings[0][i] - kings[1][i])));
    board.setFen(fenFor(other));
    return apart < 2 || board.isCheck() ? null : fenFor(turn);
}

// --- how it is played -------------------------------------------------------------------------

const TASTES = ['any', 'capture', 'drop', 'promotion', 'king', 'check', 'squeeze', 'jump', 'back'];

// Of some moves, the one that leaves the fewest replies.
function tightest(moves, referee) {
    const replies = moves.map((move) => referee.replies(move));
    return moves.filter((_, i) => replies[i] === Math.min(...replies));
}

// The moves that are to a taste, all of them if none is. What asks ffish for each move looks at a
// dozen only.
function toTaste(taste, moves, referee, random) {
    const squares = squaresOf(referee.fen);
    const own = referee.moves.at(-2) || '';
    const dozen = moves.filter(() => random() < 12 / moves.length);
    const chosen = {
        any: () => [],
        capture: () => moves.filter((move) => move[1] !== '@' && squares.has(move.slice(2, 4))),
        drop: () => moves.filter((move) => move[1] === '@'),
        promotion: () => moves.filter((move) => /\d\D$/.test(move)),
        king: () => moves.filter((move) => /k/i.test(squares.get(move.slice(0, 2)))),
        check: () => dozen.filter((move) => referee.checks(move)),
        squeeze: () => tightest(dozen, referee),
        jump: () => moves.filter((move) => /^(.)(2\1[4]|7\1[5])$/.test(move)),
        back: () => moves.filter((move) => move === own.slice(2, 4) + own.slice(0, 2)),
    }[taste]();
    return chosen.length > 0 ? chosen : moves;
}

// Plays games for ever and yields the referee at positions worth comparing: a quarter of a game's,
// those in which something happens, and all of the small ones between the games.
function* positions(referee, startFen, random) {
    const { board, variant } = referee;
    for (;;) {
        const brief = random() < 0.94;
        const root = brief || random() < 0.5 ? sparse(random, variant, board) : startFen;
        if (root === null) continue;
        referee.start(root);
        const likes = TASTES.map((taste) => (brief && taste === 'jump' ? 3 : random() ** 3));
        const sum = likes.reduce((a, b) => a + b);
        for (let plies = brief ? 2 : 20 + Math.floor(random() * 230); plies > 0; plies--) {
            const ended = board.result(true) !== '*';
            const all = referee.ffishMoves();
            const moves = all.filter((move) => referee.allows(move));
            const rare = ended || board.isCheck() || moves.length < Math.max(all.length, 6);
            if (brief || rare || random() < 0.25) yield referee;
            // Clients may play on after a clock or material has ended a game; a little of that.
            if (moves.length === 0 || (ended && random() < 0.5)) break;
            let roll = random() * sum;
            const taste = TASTES.find((_, i) => (roll -= likes[i]) < 0) || 'any';
            referee.play(pick(random, toTaste(taste, moves, referee, random)));
        }
    }
}

module.exports = { generator, positions };
