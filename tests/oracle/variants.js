// SPDX-License-Identifier: GPL-3.0-or-later
//
// variants.js - what the differential test knows of each game.
//
//   ffish      the game's name in ffish
//   positions  how many are compared in a run, some ten seconds of work
//   pieces     what random positions are made of, besides kings
//   hands      what may be in hand there, if anything
//   shape      the first FEN field of an empty board, where squares are missing
//   ranks      number of ranks and files, 8 if not given
//   enPassant  pawns are placed for it
//
// The remaining keys name what RULES has and ffish lacks; see referee.js.
'use strict';

module.exports = {
    mansindam: {
        ffish: 'mansindam',
        positions: 2000,
        pieces: ['P', 'P', 'N', 'B', 'R', 'C', 'M', 'Q', 'A', '+P', '+N', '+B', '+R', '+C', '+M'],
        hands: 'PPPNBRCMQA',
        ranks: 9,
        ban: true,
    },
    shogun: {
        ffish: 'shogun',
        positions: 5000,
        pieces: ['P', 'P', 'N', 'B', 'R', 'F', '+P', '+N', '+B', '+R', '+F'],
        hands: 'PPPNBRF',
        enPassant: true,
        bareKings: true,
    },
    sittuyin: {
        ffish: 'sittuyin',
        positions: 8000,
        pieces: ['P', 'P', 'P', 'P', 'S', 'F', 'N', 'R', 'R'],
    },
    burmese: {
        ffish: 'sittuyin',
        positions: 5000,
        pieces: ['P', 'P', 'P', 'P', 'S', 'F', 'N', 'R', 'R'],
        burmese: true,
    },
    miniburmese: {
        ffish: 'miniburmese',
        positions: 5000,
        pieces: ['P', 'P', 'P', 'Q', 'R', 'B', 'N', 'G'],
        shape: '********/*6*/*6*/8/8/*6*/*6*/********',
        miniburmese: true,
    },
};
