/* SPDX-License-Identifier: GPL-3.0-or-later */
/* heat.js - piece-square tables as heat maps on the variant's own board. */
"use strict";

const HEAT_PHASES = ["middlegame", "endgame"];
const signed = (value) => value < 0 ? `−${-value}` : `+${value}`;

/* The inside of one map's svg; each square is as strong as its share of the largest value. */
function drawHeat(variant, values, most) {
    let squares = "";
    for (const square of squaresOf(variant, false)) {
        const { file, rank, name, x, y, missing } = square;
        if (missing) {
            squares += missingSquare(square);
            continue;
        }
        const value = values[(variant.ranks - 1 - rank) * variant.files + file];
        const box = `x="${x}" y="${y}" width="100" height="100"`;
        const kind = value < 0 ? "less" : "more";
        squares += `<g data-square="${name}" data-value="${value}"><rect class="cell" ${box}/>` +
            `<rect class="${kind}" fill-opacity="${(Math.abs(value) / most).toFixed(3)}" ${box}/>` +
            `<rect class="rule" ${box}/></g>`;
    }
    return squares + boardLines(variant);
}

function heatMaps(element) {
    const { variant: name, tables } = report.runs[element.dataset.run];
    const variant = report.variants[name];
    element.innerHTML = `<div class="choice">${HEAT_PHASES.map((phase) =>
        `<button type="button" data-phase="${phase}">${phase}</button>`).join("")}</div>
        <div class="maps">${tables.map((table) => `<figure><figcaption>
            ${tokenImage(variant, table.piece)}${pieceOf(variant, table.piece).name}<span></span>
            </figcaption><svg viewBox="${boardBox(variant)}" role="img"></svg></figure>`).join("")}</div>`;
    const figures = [...element.querySelectorAll("figure")];

    const show = (phase) => {
        for (const button of element.querySelectorAll(".choice button"))
            button.setAttribute("aria-pressed", String(button.dataset.phase === phase));
        tables.forEach((table, i) => {
            const most = Math.max(1, ...HEAT_PHASES.flatMap((each) => table[each].map(Math.abs)));
            const own = Math.max(...table[phase].map(Math.abs));
            figures[i].querySelector(":scope > svg").innerHTML = drawHeat(variant, table[phase], most);
            figures[i].dataset.most = `±${own}`;
            figures[i].querySelector("span").textContent = `±${own}`;
        });
    };
    const point = (event) => {
        const figure = event.target.closest("figure");
        if (!figure) return;
        const square = event.type === "pointerleave" ? null : event.target.closest("[data-square]");
        figure.querySelector("span").textContent = square
            ? `${square.dataset.square} ${signed(Number(square.dataset.value))}` : figure.dataset.most;
    };
    element.addEventListener("pointerover", point);
    element.addEventListener("pointerdown", point);
    for (const figure of figures) figure.addEventListener("pointerleave", point);
    element.querySelector(".choice").addEventListener("click", (event) => {
        if (event.target.dataset.phase) show(event.target.dataset.phase);
    });
    show(HEAT_PHASES[0]);
}

document.querySelectorAll(".heat").forEach(heatMaps);
