/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * board.js - draws boards and pieces as SVG text, from what variant.py says of the game.
 *
 * A square is 100 units wide. A piece is a disc with its letter and, around it, how it moves:
 * a dot for a step, an arrow for a slide, a bar for a leap.
 */
"use strict";

const report = JSON.parse(document.getElementById("data").textContent);

const pieceOf = (variant, fen) => variant.pieces.find((piece) => piece.fen === fen.toUpperCase());

/* The disc around (0, 0). `turned`: it faces the lower edge. */
function token(variant, fen, turned) {
    const piece = pieceOf(variant, fen);
    const classes = ["token", fen === fen.toUpperCase() ? "white" : "black"];
    if (fen.startsWith("+")) classes.push("promoted");
    if (piece.fen === "K") classes.push("king");
    const marks = piece.marks.map(([how, dx, dy]) => {
        const angle = Math.atan2(dx, dy) * 180 / Math.PI + (turned ? 180 : 0);
        const shape = {
            step: '<circle cy="-30.5" r="3.2"/>',
            slide: '<path d="M0-39L5.5-29.5H-5.5Z"/>',
            leap: '<path d="M-1.7-40.5H1.7V-34H-1.7Z"/>',
        }[how];
        return `<g transform="rotate(${angle.toFixed(1)})">${shape}</g>`;
    });
    return `<g class="${classes.join(" ")}"><circle class="body" r="43"/>` +
        `<g class="marks">${marks.join("")}</g><text y="16.5">${piece.letter}</text></g>`;
}

const tokenImage = (variant, fen) =>
    `<svg viewBox="-46 -46 92 92" aria-hidden="true">${token(variant, fen, false)}</svg>`;

const squareName = (file, rank) => String.fromCharCode(97 + file) + (rank + 1);

/* [{file, rank, name, x, y, missing}]: the squares, with the corner where each is drawn. */
function squaresOf(variant, flipped) {
    const found = [];
    for (let row = 0; row < variant.ranks; row++) {
        for (let file = 0; file < variant.files; file++) {
            const rank = variant.ranks - 1 - row;
            found.push({
                file, rank, name: squareName(file, rank),
                x: 100 * (flipped ? variant.files - 1 - file : file),
                y: 100 * (flipped ? rank : row),
                missing: variant.shape[row][file] === "*",
            });
        }
    }
    return found;
}

const missingSquare = ({ x, y }) =>
    `<rect class="missing" x="${x + 4}" y="${y + 4}" width="92" height="92"/>`;

/* The lines over the squares: diagonals where pawns promote on them, edges of promotion zones. */
function boardLines(variant) {
    const [width, height, depth] = [100 * variant.files, 100 * variant.ranks, 100 * variant.zone];
    let lines = "";
    if (variant.diagonals)
        lines += `<path class="rule" d="M0 0L${width} ${height}M${width} 0L0 ${height}"/>`;
    if (variant.zone && !variant.shape.join("").includes("*"))
        lines += `<path class="zone" d="M0 ${depth}H${width}M0 ${height - depth}H${width}"/>`;
    return lines;
}

/* The viewBox of a board, without ranks at its edges that have no square at all. */
function boardBox(variant) {
    const rows = [...variant.shape.keys()].filter((row) => /[^*]/.test(variant.shape[row]));
    const [top, bottom] = [rows[0], rows[rows.length - 1] + 1];
    return `-2 ${100 * top - 2} ${100 * variant.files + 4} ${100 * (bottom - top) + 4}`;
}

/* A FEN: {board: {square: piece}, hands: {piece: count}, side, move}. */
function readFen(variant, fen) {
    const [placement, side, , , , move] = fen.split(" ");
    const [rows, pocket] = placement.split("[");
    const position = { board: {}, hands: {}, side, move: Number(move) };
    rows.split("/").forEach((row, r) => {
        let file = 0;
        for (const [text] of row.matchAll(/\d+|\+?[A-Za-z]|\*/g)) {
            if (/\d/.test(text)) {
                file += Number(text);
            } else {
                if (text !== "*")
                    position.board[squareName(file, variant.ranks - 1 - r)] = text;
                file++;
            }
        }
    });
    for (const letter of (pocket || "").replace(/[\]-]/g, ""))
        position.hands[letter] = (position.hands[letter] || 0) + 1;
    return position;
}

/* The inside of a board's svg. `moved`: squares to mark; `checked`: the side whose king is. */
function drawBoard(variant, position, { flipped = false, moved = [], checked = "" } = {}) {
    const squares = squaresOf(variant, flipped);
    const isThere = (x, y) => squares.some((s) => s.x === x && s.y === y && !s.missing);
    let [ground, names, pieces] = ["", "", ""];
    for (const square of squares) {
        const { file, rank, name, x, y } = square;
        if (square.missing) {
            ground += missingSquare(square);
            continue;
        }
        const odd = !variant.diagonals && (file + rank) % 2 === 0 ? " odd" : "";
        const mark = moved.includes(name) ? " moved" : "";
        ground += `<rect class="square${odd}${mark}" x="${x}" y="${y}" width="100" height="100"/>`;
        ground += `<rect class="rule" x="${x}" y="${y}" width="100" height="100"/>`;
        if (!isThere(x, y + 100))
            names += `<text class="coordinate" x="${x + 84}" y="${y + 94}">${name[0]}</text>`;
        if (!isThere(x - 100, y))
            names += `<text class="coordinate" x="${x + 5}" y="${y + 19}">${name.slice(1)}</text>`;
        const fen = position.board[name];
        if (!fen) continue;
        const black = fen !== fen.toUpperCase();
        const check = fen.toUpperCase() === "K" && checked === (black ? "b" : "w") ? " check" : "";
        pieces += `<g class="piece${check}" data-square="${name}" data-piece="${fen}" ` +
            `transform="translate(${x + 50} ${y + 50})">${token(variant, fen, black !== flipped)}</g>`;
    }
    return ground + boardLines(variant) + names + pieces;
}
