#!/usr/bin/env node
// SPDX-License-Identifier: GPL-3.0-or-later
//
// oracle_test.js - compares Campmate's rules with those of ffish (Fairy-Stockfish as a library).
//
//     node tests/oracle/oracle_test.js VARIANT [--seed N] [--positions N] [--build DIR]
//                                              [--sjaak PROGRAM]
//
// Random games, made of ffish's moves, give positions; in each of them legal moves, check, result
// and FEN are compared, and the FEN after each move. Prints what was compared and what RULES makes
// differ; at the first disagreement the position, the difference and how to see it again, exit 1.
// --sjaak compares the moves of Sittuyin with a third program's as well.
'use strict';

const { spawnSync } = require('node:child_process');
const { randomInt } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { DIFFERENCES, Referee, squaresOf } = require('./referee.js');
const { generator, positions } = require('./random_games.js');
const { sjaakMoves } = require('./sjaak.js');
const variants = require('./variants.js');

const BATCH = 100; // positions given to Campmate at a time
const KINDS = ['positions', 'moves', 'captures', 'drops', 'promotions', 'check', 'counting'];

function usage(problem) {
    console.error(`oracle_test.js: ${problem}; variants: ${Object.keys(variants).join(' ')}`);
    process.exit(2);
}

function options() {
    const number = (text, least) =>
        /^\d{1,10}$/.test(text) && text >= least && text < 2 ** 32 ? Number(text) : null;
    let parsed;
    try {
        parsed = parseArgs({
            allowPositionals: true,
            options: {
                seed: { type: 'string', default: String(randomInt(2 ** 32)) },
                positions: { type: 'string' },
                build: { type: 'string', default: 'build/release' },
                sjaak: { type: 'string' },
            },
        });
    } catch (error) {
        usage(error.message);
    }
    const [name, ...more] = parsed.positionals;
    if (!Object.hasOwn(variants, name || '') || more.length > 0) usage('expected one variant');
    const seed = number(parsed.values.seed, 0);
    const wanted = number(parsed.values.positions ?? String(variants[name].positions), 1);
    if (seed === null || wanted === null) usage('--seed and --positions take a number');
    const { build, sjaak } = parsed.values;
    if (sjaak && name !== 'sittuyin') usage('--sjaak is for sittuyin');
    return { name, seed, wanted, build, sjaak };
}

// Answers of `campmate moves`, a line of JSON for each line.
function askCampmate(program, name, lines) {
    const run = spawnSync(program, ['moves', '--variant', name], {
        input: lines.join('\n') + '\n',
        encoding: 'latin1',
        maxBuffer: 2 ** 29,
        stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (run.error) throw run.error;
    const answers = run.stdout.split('\n').slice(0, -1);
    if (run.status !== 0 || answers.length !== lines.length)
        throw new Error(`${program}: exit ${run.status} after ${answers.length} answers`);
    return answers;
}

const only = (left, right) => left.filter((item) => !right.includes(item)).join(' ') || 'nothing';

// What the programs disagree about, as lines of text. `expected` is the referee's position,
// `answer` Campmate's, `after` its answers to `expected.moves`.
function disagreements(expected, answer, after) {
    if (answer.error) return [`campmate refuses: ${answer.error}`];
    const found = [];
    for (const key of ['fen', 'check', 'result'])
        if (answer[key] !== expected[key])
            found.push(`${key}: campmate ${answer[key]}, ffish ${expected[key]}`);
    if (answer.moves.join(' ') !== expected.moves.join(' ')) {
        found.push(`moves that only campmate has: ${only(answer.moves, expected.moves)}`);
        found.push(`moves that only ffish has: ${only(expected.moves, answer.moves)}`);
    }
    expected.moves.forEach((move, i) => {
        const fen = expected.after.get(move);
        if (answer.moves.includes(move) && !after[i].startsWith(`{"fen":"${fen}"`))
            found.push(`after ${move}: campmate ${after[i].slice(0, 120)}\n    ffish ${fen}`);
    });
    return found;
}

// The same for Sjaak's list of moves. Promotions that Sjaak alone has are left to ffish.
function sjaakDisagreements(moves, sjaak, referee) {
    const isPromotion = (move) => move.endsWith('f');
    const rest = sjaak.filter((move) => moves.includes(move) || !isPromotion(move));
    referee.meet('sjaak', sjaak.length - rest.length);
    if (rest.sort().join(' ') === moves.join(' ')) return [];
    return [
        `moves that only campmate has: ${only(moves, rest)}`,
        `moves that only sjaak has: ${only(rest, moves)}`,
    ];
}

// Adds a position to the numbers that show whether the interesting things happened.
function count(tally, { fen, moves, check }, end) {
    const squares = squaresOf(fen);
    tally.positions++;
    tally.moves += moves.length;
    for (const move of moves) {
        tally.captures += move[1] !== '@' && squares.has(move.slice(2, 4));
        tally.drops += move[1] === '@';
        tally.promotions += /\d\D$/.test(move);
    }
    tally.check += check;
    tally.counting += /^\d/.test(fen.split(' ')[3]);
    if (end) tally[end] = (tally[end] || 0) + 1;
}

// Compares positions, {line, expected} each, where line is Campmate's input. Returns null, or a
// text about the first one that differs.
function compare(batch, { name, build, sjaak }, referee, tally) {
    const lines = batch.flatMap(({ line, expected }) => [
        line,
        ...expected.moves.map((move) => `${expected.fen} moves ${move}`),
    ]);
    const answers = askCampmate(path.join(build, 'engine', 'campmate'), name, lines);
    const opinions = sjaak ? sjaakMoves(sjaak, batch.map(({ expected }) => expected.fen)) : [];
    let at = 0;
    for (const [i, { line, expected }] of batch.entries()) {
        const answer = JSON.parse(answers[at++]);
        const after = answers.slice(at, (at += expected.moves.length));
        const found = disagreements(expected, answer, after);
        if (sjaak && !answer.error)
            found.push(...sjaakDisagreements(answer.moves, opinions[i], referee));
        if (found.length > 0)
            return [`position ${expected.fen}`, `reached by ${line}`, ...found.slice(0, 12)].join(
                '\n',
            );
        count(tally, expected, answer.end);
    }
    return null;
}

function main(ffish, asked) {
    const { name, seed, wanted, build, sjaak } = asked;
    const begun = Date.now();
    console.log(`${name} against ${ffish.info()}${sjaak ? ' and Sjaak' : ''}, seed ${seed}`);

    ffish.loadVariantConfig(fs.readFileSync(path.join(__dirname, 'ffish_variants.ini'), 'utf8'));
    const referee = new Referee(ffish, variants[name]);
    const games = positions(referee, ffish.startingFen(variants[name].ffish), generator(seed));
    const distinct = new Set(); // counted without clocks
    const tally = Object.fromEntries(KINDS.map((what) => [what, 0]));
    while (distinct.size < wanted) {
        const batch = [];
        while (batch.length < BATCH && distinct.size < wanted) {
            games.next();
            const expected = referee.position();
            const moves = referee.moves.length > 0 ? ` moves ${referee.moves.join(' ')}` : '';
            batch.push({ line: referee.root + moves, expected });
            distinct.add(expected.fen.split(' ', 4).join(' '));
        }
        const problem = compare(batch, asked, referee, tally);
        if (problem !== null) {
            console.log(problem);
            console.log(
                `again: node tests/oracle/oracle_test.js ${name} --seed ${seed}` +
                    ` --positions ${wanted} --build ${build}${sjaak ? ` --sjaak ${sjaak}` : ''}`,
            );
            process.exit(1);
        }
    }
    const sums = Object.entries(tally).map(([what, n]) => `${what} ${n}`);
    console.log(`compared: ${sums.join(', ')}; ${distinct.size} distinct positions`);
    for (const [key, [section, what]] of Object.entries(DIFFERENCES))
        if (referee.met[key]) console.log(`RULES ${section}: ${what} (${referee.met[key]} times)`);
    console.log(`${name} agrees, ${((Date.now() - begun) / 1000).toFixed(1)} s`);
}

// The build has to have been made, and ffish to have been installed into it.
function need(build, file, first) {
    if (fs.existsSync(path.resolve(build, file))) return;
    console.error(`oracle_test.js: no ${path.join(build, file)}; run first: ${first}`);
    process.exit(1);
}

const asked = options();
const modules = path.join(asked.build, 'tests/oracle');
need(asked.build, 'bin/campmate', 'cmake --preset release && cmake --build --preset release');
need(asked.build, 'tests/oracle/node_modules/ffish', `tests/oracle/install ${modules}`);
delete globalThis.fetch; // ffish would use it to load its WebAssembly, which is a file
const ffish = require(path.resolve(asked.build, 'tests/oracle/node_modules/ffish'));
ffish.onRuntimeInitialized = () => {
    try {
        main(ffish, asked);
    } catch (error) {
        console.error(error.stack);
        process.exit(1);
    }
};
