/* What leaves the page: the puzzle as a file, and as a sheet of paper on which the clues flow round the grid. */
import { $, make, plural, say } from "./dom.js";
import { filled, game } from "./game.js";
import { call } from "./server.js";

const A_WHILE = 3000;                       // milliseconds that the browser has to fetch what is saved

export async function save(format) {
  const sent = filled(), name = game.puzzle.stem + "." + format;
  say("Saving ...");
  const answer = await call(`puzzles/${game.puzzle.id}/save/${format}`, JSON.stringify({ letters: sent }));
  const link = make("a", { href: URL.createObjectURL(await answer.blob()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), A_WHILE);
  say(answer.headers.get("X-Regis-Lost") || `Saved as ${name}, with ${plural(sent.length, "square")} filled.`);
}

export function print(isEmpty) {
  document.body.classList.toggle("empty", isEmpty);
  window.print();
}

/* A column beside the grid holds as many clues as are as high as the grid; the others stand below, in three columns. */
export function layOut() {
  if (!game.puzzle) return;
  const grid = $("grid").cloneNode(true);
  for (const marked of grid.querySelectorAll("[class]")) marked.classList.remove("here", "along", "refers", "writing", "wave", "first", "last", "goes-across", "goes-down");
  grid.id = "paper-grid";
  const beside = make("div", { class: "beside" }), below = make("div", { class: "below" });
  const lines = [["Across", true], ["Down", false]].flatMap(([head, way]) => {
    const clues = game.puzzle.entries.filter((entry) => entry.across === way);
    return clues.length ? [make("h2", {}, head), ...clues.map((entry) => make("p", { dir: "auto" }, make("b", {}, entry.number), " " + entry.clue))] : [];
  });
  $("sheet").replaceChildren(make("div", { class: "top" }, beside, grid), below);
  document.body.classList.add("paper");
  const height = grid.offsetHeight;
  let fits = beside.clientWidth > 0;
  for (const line of lines) {
    if (fits) beside.append(line);
    if (fits && beside.scrollHeight > height) fits = false;
    if (!fits) below.append(line);
  }
  if (beside.lastElementChild && beside.lastElementChild.tagName === "H2") below.prepend(beside.lastElementChild);
}

export function takeOff() {
  document.body.classList.remove("paper", "empty");
  $("sheet").replaceChildren();
}
