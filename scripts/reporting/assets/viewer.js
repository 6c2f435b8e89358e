/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * viewer.js - steps through games: buttons, keys, the list of moves, the graph of evaluations.
 * It knows no rules; every position of a game is in the page.
 */
"use strict";

const MATE = 32000, MATE_BOUND = 31000; /* as in engine.h: mate in n plies scores MATE - n */
const FLAGS = { 1: "drawn at random", 2: "from the book", 4: "a near-best move, sampled", 8: "after the verdict" };
const ICONS = {
    first: "M6 5v14M18 5l-8 7 8 7", back: "M15 5l-8 7 8 7", next: "M9 5l8 7-8 7",
    last: "M18 5v14M6 5l8 7-8 7", flip: "M8 20V5M8 5L4 9M8 5l4 4M16 4v15M16 19l-4-4M16 19l4-4",
};
const LABELS = { first: "first position", back: "one move back", next: "one move on", last: "last position", flip: "turn the board" };
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last", f: "flip", F: "flip" };

function scoreText(score) {
    if (score === null || score === undefined) return "";
    const sign = score < 0 ? "−" : "+";
    const size = Math.abs(score);
    if (size > MATE_BOUND) return `${sign}mate in ${Math.ceil((MATE - size) / 2)}`;
    return sign + (size / 100).toFixed(2);
}

/* White's expected score in percent, for the height of the graph; 400 centipawns are 10 to 1. */
const expected = (score) => 100 / (1 + 10 ** (-score / 400));

class Viewer {
    constructor(element) {
        const run = report.runs[element.dataset.run];
        this.variant = report.variants[run.variant];
        this.games = run.games;
        this.flipped = false;
        element.innerHTML = `
            <select aria-label="game">${this.games.map((game, i) =>
                `<option value="${i}">${this.titleOf(game)}</option>`).join("")}</select>
            <div>
                <div class="hand far"></div>
                <svg class="board" role="img" viewBox="${boardBox(this.variant)}"></svg>
                <div class="hand near"></div>
                <div class="controls">${Object.entries(ICONS).map(([name, path]) =>
                    `<button type="button" data-do="${name}" aria-label="${LABELS[name]}"
                        title="${LABELS[name]}"><svg viewBox="0 0 24 24"><path d="${path}"/></svg></button>`).join("")}
                </div>
                <p class="now" aria-live="polite"></p>
                <svg class="graph" role="slider" aria-label="ply" tabindex="0"
                    preserveAspectRatio="none"></svg>
            </div>
            <div class="moves"></div>
            <details class="legend"><summary>The pieces and how they move</summary>
                <p class="note">A dot: one step. An arrow: any distance. A bar: a leap. Letters in
                colour: promoted.</p>
                <ul>${this.variant.pieces.map((piece) =>
                    `<li>${tokenImage(this.variant, piece.fen)}${piece.name}</li>`).join("")}</ul>
            </details>`;
        for (const name of ["board", "controls", "now", "graph", "moves"])
            this[name] = element.querySelector(`.${name}`);
        this.hands = { far: element.querySelector(".far"), near: element.querySelector(".near") };
        this.element = element;
        this.listen(element.querySelector("select"));
        this.open(0);
    }

    titleOf(game) {
        const names = game.white ? `, ${game.white} – ${game.black}` : "";
        return `${game.title}${names}: ${game.result} ${game.reason}, ${game.san.length} plies`;
    }

    listen(select) {
        select.addEventListener("change", () => this.open(Number(select.value)));
        this.controls.addEventListener("click", (event) => {
            const button = event.target.closest("button");
            if (button) this.do(button.dataset.do);
        });
        this.moves.addEventListener("click", (event) => {
            const button = event.target.closest("button");
            if (button) this.show(Number(button.dataset.ply));
        });
        const seek = (event) => {
            const box = this.graph.getBoundingClientRect();
            this.show(Math.round((event.clientX - box.left) / box.width * this.length));
        };
        this.graph.addEventListener("pointerdown", (event) => {
            this.graph.setPointerCapture(event.pointerId);
            seek(event);
        });
        this.graph.addEventListener("pointermove", (event) => {
            if (this.graph.hasPointerCapture(event.pointerId)) seek(event);
        });
        this.element.addEventListener("pointerdown", () => { Viewer.active = this; });
        this.element.addEventListener("focusin", () => { Viewer.active = this; });
    }

    open(number) {
        this.game = this.games[number];
        this.length = this.game.san.length;
        this.positions = this.game.fens.map((fen) => readFen(this.variant, fen));
        this.squares = this.game.moves.split(" ").map((move) =>
            [...move.matchAll(/[a-z]\d+/g)].map(([name]) => name));
        this.withHands = this.positions.some((position) => Object.keys(position.hands).length);
        this.listMoves();
        this.drawGraph();
        this.show(0);
    }

    do(what) {
        if (what === "flip") this.flipped = !this.flipped;
        const ply = { first: 0, back: this.ply - 1, next: this.ply + 1, last: this.length }[what];
        this.show(ply === undefined ? this.ply : ply);
    }

    show(ply) {
        this.ply = Math.min(Math.max(ply, 0), this.length);
        const position = this.positions[this.ply];
        const last = this.game.san[this.ply - 1] || "";
        this.board.innerHTML = drawBoard(this.variant, position, {
            flipped: this.flipped, moved: this.squares[this.ply - 1],
            checked: /[+#]$/.test(last) ? position.side : "",
        });
        this.board.setAttribute("aria-label", this.game.fens[this.ply]);
        this.element.dataset.ply = this.ply;
        this.drawHands(position);
        this.now.innerHTML = this.describe();
        this.graph.querySelector(".cursor").setAttribute("d", `M${this.ply} 0V100`);
        this.graph.setAttribute("aria-valuenow", this.ply);
        this.markMove();
    }

    drawHands(position) {
        const sides = { near: this.flipped ? "b" : "w", far: this.flipped ? "w" : "b" };
        for (const [place, side] of Object.entries(sides)) {
            const shown = this.variant.pieces.map(({ fen }) => side === "w" ? fen : fen.toLowerCase())
                .filter((fen) => position.hands[fen]).map((fen) =>
                    `<span data-hand="${fen}" data-count="${position.hands[fen]}">` +
                    tokenImage(this.variant, fen) + `×${position.hands[fen]}</span>`);
            const name = (side === "w" ? this.game.white : this.game.black) || "";
            this.hands[place].innerHTML = (name && `<b>${name}</b>`) + shown.join("");
            this.hands[place].hidden = !name && !this.withHands;
        }
    }

    describe() {
        const { san, scores, flags, result, reason } = this.game;
        const parts = [];
        if (this.ply > 0) {
            const before = this.positions[this.ply - 1];
            parts.push(`<b>${before.move}${before.side === "w" ? "." : "…"} ${san[this.ply - 1]}</b>`);
            parts.push(scoreText(scores[this.ply - 1]));
            const note = FLAGS[flags[this.ply - 1] & -flags[this.ply - 1]];
            if (note) parts.push(`<span>${note}</span>`);
        } else {
            parts.push("<span>start</span>");
        }
        if (this.ply === this.length) parts.push(`<b>${result}</b> <span>${reason}</span>`);
        return parts.filter(Boolean).join(" &ensp;");
    }

    /* Two columns: White's moves and Black's. In a placement a side can move many times in a row. */
    listMoves() {
        let [rows, waiting] = ["", false];
        this.game.san.forEach((san, i) => {
            const { side, move } = this.positions[i];
            const style = this.game.flags[i] & 3 ? ' class="random"' : "";
            const cell = `<button type="button" data-ply="${i + 1}"${style}>${san}</button>`;
            if (side === "w") rows += (waiting ? "<span></span>" : "") + `<span>${move}.</span>${cell}`;
            else rows += (waiting ? "" : `<span>${move}.</span><span>…</span>`) + cell;
            waiting = side === "w";
        });
        this.moves.innerHTML = rows;
        this.moves.scrollTop = 0;
    }

    markMove() {
        const old = this.moves.querySelector("[aria-current]");
        if (old) old.removeAttribute("aria-current");
        const button = this.moves.querySelector(`[data-ply="${this.ply}"]`);
        if (!button) {
            this.moves.scrollTop = 0;
            return;
        }
        button.setAttribute("aria-current", "true");
        const top = button.offsetTop - this.moves.offsetTop;
        const room = this.moves.clientHeight - button.offsetHeight;
        if (top < this.moves.scrollTop || top > this.moves.scrollTop + room)
            this.moves.scrollTop = top - room / 2;
    }

    drawGraph() {
        const end = { "1-0": 100, "0-1": 0 }[this.game.result] ?? 50;
        let height = 50;
        const heights = this.game.scores.map((score) =>
            height = score === null ? height : expected(score));
        const line = [...heights, end].map((value, ply) => `L${ply} ${(100 - value).toFixed(1)}`);
        this.graph.setAttribute("viewBox", `0 0 ${Math.max(1, this.length)} 100`);
        this.graph.setAttribute("aria-valuemin", 0);
        this.graph.setAttribute("aria-valuemax", this.length);
        this.graph.innerHTML = `<path class="area" d="M0 100${line.join("")}V100Z"/>` +
            `<path class="half" d="M0 50H${this.length}"/><path class="cursor"/>`;
    }
}

const viewers = [...document.querySelectorAll(".viewer")].map((element) => new Viewer(element));
Viewer.active = viewers[0];
document.addEventListener("keydown", (event) => {
    const what = KEYS[event.key];
    if (!what || !Viewer.active || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("select, input, textarea")) return;
    event.preventDefault();
    Viewer.active.do(what);
});
