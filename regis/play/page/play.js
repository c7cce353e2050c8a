/* The page of `regis play`. It has the puzzle as it stands on paper and what the person typed, and asks the server one
   question at a time. What was typed is kept in this browser after every letter. Nothing here is built from text as
   markup: every element is made by `make`, every text is a text node. */
const $ = (id) => document.getElementById(id);
const KEEP = "regis.";                     // begins the names under which puzzles are kept
const AGAIN = 400, SLOWLY = 3000;          // milliseconds until the server is asked again how far it is
const GONE = "Regis does not answer. What you typed is kept in this browser; start `regis play` again and open its page.";
const LETTER = /^[\p{L}\p{N}]$/u;          // a key, or what it writes
const ROWS = ["QWERTYUIOP", "ASDFGHJKL⌫", "…ZXCVBNM✎⟳"];
const KEYS = { "⌫": ["Delete", "erase"], "…": ["Several letters", "rebus"], "✎": ["Pencil", "pencil"], "⟳": ["Turn", "turn"] };

let puzzle = null;                         // what `describe_puzzle` says
let squares = [];                          // of each white square: row, column, element, its places in entries
let at = null, across = true;              // where the person is
let letters = new Map();                   // square -> { text, pencil, mark }: all that was typed
let past = [], future = [];                // steps to undo and to redo, each [[square, before, after], ...]
let seconds = 0, paused = false;
let stage = { stage: "waiting", said: "" };
let visited = false;                       // whether the list of puzzles was shown, or one of them
let sureness = null;                       // of each square, if the person wants to see it
let visits = 0, polls = 0;                 // how often a puzzle was asked for, and how far one is: only the last counts
let several = null;                        // the square whose letters are in the dialog, and what they were

/* --- small things ------------------------------------------------------------------------------------------------ */

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function say(sentence) { $("said").textContent = sentence; }
function speak(sentence) { $("spoken").textContent = sentence; }
function percent(p) { return Math.round(100 * p) + "%"; }
function plural(n, word) { return `${n} ${word}${n === 1 ? "" : "s"}`; }

async function call(path, body, type) {
  const how = body === undefined ? {} : { method: "POST", body, headers: { "Content-Type": type || "application/json" } };
  let answer;
  try { answer = await fetch(path, how); } catch { throw new Error(GONE); }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Error(told.problem || (answer.status === 403 ? GONE : "Regis cannot do this now; try again."));
}

async function json(path, body) { return (await call(path, body && JSON.stringify(body))).json(); }

/* --- choosing a puzzle ------------------------------------------------------------------------------------------- */

function shut() { for (const open of document.querySelectorAll("dialog[open]")) open.close(""); }

async function choose() {
  shut();                                   // what it asks is no question any more
  document.title = "Regis";
  $("title").textContent = "Choose a puzzle";
  $("about").textContent = $("state").textContent = "";
  $("chooser").hidden = false;
  $("player").hidden = $("timer").hidden = true;
  puzzle = null;
  const mine = visits, begun = new Map(kept());
  list("begun", [...begun].filter(([, one]) => one.letters.length).map(([id, one]) => ({ id, ...one })));
  try {
    const known = await json("puzzles");
    if (mine !== visits) return;            // a puzzle was opened meanwhile
    list("named", known.named);
    list("examples", known.examples);
    if (known.named.length === 1 && !visited) location.hash = known.named[0].id;
    visited = true;
    const there = new Set(known.there);
    for (const link of $("begun").querySelectorAll("a")) link.dataset.there = there.has(link.hash.slice(1));
  } catch (error) { if (mine === visits) problem(error); }
}

function list(where, found) {
  $(where).hidden = !found.length;
  $(where).querySelector("ul").replaceChildren(...found.map((one) => {
    if (one.problem) return make("li", {}, `${one.file}: ${one.problem}`);
    const of = one.letters ? `${one.letters.length} of ${one.squares} squares` : one.size;
    return make("li", {}, make("a", { href: "#" + one.id, dir: "auto" }, one.title || one.file), make("span", {}, " " + of));
  }));
}

function problem(error) { if (puzzle) say(error.message); else $("problem").textContent = error.message; }

async function upload(file) {
  if (!file) return;
  $("problem").textContent = "";
  const mine = ++visits;
  try {
    const sent = await call("puzzles?name=" + encodeURIComponent(file.name), file, "application/octet-stream");
    const opened = await sent.json();
    if (mine === visits) begin(opened);
  } catch (error) { problem(error); }
  $("file").value = "";
}

async function visit() {
  const name = location.hash.slice(1), mine = ++visits;
  if (!name) return choose();
  if (puzzle && puzzle.id === name) return;
  try {
    const opened = await json("puzzles/" + encodeURIComponent(name));
    if (mine === visits) begin(opened);
  } catch (error) {
    if (mine !== visits) return;
    location.hash = "";
    await choose();
    if (!puzzle) problem(error);
  }
}

/* --- what this browser keeps ------------------------------------------------------------------------------------- */

function kept() {
  const found = [];
  try { localStorage.length; } catch { return found; }   // a browser that keeps nothing
  for (let i = 0; i < localStorage.length; i++) {
    const name = localStorage.key(i);
    if (name.startsWith(KEEP)) {
      try {
        const one = JSON.parse(localStorage.getItem(name));
        if (Array.isArray(one.letters)) found.push([name.slice(KEEP.length), one]);
      } catch { /* something else's */ }
    }
  }
  return found.sort((one, other) => other[1].changed - one[1].changed);
}

function inside() {                         // all that was typed, as it is kept
  return squares.flatMap((square) => {
    const held = letters.get(square);
    return held ? [[square.row, square.column, held.text, held.pencil, held.mark]] : [];
  });
}

function keep() {
  const whole = { title: puzzle.title, squares: squares.length, letters: inside(), seconds, changed: Date.now() };
  try { localStorage.setItem(KEEP + puzzle.id, JSON.stringify(whole)); } catch {
    say("This browser keeps nothing (private, or full); save your letters as .puz or .ipuz.");
  }
}

function recall(raw) {
  const held = raw && JSON.parse(raw);
  const typed = held ? held.letters : puzzle.given.map(([row, column, text]) => [row, column, text, false, ""]);
  letters = new Map();
  for (const [row, column, text, pencil, mark] of typed) {
    const square = squareAt(row, column);
    if (square) letters.set(square, { text, pencil, mark });
  }
  seconds = held ? held.seconds : 0;
  squares.forEach(draw);
  puzzle.entries.forEach(follows);
}

addEventListener("storage", (event) => {   // the same puzzle in another tab: what is typed there is typed here
  if (!puzzle || event.key !== KEEP + puzzle.id || !event.newValue) return;
  const before = JSON.stringify(inside());
  recall(event.newValue);
  if (JSON.stringify(inside()) !== before) { past = []; future = []; }   // else only the time went on there
});

/* --- a puzzle begins --------------------------------------------------------------------------------------------- */

function begin(opened) {
  shut();
  visited = true;
  $("problem").textContent = "";
  puzzle = opened;
  past = []; future = []; sureness = null; paused = false; at = null;
  document.body.classList.remove("downs");
  $("heat").checked = $("downs").checked = false;
  document.title = puzzle.title + " · Regis";
  $("title").textContent = puzzle.title;
  $("about").textContent = puzzle.about.join(" · ");
  $("chooser").hidden = true;
  $("player").hidden = $("timer").hidden = false;
  if (location.hash.slice(1) !== puzzle.id) history.pushState(null, "", "#" + puzzle.id);
  build();
  try { recall(localStorage.getItem(KEEP + puzzle.id)); } catch { recall(null); }
  say(puzzle.warnings.join(" "));
  tick();
  const first = puzzle.entries[0];
  if (first) go(firstOpen(first), first.across); else if (squares.length) go(squares[0], true);
  follow(opened.state);
}

function build() {
  const width = Math.max(1, ...puzzle.rows.map((row) => row.length));
  $("board").style.setProperty("--columns", width);
  $("board").style.setProperty("--rows", puzzle.rows.length);
  const numbers = new Map(puzzle.numbers.map(([r, c, n]) => [r + "," + c, n]));
  const has = (list) => new Set(list.map(([r, c]) => r + "," + c));
  const circles = has(puzzle.circles), shaded = has(puzzle.shaded);
  const bars = new Set(puzzle.bars.map(String));
  squares = [];
  $("grid").replaceChildren(...puzzle.rows.map((row, r) => make("div", { role: "row" }, ...[...row].map((sign, c) => {
    if (sign === "#") return make("div", { role: "gridcell", class: "block", "aria-label": "block" });
    const key = r + "," + c;
    const classes = ["cell", circles.has(key) && "circled", shaded.has(key) && "shaded",
      bars.has(key + ",right") && "bar-right", bars.has(key + ",below") && "bar-below"].filter(Boolean).join(" ");
    const letter = make("span", { class: "letter" });
    const element = make("div", { role: "gridcell", class: classes, tabindex: "-1" },
      make("span", { class: "number" }, String(numbers.get(key) || "")), letter);
    const square = { row: r, column: c, element, letter, places: {}, marks: [circles.has(key) && "circle",
      shaded.has(key) && "shaded"].filter(Boolean) };
    element.addEventListener("mousedown", (event) => { if (event.button === 0) tap(square); });
    squares.push(square);
    return element;
  }))));
  const byPlace = new Map(squares.map((square) => [square.row + "," + square.column, square]));
  for (const entry of puzzle.entries) {
    entry.squares = entry.cells.map(([r, c]) => byPlace.get(r + "," + c));
    entry.squares.forEach((square, i) => { square.places[entry.across] = { entry, i }; });
    entry.called = `${entry.name.slice(0, -1)} ${entry.across ? "across" : "down"}`;
    entry.number = entry.name.slice(0, -1);
    entry.button = make("button", { type: "button", onclick: () => pick(entry) },
      make("b", {}, entry.number), make("span", { dir: "auto" }, entry.clue || "(no clue)"));
  }
  for (const [id, way] of [["across", true], ["down", false]]) {
    const found = puzzle.entries.filter((entry) => entry.across === way);
    $(id).hidden = !found.length;
    $(id).querySelector("ol").replaceChildren(...found.map((entry) => make("li", {}, entry.button)));
  }
}

function squareAt(row, column) { return squares.find((square) => square.row === row && square.column === column); }
function entryAt(square, way) { const place = square && square.places[way]; return place && place.entry; }
function current() { return entryAt(at, across); }
function named() {
  if (!current()) throw new Error("This square is in no entry.");
  return current().name;
}
function text(square) { const held = letters.get(square); return held ? held.text : ""; }
function firstOpen(entry) { return entry.squares.find((square) => !text(square)) || entry.squares[0]; }

/* --- showing ----------------------------------------------------------------------------------------------------- */

const MARKS = { right: "right", wrong: "wrong", unknown: "not known", told: "told by Regis" };

function draw(square) {
  const held = letters.get(square), { element, letter } = square;
  letter.textContent = held ? held.text : "";
  letter.style.setProperty("--length", Math.max(1, held ? held.text.length : 1));
  element.classList.toggle("long", Boolean(held) && held.text.length > 1);
  element.classList.toggle("pencil", Boolean(held && held.pencil));
  for (const mark of Object.keys(MARKS)) element.classList.toggle(mark, Boolean(held) && held.mark === mark);
  const doubt = sureness ? 1 - sureness.get(square.row + "," + square.column) : 0;
  element.classList.toggle("doubt", doubt > 0.1);
  element.classList.toggle("deep", doubt > 0.5);
  element.style.setProperty("--doubt", Math.round(100 * doubt) + "%");
  element.setAttribute("aria-label", label(square));
}

function follows(entry) { entry.button.classList.toggle("done", entry.squares.every(text)); }

function label(square) {
  const held = letters.get(square), parts = [held ? held.text : "empty"];
  const entry = entryAt(square, across) || entryAt(square, !across);
  if (entry) parts.push(`${entry.called} letter ${entry.squares.indexOf(square) + 1} of ${entry.squares.length}`);
  parts.push(...square.marks);
  if (held && held.pencil) parts.push("pencil");
  if (held && held.mark) parts.push(MARKS[held.mark]);
  if (sureness) parts.push("Regis " + percent(sureness.get(square.row + "," + square.column)) + " sure");
  return parts.join(", ");
}

function go(square, way, scroll = true) {
  if (!square) return;
  const before = current(), old = at;
  at = square;
  across = square.places[way] ? way : square.places[!way] ? !way : way;
  const entry = current(), other = entryAt(at, !across);
  for (const marked of $("grid").querySelectorAll(".here, .along")) marked.classList.remove("here", "along");
  if (entry) entry.squares.forEach((one) => one.element.classList.add("along"));
  at.element.classList.add("here");
  if (old) old.element.tabIndex = -1;
  at.element.tabIndex = 0;
  at.element.setAttribute("aria-label", label(at));
  at.element.focus({ preventScroll: true });
  if (scroll) inSight(at.element);
  if (entry !== before || !$("clue").textContent) announce(entry);
  for (const one of puzzle.entries) {
    one.button.classList.toggle("along", one === other);
    if (one === entry) one.button.setAttribute("aria-current", "true"); else one.button.removeAttribute("aria-current");
  }
  for (const one of [entry, other]) if (one) reachable(one.button);
}

function inSight(element) { element.scrollIntoView({ block: "nearest", inline: "nearest" }); }   // no further than that

function pick(entry) {                      // from the list, which may stand far below the grid
  inSight($("grid"));
  go(firstOpen(entry), entry.across);
}

function announce(entry) {
  const hidden = entry && entry.across && $("downs").checked;
  const clue = !entry ? "" : hidden ? "(hidden)" : entry.clue || "(no clue)";
  $("clue").replaceChildren(...(entry ? [make("b", {}, entry.name), make("span", { dir: "auto" }, clue)] : []));
  if (entry) speak(`${entry.called}: ${clue} ${plural(entry.squares.length, "square")}, ` +
    entry.squares.map((square) => text(square) || "blank").join(" "));
}

function reachable(button) {                // scrolls the list, never the page
  const box = button.closest("ol");
  if (box.scrollHeight <= box.clientHeight) return;
  const top = button.parentElement.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + button.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = top - (box.clientHeight - button.offsetHeight) / 2;
  }
}

/* --- typing ------------------------------------------------------------------------------------------------------ */

function change(steps) {                    // steps: [[square, held or null], ...]
  const done = steps.map(([square, after]) => [square, letters.get(square) || null, after])
    .filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after));
  if (!done.length) return;
  past.push(done);
  future = [];
  apply(done, 2);
}

function apply(steps, which) {
  for (const step of steps) {
    if (step[which]) letters.set(step[0], step[which]); else letters.delete(step[0]);
    draw(step[0]);
    for (const place of Object.values(step[0].places)) follows(place.entry);
  }
  keep();
  if (letters.size === squares.length && which === 2) say("All squares are filled. Check the grid, if you like.");
}

function undo(from, to, which) {
  const steps = from.pop();
  if (!steps) return say(which === 1 ? "There is nothing to undo." : "There is nothing to do again.");
  to.push(steps);
  apply(steps, which);
  go(steps[0][0], across);
}

function typed(content) { return { text: content, pencil: $("pencil").getAttribute("aria-pressed") === "true", mark: "" }; }

function type(letter) {
  if (!at) return;
  const wasOpen = !text(at);
  change([[at, typed(letter)]]);
  const place = at.places[across];
  if (!place) return go(at, across);
  const rest = place.entry.squares.slice(place.i + 1);
  go((wasOpen && rest.find((square) => !text(square))) || rest[0] || at, across);
}

function erase(back) {
  if (!at) return;
  if (text(at) || !back) return change([[at, null]]), go(at, across);
  const place = at.places[across], before = place && place.entry.squares[place.i - 1];
  if (before) { change([[before, null]]); go(before, across); }
}

function move(down, right) {
  const way = right !== 0;
  if (at.places[way] && way !== across) return go(at, way);
  let [r, c] = [at.row + down, at.column + right];
  while (r >= 0 && c >= 0 && r < puzzle.rows.length && c < puzzle.rows[0].length) {
    const square = squareAt(r, c);
    if (square) return go(square, way);
    [r, c] = [r + down, c + right];
  }
}

function turn() { if (at && at.places[!across]) go(at, !across); }
function tap(square) { if (square === at) { turn(); at.element.focus({ preventScroll: true }); } else go(square, across, false); }

function step(by) {                         // to another entry; false where there is none that way
  const all = puzzle.entries.filter((one) => one.across).concat(puzzle.entries.filter((one) => !one.across));
  const next = all[all.indexOf(current()) + by];
  if (next) go(firstOpen(next), next.across);
  return Boolean(next);
}

function rebus() {
  if (!at) return;
  several = { square: at, was: text(at) };
  $("letters").value = several.was;
  $("rebus").returnValue = "";
  $("rebus").showModal();
  $("letters").select();
}

function took() {
  const { square, was } = several, written = $("letters").value;
  const content = written.toUpperCase().replace(/[^\p{L}\p{N}/]/gu, "");
  if (!puzzle || !squares.includes(square)) return;      // another is open by now, or none
  if ($("rebus").returnValue === "take" && written !== was) change([[square, content ? typed(content) : null]]);
  go(square, across);
}

function pressed(event) {
  const control = event.ctrlKey || event.metaKey;
  if (control && !event.altKey && event.key.toLowerCase() === "z") {
    if (event.shiftKey) undo(future, past, 2); else undo(past, future, 1);
  } else if (control && event.key.toLowerCase() === "y") undo(future, past, 2);
  else if (control || event.altKey) return;
  else if (event.key === "Tab" || event.key === "Enter") { if (!step(event.shiftKey ? -1 : 1) && event.key === "Tab") return; }
  else if (event.key === "F6") $("tools").querySelector("summary").focus();
  else if (event.key === " ") turn();
  else if (event.key === "Backspace") erase(true);
  else if (event.key === "Delete") erase(false);
  else if (event.key === "Insert" || event.key === "Escape") rebus();
  else if (event.key === "Home" && current()) go(current().squares[0], across);
  else if (event.key === "End" && current()) go(current().squares.at(-1), across);
  else if (event.key === "ArrowUp") move(-1, 0);
  else if (event.key === "ArrowDown") move(1, 0);
  else if (event.key === "ArrowLeft") move(0, -1);
  else if (event.key === "ArrowRight") move(0, 1);
  else if (LETTER.test(event.key)) type(event.key.toUpperCase());
  else return;
  event.preventDefault();
}

/* --- asking ------------------------------------------------------------------------------------------------------ */

function follow(told) {
  stage = told;
  const mine = puzzle.id, poll = ++polls;
  $("state").textContent = stage.said;
  $("state").className = stage.stage;
  if (stage.stage === "solved" || stage.stage === "failed") return;
  setTimeout(async () => {
    if (!puzzle || puzzle.id !== mine || poll !== polls) return;
    let next;
    try { next = await json(`puzzles/${mine}/state`); } catch (error) {
      next = { stage: "waiting", said: error.message, slowly: true };
    }
    if (puzzle && puzzle.id === mine && poll === polls) follow(next);
  }, stage.slowly ? SLOWLY : AGAIN);
}

async function ask(what, about = {}) {
  const asked = puzzle.id, left = () => !puzzle || puzzle.id !== asked;   // then it is no answer to what is open
  let tried = false;
  if (stage.stage !== "solved") say("Regis is still at work; the answer comes when it is ready.");
  while (!left() && stage.stage !== "solved") {
    if (stage.slowly || (tried && stage.stage === "failed")) throw new Error(stage.said);
    if (stage.stage === "failed") {
      tried = true;
      const { state } = await json("puzzles/" + asked);    // which has it solved again
      if (left()) throw new Error("");
      follow(state);
    }
    await new Promise((wake) => setTimeout(wake, AGAIN / 2));
  }
  if (left()) throw new Error("");
  const sent = filled(), before = new Map(sent.map(([row, column, typed]) => [row + "," + column, typed]));
  let told;
  try { told = await json(`puzzles/${asked}/ask/${what}`, { letters: sent, ...about }); } catch (error) {
    const state = left() ? null : await json(`puzzles/${asked}/state`);   // it may have to be solved once more
    if (left()) throw new Error("");
    follow(state);
    throw error;
  }
  if (left()) throw new Error("");
  told.changed = (square) => text(square) !== (before.get(square.row + "," + square.column) || "");
  return told;
}

function filled() { return squares.flatMap((square) => text(square) ? [[square.row, square.column, text(square)]] : []); }

function cellsOf(which) {
  const here = at ? [at] : [];
  return which === "letter" ? here : which === "entry" ? (current() || { squares: here }).squares : squares;
}

function pairs(some) { return some.map((square) => [square.row, square.column]); }

async function check(which) {
  const asked = cellsOf(which).filter(text);
  if (!asked.length) return say("There is no letter to check.");
  const { verdicts, changed } = await ask("check", { cells: pairs(asked) });
  if (!verdicts.length) return say("No answer has what is written there.");
  const counts = { right: 0, wrong: 0, unknown: 0 };
  const steps = [];
  for (const { cell: [row, column], verdict } of verdicts) {
    const square = squareAt(row, column);
    if (changed(square)) continue;
    counts[verdict]++;
    steps.push([square, { ...letters.get(square), mark: letters.get(square).mark === "told" ? "told" : verdict }]);
  }
  change(steps);
  if (!steps.length) return say("What was checked has changed; check again.");
  if (asked.length === 1) {
    const { cell, verdict, sure } = verdicts[0], letter = text(squareAt(...cell));
    return say(verdict === "unknown" ? `Regis does not know whether ${letter} is right (${percent(sure)}).`
      : `${letter} is ${verdict} (${percent(sure)} sure).`);
  }
  say(`Of ${plural(steps.length, "letter")}: ${counts.right} right, ${counts.wrong} wrong` +
    (counts.unknown ? `, ${counts.unknown} that Regis does not know.` : "."));
}

function write({ cells, changed }) {        // what the server told, into its squares but for what was typed meanwhile
  change(cells.map(({ cell: [row, column], letter }) => {
    const square = squareAt(row, column), stays = changed(square) || text(square) === letter;
    return [square, stays ? letters.get(square) || null : { text: letter, pencil: false, mark: "told" }];
  }));
}

async function hint(about) {
  const told = await ask("hint", about);
  if (told.cells) {
    write(told);
    const [row, column] = told.cells[0].cell;
    go(squareAt(row, column), told.entry.endsWith("A"));
  }
  say(told.said);
}

async function narrow() {
  const told = await ask("narrow", { entry: named() });
  panel(`A few answers to ${told.entry}`, [make("p", {}, told.said),
    make("ul", {}, ...told.answers.map((answer) => make("li", {}, answer)))]);
}

async function reveal(which) {
  if (which === "grid" && !(await sure("Reveal the whole grid?", "Every square that you left open or have wrong is filled."))) return;
  const asked = cellsOf(which);
  const told = await ask("reveal", { cells: pairs(asked) }), { cells } = told;
  if (!cells.length) return say("Regis has no letter for it.");
  write(told);
  const least = Math.min(1, ...cells.map((one) => one.sure)), missing = asked.length - cells.length;
  say(cells.length === 1 ? `It is ${cells[0].letter} (${percent(least)} sure).`
    : `The least sure of these letters is ${percent(least)} sure.` + (missing ? ` Regis has none for ${missing}.` : ""));
}

async function why() {
  const told = await ask("why", { entry: named() });
  const rows = told.candidates.map((one) => make("li", {}, make("b", {}, one.answer), ` ${percent(one.sure)}, by the clue alone ${percent(one.alone)}`,
    make("ul", {}, ...one.reasons.map((reason) => make("li", {}, reason)))));
  panel(`${told.entry}: ${told.answer}`, [make("p", {}, told.said), make("h3", {}, "Candidates"), make("ol", {}, ...rows),
    make("p", {}, `${percent(told.missing)} for an answer that is in no list.`), make("h3", {}, "Crossings"),
    make("ol", {}, ...told.crossings.map((one) => make("li", {}, make("b", {}, one.letter), one.entry
      ? ` ${one.entry} makes likely: ${one.heard || "no letter more than others"}` : " nothing crosses here")))]);
}

async function heat() {
  sureness = null;
  if ($("heat").checked) {
    const told = await ask("heat");
    if (!$("heat").checked) return;         // not wanted any more
    sureness = new Map(told.sure.map(([row, column, p]) => [row + "," + column, p]));
    const unsure = told.sure.filter(([, , p]) => p < 0.9).length;
    say(unsure ? `Regis is less than 90% sure of ${plural(unsure, "square")}; the less sure, the darker and denser.`
      : "Regis is at least 90% sure of every square.");
  }
  squares.forEach(draw);
}

/* --- everything else --------------------------------------------------------------------------------------------- */

function panel(head, body, yes) {
  $("panel-head").textContent = head;
  $("panel-body").replaceChildren(...body);
  $("panel-yes").hidden = !yes;
  $("panel-yes").textContent = yes || "";
  $("panel-close").textContent = yes ? "No" : "Close";
  $("panel").returnValue = "";
  $("panel").showModal();
}

function sure(head, sentence) {             // whether the person says so, while the same puzzle is open
  const asked = puzzle;
  panel(head, [make("p", {}, sentence)], "Yes");
  return new Promise((answer) => $("panel").addEventListener("close",
    () => answer($("panel").returnValue === "yes" && puzzle === asked), { once: true }));
}

async function save(format) {
  const sent = filled(), name = puzzle.stem + "." + format;
  const answer = await call(`puzzles/${puzzle.id}/save/${format}`, JSON.stringify({ letters: sent }));
  const link = make("a", { href: URL.createObjectURL(await answer.blob()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SLOWLY);
  say(answer.headers.get("X-Regis-Lost") || `Saved as ${name}, with ${plural(sent.length, "square")} filled.`);
}

function paper(empty) {
  document.body.classList.toggle("empty", empty);
  window.print();
}

async function clear() {
  if (!(await sure("Clear the grid?", "All letters go. Undo brings them back."))) return;
  change(squares.map((square) => [square, null]));
  go(at, across);
}

function notes() {
  const lines = [puzzle.title, ...puzzle.about, puzzle.notes, ...puzzle.warnings].filter(Boolean);
  panel("About this puzzle", lines.map((line) => make("p", { dir: "auto" }, line)));
}

function help() {
  const known = [["Arrows", "move; across the entry they turn first"], ["Space", "turns"], ["Tab, Enter", "next clue; with Shift the one before"],
    ["Home, End", "first and last square of the entry"], ["Backspace, Delete", "erase"], ["Insert, Escape", "several letters in a square; A/B where both are right"],
    ["Ctrl Z, Ctrl Y", "undo, do again"], ["F6", "leaves the grid for the menus"]];
  panel("Keys", [make("dl", {}, ...known.flatMap(([key, does]) => [make("dt", {}, key), make("dd", {}, does)]))]);
}

function pencil() {
  const on = $("pencil").getAttribute("aria-pressed") !== "true";
  for (const button of document.querySelectorAll("[data-do=pencil]")) button.setAttribute("aria-pressed", on);
  say(on ? "What you type now is in pencil." : "");
}

async function stop() {
  if (!(await sure("End Regis?", "The program ends. What you typed is kept in this browser."))) return;
  await call("stop", "{}").catch(() => null);
  document.body.replaceChildren(make("p", { id: "ended", role: "status" },
    "Regis has ended. What you typed is kept in this browser; you may close this page."));
}

const DO = {
  "check-letter": () => check("letter"), "check-entry": () => check("entry"), "check-grid": () => check("grid"),
  "hint-entry": () => hint({ entry: named() }), "hint-grid": () => hint({}), narrow,
  "reveal-letter": () => reveal("letter"), "reveal-entry": () => reveal("entry"), "reveal-grid": () => reveal("grid"), why,
  notes, help, "save-puz": () => save("puz"), "save-ipuz": () => save("ipuz"), print: () => paper(false),
  "print-empty": () => paper(true), clear, pencil, undo: () => undo(past, future, 1), erase: () => erase(true),
  previous: () => step(-1), next: () => step(1), turn, rebus,
};

function astray(event) {                    // whether a key is meant for the grid, though the focus is elsewhere
  if (event.target.closest("#grid, dialog")) return false;
  return LETTER.test(event.key) || (event.target === document.body && /^(Arrow|Backspace|Delete)/.test(event.key));
}

function fold(which) { for (const menu of document.querySelectorAll("details.menu[open]")) if (which(menu)) menu.open = false; }

async function perform(action, back = false) {      // and then, if wanted, back to the grid
  try { await action(); } catch (error) { if (error.message) say(error.message); }
  if (back && at && !document.querySelector("dialog[open]")) at.element.focus({ preventScroll: true });
}

function tick() {
  const shown = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  $("timer").textContent = (paused ? "▶ " : "") + shown;
  $("timer").setAttribute("aria-label", `${shown}, ${paused ? "go on" : "pause"}`);
}

function keyboard(on) {
  $("keyboard").checked = on;
  $("keys").hidden = !on;
  document.body.classList.toggle("with-keys", on);
}

function start() {
  $("keys").replaceChildren(...ROWS.map((row) => make("div", {}, ...[...row].map((sign) => make("button", {
    type: "button", "data-key": KEYS[sign] ? null : sign, "data-do": KEYS[sign] ? KEYS[sign][1] : null,
    "aria-label": KEYS[sign] ? KEYS[sign][0] : null, title: KEYS[sign] ? KEYS[sign][0] : null,
    "aria-pressed": sign === "✎" ? "false" : null }, sign)))));
  keyboard(matchMedia("(pointer: coarse)").matches || innerWidth < 640);
  new ResizeObserver(() => {                // a longer clue may cover the square
    document.body.style.setProperty("--bar", $("bar").offsetHeight + "px");
    if (at && document.activeElement === at.element) inSight(at.element);
  }).observe($("bar"));
  $("grid").addEventListener("mousedown", (event) => event.preventDefault());  // a block takes no focus from the square
  $("grid").addEventListener("keydown", pressed);
  $("rebus").addEventListener("close", took);
  $("panel").addEventListener("close", () => { if (puzzle && at) at.element.focus({ preventScroll: true }); });
  $("file").addEventListener("change", () => upload($("file").files[0]));
  $("heat").addEventListener("change", () => perform(heat));
  $("downs").addEventListener("change", () => { document.body.classList.toggle("downs", $("downs").checked); announce(current()); });
  $("keyboard").addEventListener("change", () => keyboard($("keyboard").checked));
  $("timer").addEventListener("click", () => { paused = !paused; tick(); });
  $("stop").addEventListener("click", () => perform(stop));
  $("keys").addEventListener("mousedown", (event) => event.preventDefault());  // the square keeps the focus
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do], [data-key]");
    fold((menu) => !menu.contains(event.target) || (button && menu.contains(button)));
    if (!button || !puzzle) return;
    const back = event.detail > 0 || button.closest(".menu") !== null;   // who clicks goes on typing
    if (button.dataset.key) type(button.dataset.key); else perform(DO[button.dataset.do], back);
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.target.closest("details.menu[open]");
    if (event.key === "Escape" && menu) { menu.open = false; menu.querySelector("summary").focus(); }
    if (event.key === "F6" && event.target.closest("#tools") && at) { at.element.focus(); event.preventDefault(); }
    if (puzzle && at && astray(event)) { fold(() => true); pressed(event); }
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); upload(event.dataTransfer.files[0]); });
  addEventListener("hashchange", visit);
  addEventListener("afterprint", () => document.body.classList.remove("empty"));
  setInterval(() => {
    if (!puzzle || paused || document.hidden) return;
    seconds++;
    tick();
    if (seconds % 15 === 0 && letters.size) keep();
  }, 1000);
  visit();
}

start();
