/* The end: a full grid is checked, and if nothing is wrong, the clock stops and the page shows your result. */
import { ask } from "./asking.js";
import { showTime } from "./clock.js";
import { make, panel, plural, say, time } from "./dom.js";
import { filled, game, isFull } from "./game.js";
import { json } from "./server.js";
import { keep } from "./storage.js";

const WAVE = 700, WAVE_STEP = 35;           // milliseconds within a square; from one to the next

export async function look() {
  const mine = () => game.puzzle.id + JSON.stringify(filled());
  if (game.finished || !isFull() || game.looked === mine()) return;
  const sent = game.looked = mine();
  try {
    const { wrong, unknown } = await ask("complete", "The grid is full. Checking");
    if (game.finished || mine() !== sent) return;
    const isOwn = game.puzzle.judged.includes("complete");
    if (wrong) say(`The grid is full, but ${isOwn ? "" : "Regis is sure that "}something isn't right.`);
    else await finish(unknown);
  } catch (error) {
    game.looked = "";
    if (error.message) say(error.message);
  }
}

async function finish(unknown) {
  const { counts, squares, puzzle } = game, known = squares.length - unknown;
  game.finished = counts.all || counts.shown >= squares.length ? "revealed" : unknown ? "full" : counts.shown ? "helped" : "solved";
  keep();
  showTime();
  const told = !unknown ? "Every letter is right."
    : known ? `Regis finds nothing wrong. It's at least 99% sure of ${known} of ${squares.length} letters.`
      : "Regis doesn't understand this puzzle well enough to judge it.";
  say("The grid is full. " + told);
  if (game.finished !== "revealed") wave();
  const head = { revealed: "Revealed", helped: `Finished with ${plural(counts.shown, "letter")} shown`, full: "Full", solved: `Solved in ${time(game.seconds)}` };
  const help = [[counts.shown, "letter", " shown"], [counts.lists, "list", " of answers"], [counts.checks, "check", ""]];
  const taken = [...help.flatMap(([n, word, of]) => n ? [plural(n, word) + of] : []), ...(counts.auto ? ["autocheck"] : [])].join(", ") || "no help";
  const result = `${puzzle.title}\n${head[game.finished]}\n${time(game.seconds)}, ${taken}`;
  const lines = [told, `Time ${time(game.seconds)}, ${taken}.`];
  const goesOn = await panel(head[game.finished], [make("p", { class: "big", dir: "auto" }, puzzle.title), ...lines.map((line) => make("p", {}, line)),
    make("button", { type: "button", onclick: (event) => copy(result, event.target) }, "Copy result")], "Next puzzle", "Look at the grid");
  if (goesOn) location.hash = await next(puzzle);
}

async function copy(result, button) {       // without encryption, browsers allow only the old way
  try { await navigator.clipboard.writeText(result); } catch {
    const field = make("textarea", {}, result);
    button.after(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  button.textContent = "Copied";
}

async function next(puzzle) {               // the next from the command line, else the list
  const { named } = await json("puzzles"), readable = named.filter((one) => !one.problem);
  const place = readable.findIndex((one) => one.id === puzzle.id);
  return place >= 0 && place + 1 < readable.length ? readable[place + 1].id : "";
}

function wave() {                           // across the grid, from the last square typed in
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const { row, column, element } of game.squares) {
    const far = Math.abs(row - game.at.row) + Math.abs(column - game.at.column);
    element.animate([{ background: "var(--along)", offset: 0.5 }], { duration: WAVE, delay: far * WAVE_STEP, easing: "ease-in-out" });
  }
}
