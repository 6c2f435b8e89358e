#!/usr/bin/env node
// SPDX-License-Identifier: GPL-3.0-or-later
//
// oracle_test.js - compares Campmate's rules with those of ffish (Fairy-Stockfish as a library).
//
//     node tests/oracle/oracle_test.js VARIANT [--seed N] [--positions N] [--build DIR]
//
// Random games, made by ffish's moves, give positions; in each of them legal moves, check, result
// and FEN are compared, and the FEN after each move. Prints what was compared and what RULES makes
// differ; at the first disagreement the position, the difference and how to see it again, exit 1.
'use strict';

const { spawnSync } = require('node:child_process');
const { randomInt } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { DIFFERENCES, Referee, squaresOf } = require('./referee.js');
const { generator, positions } = require('./random_games.js');
const variants = require('./variants.js');

const BATCH = 100; // positions given to Campmate at a time

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
                positions: { type: 'string', default: '2000' },
                build: { type: 'string', default: 'build/release' },
            },
        });
    } catch (error) {
        usage(error.message);
    }
    const [name, ...more] = parsed.positionals;
    if (!Object.hasOwn(variants, name || '') || more.length > 0) usage('expected one variant');
    const seed = number(parsed.values.seed, 0);
    const wanted = number(parsed.values.positions, 1);
    if (seed === null || wanted === null) usage('--seed and --positions take a number');
    return { name, seed, wanted, build: parsed.values.build };
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
        throw new Error(`${program}: exit ${run.status}, ${answers.length} answers of ${lines.length}`);
    return answers;
}

const only = (left, right) => left.filter((item) => !right.includes(item)).join(' ') || 'nothing';

// What the programs disagree about, as lines of text. `expected` is the referee's position, `answer`
// Campmate's, `after` its answers to `expected.moves`.
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
        if (!after[i].startsWith(`{"fen":"${fen}"`))
            found.push(`after ${move}: campmate ${after[i].slice(0, 120)}\n    ffish ${fen}`);
    });
    return found;
}

// Adds a position to the numbers that show whether the interesting things happened.
function count(tally, { fen, moves, check }) {
    const squares = squaresOf(fen);
    tally.positions++;
    tally.check += check;
    tally.counting += /^\d/.test(fen.split(' ')[3]);
    tally.moves += moves.length;
    for (const move of moves) {
        tally.drops += move[1] === '@';
        tally.promotions += /\d\D$/.test(move);
        tally.captures += move[1] !== '@' && squares.has(move.slice(2, 4));
    }
}

function main(ffish, { name, seed, wanted, build }) {
    const variant = variants[name];
    const program = path.join(build, 'engine', 'campmate');
    const begun = process.hrtime.bigint();
    const seconds = () => Number((process.hrtime.bigint() - begun) / 1000000n) / 1000;
    console.log(`${name} against ${ffish.info()}, seed ${seed}`);

    ffish.loadVariantConfig(fs.readFileSync(path.join(__dirname, 'ffish_variants.ini'), 'utf8'));
    const referee = new Referee(ffish, variant);
    const games = positions(referee, ffish.startingFen(variant.ffish), generator(seed));
    const distinct = new Set();
    const tally = { positions: 0, moves: 0, captures: 0, drops: 0, promotions: 0, check: 0, counting: 0 };
    let batch = [];

    const compare = () => {
        if (batch.length === 0) return;
        const lines = batch.flatMap(({ line, expected }) => [
            line,
            ...expected.moves.map((move) => `${expected.fen} moves ${move}`),
        ]);
        const answers = askCampmate(program, name, lines);
        let at = 0;
        for (const { line, expected } of batch) {
            const answer = JSON.parse(answers[at++]);
            const after = answers.slice(at, (at += expected.moves.length));
            const found = disagreements(expected, answer, after);
            if (answer.end) tally[answer.end] = (tally[answer.end] || 0) + 1;
            if (found.length === 0) continue;
            console.log(`position ${expected.fen}\nreached by ${line}`);
            console.log(found.slice(0, 12).join('\n'));
            console.log(
                `again: node tests/oracle/oracle_test.js ${name} --seed ${seed}` +
                    ` --positions ${wanted} --build ${build}`,
            );
            process.exit(1);
        }
        batch = [];
    };

    while (distinct.size < wanted) {
        games.next();
        const expected = referee.position();
        const moves = referee.moves.length > 0 ? ` moves ${referee.moves.join(' ')}` : '';
        batch.push({ line: referee.root + moves, expected });
        distinct.add(expected.fen.split(' ').slice(0, 4).join(' '));
        count(tally, expected);
        if (batch.length === BATCH) compare();
    }
    compare();

    const sums = Object.entries(tally).map(([what, n]) => `${what} ${n}`);
    console.log(`compared: ${sums.join(', ')}; ${distinct.size} distinct positions`);
    for (const [key, [section, what]] of Object.entries(DIFFERENCES))
        if (referee.met[key]) console.log(`RULES ${section}: ${what} (${referee.met[key]} times)`);
    console.log(`${name} agrees, ${seconds().toFixed(1)} s`);
}

const asked = options();
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
