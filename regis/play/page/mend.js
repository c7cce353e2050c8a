/* Correcting a puzzle read from a page: the page next to its reading, with doubtful parts marked. A click switches a
   square, and the server rereads the clues by the new numbers; typed clues stay. */
import { $, make, plural } from "./dom.js";
import { game } from "./game.js";
import { json } from "./server.js";

let begun = "";                             // the id of the puzzle being corrected
let reading = null;                         // its description by `describe_puzzle`, as corrected
let typed = {};                             // typed clues by entry
let turns = 0;                              // the number of switched squares: only the last answer counts

export function isDoubtful({ paper, id }) { return paper && paper.page === id && paper.squares.length + paper.entries.length > 0; }

export function showMender(begin) {
  const { puzzle } = game;
  if (begun !== puzzle.id) [begun, reading, typed] = [puzzle.id, puzzle, { ...puzzle.paper.typed }];
  $("pages").replaceChildren(...Array.from({ length: puzzle.paper.pages }, (_, n) => {
    const about = { src: `puzzles/${puzzle.paper.page}/pages/${n}`, alt: `Page ${n + 1}` };
    return make("img", { ...about, onclick: (event) => event.target.classList.toggle("large") });
  }));
  $("mended").onclick = () => send(true).then(begin).catch((error) => tell(error.message));   // this closes the dialog
  drawReading();
  $("mender").showModal();
}

function send(done) {
  const { rows, paper: { page, added } } = reading;
  return json(`puzzles/${page}/mend`, { rows, added, clues: typed, done });
}
function tell(sentence) { $("mender-said").textContent = sentence; }

function turnSquare(r, c) {
  const sign = reading.rows[r][c] === "#" ? "." : "#";
  return change(reading.rows.map((row, i) => (i === r ? row.slice(0, c) + sign + row.slice(c + 1) : row)), reading.paper.added);
}

/* A row or column more on one side, white, or one less. */
function resize(side, isMore) {
  const { rows, paper: { added: [above, left] } } = reading, step = isMore ? 1 : -1, white = ".".repeat(rows[0].length);
  switch (side) {
    case "top": return change(isMore ? [white, ...rows] : rows.slice(1), [above + step, left]);
    case "bottom": return change(isMore ? [...rows, white] : rows.slice(0, -1), [above, left]);
    case "left": return change(rows.map((row) => (isMore ? "." + row : row.slice(1))), [above, left + step]);
    default: return change(rows.map((row) => (isMore ? row + "." : row.slice(0, -1))), [above, left]);
  }
}

function drawSides() {
  const [nRows, nColumns] = [reading.rows.length, reading.rows[0].length];
  $("mended-sides").replaceChildren(...["top", "bottom", "left", "right"].flatMap((side) => {
    const what = side === "top" || side === "bottom" ? "row" : "column", isLast = (what === "row" ? nRows : nColumns) < 2;
    const button = (sign, verb, isMore) => make("button", { type: "button", "data-at": `${verb} ${side}`, disabled: !isMore && isLast, "aria-label": `${verb} ${what}, ${side}`, onclick: () => resize(side, isMore) }, sign);
    return [make("span", {}, `${side} ${what}`), button("+", "Add", true), button("−", "Remove", false)];
  }));
}

async function change(rows, added) {
  const before = reading, mine = ++turns;
  reading = { ...reading, rows, paper: { ...reading.paper, added } };
  drawReading();
  let told = null, problem = "";
  try { told = await send(false); } catch (error) { problem = error.message; }
  if (mine !== turns) return;
  reading = told || before;
  drawReading(problem);
}

function drawReading(problem = "") {        // the focus stays on its square, or at its letter of a clue
  /** @type {any} */
  const focused = document.activeElement, { selectionStart, selectionEnd } = focused, { at } = focused.dataset;
  const { paper, entries } = reading, numbers = new Map(reading.numbers.map(([r, c, n]) => [`${r},${c}`, n])), doubts = new Set(paper.squares.map(String));
  const nDoubted = paper.entries.filter((name) => !(name in typed)).length;
  tell(problem || `${plural(paper.squares.length, "square")} and ${plural(nDoubted, "clue")} are doubtful.`);
  drawSides();
  $("mended-grid").style.setProperty("--columns", reading.rows[0].length);
  $("mended-grid").replaceChildren(...reading.rows.flatMap((row, r) => [...row].map((sign, c) => {
    const isBlock = sign === "#", isDoubted = doubts.has(`${r},${c}`);
    return make("button", { type: "button", class: [isBlock && "block", isDoubted && "doubt"].filter(Boolean).join(" "), onclick: () => turnSquare(r, c), "data-at": `${r},${c}`,
      "aria-label": `row ${r + 1} column ${c + 1}, ${isBlock ? "block" : "white"}${isDoubted ? ", doubtful" : ""}` }, String((!isBlock && numbers.get(`${r},${c}`)) || ""));
  })));
  $("mended-clues").replaceChildren(...entries.map(({ name, clue }) => {
    const isDoubted = paper.entries.includes(name) && !(name in typed);
    const field = make("textarea", { rows: 2, class: isDoubted && "doubt", "data-at": name, "aria-label": `Clue of ${name}${isDoubted ? ", doubtful" : ""}` }, typed[name] ?? clue);
    field.addEventListener("input", () => { typed[name] = field.value; field.classList.remove("doubt"); });
    return make("label", {}, make("b", {}, name), field);
  }));
  const left = at && $("reading").querySelector(`[data-at="${at}"]`);
  if (left) left.focus();
  if (left && selectionStart !== undefined) left.setSelectionRange(selectionStart, selectionEnd);
}
