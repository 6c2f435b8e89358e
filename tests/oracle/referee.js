// SPDX-License-Identifier: GPL-3.0-or-later
//
// referee.js - a game as ffish sees it, told the way RULES tells it.
//
// ffish makes every move and answers every question here; nothing is asked of Campmate. Where RULES
// differs, ffish's answer is corrected in the open: each correction is an entry of DIFFERENCES, is
// derived from other answers of ffish, and is counted each time it is made.
'use strict';

// Section of RULES and what differs.
const DIFFERENCES = {
    ban: ['1.6', 'a move that makes a third occurrence is forbidden; ffish lists it'],
    bareKings: ['2.6', 'two bare kings draw; ffish plays on'],
    lastPawn: ['3.4', 'the last pawn promotes on promotion squares only; ffish lets it anywhere'],
    noMoves: ['3.4', 'without such a promotion there is no move left; ffish plays on'],
    sjaak: ['3.4', 'a promotion neither gives check nor attacks; Sjaak lists such moves'],
    stalemating: ['3.6', 'a move that stalemates is forbidden; ffish lists it'],
    cornered: ['3.7', 'a count of rook against cornered king has limit 40; ffish says 32'],
    suspended: ['3.7', 'a count suspends the 50-move rule; ffish draws by it'],
    turns: ['4.2', 'one side places all its pieces, then the other; ffish lets them take turns'],
    handOrder: ['4.2', 'hands are printed in the order of RULES; ffish has its own'],
    noBracket: ['0', 'no [] once the placement is over; ffish prints it'],
};

// --- FENs -------------------------------------------------------------------------------------

// The occupied squares of a FEN: Map from "e4" to "K", "+p" or "*".
function squaresOf(fen) {
    const squares = new Map();
    const ranks = fen.split(/[[ ]/, 1)[0].split('/');
    ranks.forEach((text, i) => {
        let file = 0;
        for (const [piece] of text.matchAll(/\d|\+?\D/g)) {
            if (piece >= '1' && piece <= '9') file += Number(piece);
            else squares.set('abcdefghi'[file++] + (ranks.length - i), piece);
        }
    });
    return squares;
}

const turnOf = (fen) => fen.split(' ')[1];

// What repetition is about: board, hands, side to move. Enough where there is no castling.
const placeOf = (fen) => fen.split(' ', 2).join(' ');

// --- the game ---------------------------------------------------------------------------------

class Referee {
    // variant: see variants.js
    constructor(ffish, variant) {
        this.variant = variant;
        this.board = new ffish.Board(variant.ffish);
        this.fresh = new ffish.Board(variant.ffish); // for positions without their history
        this.met = {}; // how often each difference was met
    }

    // Begins a game. Campmate is told `root` and `moves`.
    start(fen) {
        this.root = fen;
        this.moves = [];
        this.board.setFen(fen);
        this.fen = this.toRules(this.board.fen(), '');
        this.seen = new Map([[placeOf(this.fen), 1]]);
        this.twice = 0; // positions that have occurred twice
    }

    play(move) {
        this.board.push(move);
        const told = this.board.fen();
        const fen = this.toRules(told, this.fen);
        // Where RULES sees another position than ffish does, a new game begins from it.
        if (fen !== told && fen !== told.replace('[]', '')) {
            this.start(fen);
            return;
        }
        this.fen = fen;
        this.moves.push(move);
        const times = (this.seen.get(placeOf(fen)) || 0) + 1;
        this.seen.set(placeOf(fen), times);
        this.twice += times === 2;
    }

    ffishMoves() {
        return this.board.legalMoves().split(' ').filter(Boolean);
    }

    // Calls look() in the position after a move and returns what it returns.
    peek(move, look) {
        this.board.push(move);
        const answer = look();
        this.board.pop();
        return answer;
    }

    checks(move) {
        return this.peek(move, () => this.board.isCheck());
    }

    replies(move) {
        return this.peek(move, () => this.board.numberLegalMoves());
    }

    // May this move be played? The moves that position() leaves out, one at a time.
    allows(move) {
        if (this.variant.burmese)
            return !this.isOffSquare(move, this.fen) && !this.peek(move, () => this.stalemated());
        if (!this.variant.ban || this.twice === 0) return true;
        return !this.isThird(this.peek(move, () => this.board.fen()));
    }

    // All that is compared: {fen, moves, check, result, after: Map from move to FEN}
    position() {
        const after = new Map();
        const stalemating = new Set();
        for (const move of this.ffishMoves()) {
            this.peek(move, () => {
                after.set(move, this.toRules(this.board.fen(), this.fen));
                if (this.variant.burmese && this.stalemated()) stalemating.add(move);
            });
        }
        let moves = [...after.keys()];
        const leaveOut = (difference, test) => {
            const left = moves.filter((move) => !test(move));
            this.meet(difference, moves.length - left.length);
            moves = left;
        };
        if (this.variant.ban) leaveOut('ban', (move) => this.isThird(after.get(move)));
        let result = this.board.result(true);
        if (this.variant.burmese) {
            const all = moves.length;
            leaveOut('lastPawn', (move) => this.isOffSquare(move, this.fen));
            if (moves.some((move) => !stalemating.has(move)))
                leaveOut('stalemating', (move) => stalemating.has(move));
            if (all > 0 && moves.length === 0) result = this.ended('noMoves', this.board.isCheck());
        } else if (this.variant.ban && after.size > 0 && moves.length === 0) {
            result = this.ended('ban', true);
        } else if (this.variant.bareKings && result === '*' && /^[k\d/]+\[\]/i.test(this.fen)) {
            result = this.ended('bareKings', false);
        }
        if (result !== '*' && this.isOnlyFifty()) {
            this.meet('suspended');
            result = '*';
        }
        return { fen: this.fen, moves: moves.sort(), check: this.board.isCheck(), result, after };
    }

    // --- corrections --------------------------------------------------------------------------

    meet(difference, times = 1) {
        if (times > 0) this.met[difference] = (this.met[difference] || 0) + times;
    }

    // The result of a game that ends where ffish goes on.
    ended(difference, lost) {
        this.meet(difference);
        if (!lost) return '1/2-1/2';
        return turnOf(this.fen) === 'w' ? '0-1' : '1-0';
    }

    // Is a game that counts over by the 50-move rule alone? A FEN that counts tells nothing of the
    // clock, so ffish goes on when it gets the FEN; nor does it tell of repetition.
    isOnlyFifty() {
        if (!/ \d+ \d+ \d+$/.test(this.fen) || this.seen.get(placeOf(this.fen)) >= 3) return false;
        this.fresh.setFen(this.fen);
        return this.fresh.result(true) === '*';
    }

    isThird(fen) {
        return this.seen.get(placeOf(fen)) >= 2;
    }

    // Burmese: a promotion that RULES leaves to Sittuyin.
    isOffSquare(move, fen) {
        const squares = turnOf(fen) === 'w' ? 'a8 b7 c6 d5 e5 f6 g7 h8' : 'a1 b2 c3 d4 e4 f3 g2 h1';
        return move.endsWith('f') && !squares.includes(move.slice(0, 2));
    }

    // Burmese: is the side to move neither in check nor able to move? A last pawn has five
    // promotions at most, so with more moves some other one is left.
    stalemated() {
        if (this.board.isCheck() || this.board.numberLegalMoves() > 5) return false;
        return this.ffishMoves().every((move) => this.isOffSquare(move, this.board.fen()));
    }

    // A FEN of ffish as RULES writes it; `before` is the position a move ago, '' at the start.
    toRules(fen, before) {
        if (this.variant.burmese) return this.withBurmeseCount(fen, before);
        if (this.variant.miniburmese) return this.withPlacementInRow(fen, before);
        return fen;
    }

    withBurmeseCount(fen, before) {
        const fields = fen.split(' ');
        if (before === '' || fields[3] !== '32' || fields[4] !== '0') return fen;
        const squares = squaresOf(fen);
        const king = turnOf(fen) === 'w' ? 'K' : 'k';
        const [at] = [...squares].find(([, piece]) => piece === king);
        if (squares.size !== 3 || !/^([abgh][1278]|[de][45])$/.test(at)) return fen;
        this.meet('cornered');
        fields[3] = '40';
        return fields.join(' ');
    }

    withPlacementInRow(fen, before) {
        const [board, hands, rest] = fen.split(/[[\]]/);
        if (hands === '') {
            this.meet('noBracket');
            return board + (before.includes('[') ? ' w - - 0 1' : rest);
        }
        const order = 'KQRBNGkqrbng';
        const sorted = [...order].filter((letter) => hands.includes(letter)).join('');
        if (sorted !== hands) this.meet('handOrder');
        const turn = /[A-Z]/.test(sorted) ? 'w' : 'b';
        if (turn !== turnOf(fen)) this.meet('turns');
        return `${board}[${sorted}] ${turn} - - 0 1`;
    }
}

module.exports = { DIFFERENCES, Referee, squaresOf };
