/* The end as an event: a grid that is full is looked at, and where nothing is wrong the clock stops and all is told. */
import { ask } from "./asking.js";
import { showTime } from "./clock.js";
import { make, panel, plural, say, time } from "./dom.js";
import { filled, game, isFull } from "./game.js";
import { json } from "./server.js";
import { keep } from "./storage.js";

const WAVE = 700, WAVE_STEP = 35;           // milliseconds in one square; from one to the next

export async function look() {
  const mine = () => game.puzzle.id + JSON.stringify(filled());
  if (game.finished || !isFull() || game.looked === mine()) return;
  const sent = game.looked = mine();
  try {
    const { wrong, unknown } = await ask("complete", "The grid is full; checking it");
    if (game.finished || mine() !== sent) return;
    if (wrong) say("The grid is full, but something in it is not right.");
    else await finish(unknown);
  } catch (error) {
    game.looked = "";
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
  const goesOn = await panel(head, [make("p", { class: "big", dir: "auto" }, puzzle.title), ...lines.map((line) => make("p", {}, line))],
    "Next puzzle", "Look at the grid");
  if (goesOn) location.hash = await next(puzzle);
}

async function next(puzzle) {               // of those named on the command line the one behind this, else the list
  const { named } = await json("puzzles"), readable = named.filter((one) => !one.problem);
  const place = readable.findIndex((one) => one.id === puzzle.id);
  return place >= 0 && place + 1 < readable.length ? readable[place + 1].id : "";
}

function wave() {                           // over the squares, from where the last letter was typed
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const { row, column, element } of game.squares) {
    const far = Math.abs(row - game.at.row) + Math.abs(column - game.at.column);
    element.animate([{ background: "var(--along)", offset: 0.5 }], { duration: WAVE, delay: far * WAVE_STEP, easing: "ease-in-out" });
  }
}
