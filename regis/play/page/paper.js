/* What leaves the page: the puzzle as a file, and printed, with clues flowing around the grid. */
import { ask } from "./asking.js";
import { drawAll } from "./board.js";
import { $, make, plural, say } from "./dom.js";
import { filled, game, squareAt } from "./game.js";
import { call } from "./server.js";

const LEAST_WIDTH = 150;                    // pixels, 40 mm: the narrowest readable column of clues
const SIZES = [10, 9, 8.5, 8];              // points of the clues, in order of preference
const PAGE = 900;                           // pixels, 238 mm: the height of A4 or Letter below the title
const A_WHILE = 3000;                       // milliseconds for the browser to fetch a download

export async function save(format) {
  const sent = filled(), name = game.puzzle.stem + "." + format;
  say("Saving ...");
  const answer = await call(`puzzles/${game.puzzle.id}/save/${format}`, { letters: sent });
  const link = make("a", { href: URL.createObjectURL(await answer.blob()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), A_WHILE);
  say(answer.headers.get("X-Regis-Lost") || `Saved as ${name}, with ${plural(sent.length, "square")} filled.`);
}

export function print(isEmpty) {
  document.body.classList.toggle("empty", isEmpty);
  window.print();
}

let solution = null;                        // the letters of a printed solution, if requested

export async function printSolution() {
  const { cells } = await ask("reveal", "Looking up the solution", { cells: game.squares.map(({ row, column }) => [row, column]) });
  solution = new Map(cells.map(({ cell: [row, column], letter }) => [squareAt(row, column), { text: letter }]));
  say("");
  print(true);
}

function copyGrid(id, letters) {            // without marks for the screen
  const own = game.letters;
  game.letters = letters;
  drawAll();
  const grid = $("grid").cloneNode(true);
  game.letters = own;
  drawAll();
  grid.id = id;
  const marks = ["here", "along", "refers", "writing", "first", "last", "goes-across", "goes-down"];
  for (const cell of grid.querySelectorAll(".cell")) cell.classList.remove(...marks);
  return grid;
}

/* If the page is wide enough, a column next to the grid has as many clues as fit its height; the rest go below. The text
   is the largest that takes the fewest pages. */
export function layOut() {
  if (!game.puzzle) return;
  const grid = copyGrid("paper-grid", game.letters), solutionPage = make("div", { class: "solution" });
  const name = game.puzzle.judged.includes("reveal") ? "solution" : "Regis's solution";
  if (solution) solutionPage.append(make("h2", {}, `${game.puzzle.title}: ${name}`), copyGrid("solved-grid", solution));
  const sideColumn = make("div", { class: "side-column" }), below = make("div", { class: "below" });
  const lines = [true, false].flatMap((way) => {
    const clues = game.puzzle.entries.filter((entry) => entry.across === way);
    return clues.length ? [make("h2", {}, way ? "Across" : "Down"), ...clues.map((entry) => make("p", { dir: "auto" }, make("b", {}, entry.number), " " + entry.clue))] : [];
  });
  const clues = make("div", {}, make("div", { class: "top" }, sideColumn, grid), below);
  $("sheet").replaceChildren(clues, solutionPage);
  document.body.classList.add("paper");
  const pages = SIZES.map((size) => {
    flow(size, lines, sideColumn, below, grid);
    return Math.ceil(clues.offsetHeight / PAGE);
  });
  flow(SIZES[pages.indexOf(Math.min(...pages))], lines, sideColumn, below, grid);
}

function flow(size, lines, sideColumn, below, grid) {
  $("sheet").style.fontSize = size + "pt";
  below.replaceChildren();
  sideColumn.replaceChildren();
  sideColumn.hidden = false;
  sideColumn.hidden = sideColumn.clientWidth < LEAST_WIDTH;
  (sideColumn.hidden ? below : sideColumn).append(...lines);
  while (sideColumn.scrollHeight > grid.offsetHeight || sideColumn.scrollWidth > sideColumn.clientWidth || sideColumn.lastElementChild?.tagName === "H2") {
    below.prepend(sideColumn.lastElementChild);
  }
}

export function takeOff() {
  document.body.classList.remove("paper", "empty");
  solution = null;
  $("sheet").replaceChildren();
}
