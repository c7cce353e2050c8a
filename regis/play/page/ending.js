/* The end as an event: a grid that is full is looked at, and where nothing is wrong the clock stops and all is told. */
import { ask } from "./asking.js";
import { showTime } from "./clock.js";
import { answered, make, panel, plural, say, time } from "./dom.js";
import { filled, game, isFull } from "./game.js";
import { json } from "./server.js";
import { keep } from "./storage.js";

const WAVE_STEP = 35, WAVE_END = 1500;      // milliseconds from one square to the next; after the last
let looked = "";                            // the grid that was looked at last, so that each is looked at once

export function forgetLook() { looked = ""; }

export async function look() {
  const mine = () => game.puzzle.id + JSON.stringify(filled());
  if (game.finished || !isFull() || looked === mine()) return;
  const sent = looked = mine();
  try {
    const { wrong, unknown } = await ask("complete", "The grid is full; checking it");
    if (game.finished || mine() !== sent) return;
    if (wrong) say("The grid is full, but something in it is not right.");
    else await finish(unknown);
  } catch (error) {
    forgetLook();
    if (error.message) say(error.message);
  }
}

async function finish(unknown) {
  game.finished = true;
  keep();
  showTime();
  const { counts, squares, puzzle } = game;
  const told = unknown ? `Regis finds nothing wrong; ${plural(unknown, "square")} it has not judged.` : "Every letter is right.";
  say("The grid is full. " + told);
  wave();
  const lines = [told, `${counts.hints ? plural(counts.hints, "hint") : "No hints"}, ${counts.revealed ? plural(counts.revealed, "letter") + " revealed" : "no letters revealed"}, ` +
    `${counts.checks ? plural(counts.checks, "check") : "no checks"}.`];
  const head = counts.revealed >= squares.length ? "Revealed" : `${unknown ? "Filled" : "Solved"} in ${time(game.seconds)}`;
  panel(head, [make("p", { class: "big", dir: "auto" }, puzzle.title), ...lines.map((line) => make("p", {}, line))],
    "Next puzzle", "Look at the grid");
  if ((await answered()) && game.puzzle === puzzle) location.hash = await next(puzzle);
}

async function next(puzzle) {               // of those named on the command line the one behind this, else the list
  const { named } = await json("puzzles"), readable = named.filter((one) => !one.problem);
  const place = readable.findIndex((one) => one.id === puzzle.id);
  return place >= 0 && place + 1 < readable.length ? readable[place + 1].id : "";
}

function wave() {                           // over the squares, from where the last letter was typed
  const { at, squares } = game;
  for (const square of squares) {
    const far = at ? Math.abs(square.row - at.row) + Math.abs(square.column - at.column) : 0;
    square.element.style.setProperty("--late", `${far * WAVE_STEP}ms`);
    square.element.classList.add("wave");
  }
  setTimeout(() => squares.forEach((square) => square.element.classList.remove("wave")),
    WAVE_END + WAVE_STEP * (game.puzzle.rows.length + game.puzzle.rows[0].length));
}
