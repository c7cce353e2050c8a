/* The page of `regis play`. It has the puzzle as it is on paper and what you typed, and asks the server one question at
   a time. This module opens puzzles and wires up the buttons. */
import { follow } from "./asking.js";
import { build, drawAll } from "./board.js";
import { listPuzzles, search } from "./chooser.js";
import { showTime, startClock } from "./clock.js";
import { announce, go, pick, step, tap, turn } from "./cursor.js";
import { $, asked, buildPanel, inSight, make, panel, say, shut } from "./dom.js";
import { look } from "./ending.js";
import { NO_HELP, current, currentName, firstOpen, game, isOver, squareAt } from "./game.js";
import { check, heat, hint, narrow, reveal, why } from "./help.js";
import { isDoubtful, showMender } from "./mend.js";
import { layOut, print, printSolution, save, takeOff } from "./paper.js";
import { call, json } from "./server.js";
import { onSetting, recallSettings, settings, showSettings } from "./settings.js";
import { statistics } from "./statistics.js";
import { keep, nameOf, olderVersion, recall, recallKept } from "./storage.js";
import { forget, startSync, sync } from "./sync.js";
import { buildKeys, fitGrid, startPinch } from "./touch.js";
import { LETTER, change, endRebus, erase, pressed, rebus, redo, type, undo } from "./typing.js";

const KEY_LIST = $("what-keys-do");         // part of the page, shown in the panel
let wasShown = false;                       // whether the list or a puzzle was shown
let visits = 0;                             // the number of requests for a puzzle: only the last counts

async function choose() {
  leave();
  document.title = "Regis";
  $("title").textContent = "Choose a puzzle";
  $("about").textContent = $("state").textContent = $("state").className = "";
  $("chooser").hidden = false;
  $("player").hidden = true;
  game.puzzle = null;
  showTime();
  const mine = visits;
  listPuzzles();
  try {
    const known = await json("puzzles");
    if (mine !== visits) return;            // a puzzle was opened meanwhile
    listPuzzles(known);
    if (known.named.length === 1 && !wasShown) location.hash = known.named[0].id;
    wasShown = true;
  } catch (error) { if (mine === visits) tellProblem(error); }
}

function leave() {                          // drops open questions about a puzzle
  sync();
  shut();
  $("mender").close();
  endRebus(false);
}

function tellProblem(error) { if (game.puzzle) say(error.message); else $("problem").textContent = error.message; }

async function upload(file) {
  if (!file) return;
  $("problem").textContent = "";
  const mine = ++visits;
  try {
    const opened = await json("puzzles?name=" + encodeURIComponent(file.name), file);
    if (mine === visits) begin(opened);
  } catch (error) { tellProblem(error); }
  $("file").value = "";
}

async function visit() {
  const name = location.hash.slice(1), mine = ++visits;
  if (!name) return choose();
  if (game.puzzle && game.puzzle.id === name) return;
  try {
    const opened = await json("puzzles/" + encodeURIComponent(name));
    if (mine === visits) begin(opened);
  } catch (error) {
    if (mine !== visits) return;
    location.hash = "";
    await choose();
    if (!game.puzzle) tellProblem(error);
  }
}

function begin(puzzle) {
  leave();
  wasShown = true;
  $("problem").textContent = "";
  Object.assign(game, { puzzle, looked: "", past: [], future: [], sureness: null, at: null, heat: false, pencil: false });
  document.title = puzzle.title + " · Regis";
  $("title").textContent = puzzle.title;
  $("about").textContent = puzzle.about.join(" · ");
  $("chooser").hidden = true;
  $("player").hidden = false;
  if (location.hash.slice(1) !== puzzle.id) history.pushState(null, "", "#" + puzzle.id);
  build(tap, pick);
  fitGrid();
  const held = recallKept(), [row, column, across] = (held && held.at) || [];
  drawAll();
  setPencil(Boolean(held && held.pencil));
  $("heat").checked = Boolean(held && held.heat);
  say(isOver() ? "You finished this puzzle." : puzzle.warnings.join(" "));
  showTime();
  const first = puzzle.entries[0], left = row === undefined ? null : squareAt(row, column);
  if (left) go(left, across);
  else if (first) go(firstOpen(first), first.across);
  else if (game.squares.length) go(game.squares[0], true);
  follow(puzzle.state);
  if ($("heat").checked) perform(() => heat(true));
  look();
  sync();
  $("mend").hidden = !puzzle.paper;
  if (!held && isDoubtful(puzzle)) showMender(begin); else if (!held) takeOver();
}

async function takeOver() {                 // letters typed before the file changed
  const { puzzle } = game, older = olderVersion();
  if (!older) return;
  const isWanted = await asked("This file has changed", "You started an older version. Keep the letters you typed?");
  if (game.puzzle !== puzzle) return;
  if (isWanted) recall({ ...older, finished: "", number: 0, round: 0, unsent: older.letters });
  drawAll();
  keep();
  look();
}

addEventListener("storage", (event) => {   // the same puzzle in another tab: letters typed there appear here
  if (!game.puzzle || event.key !== nameOf(game.puzzle) || !event.newValue) return;
  const { letters, unsent } = game;         // each tab sends its own, and the other tab's copy may be older
  recallKept();
  game.unsent = unsent;
  for (const square of unsent) {
    const own = letters.get(square);
    if (own) game.letters.set(square, own); else game.letters.delete(square);
  }
  drawAll();
  showTime();
  forget(new Set(game.squares.filter((square) => JSON.stringify(game.letters.get(square)) !== JSON.stringify(letters.get(square)))));
});

async function clear() {
  if (!(await asked("Clear the grid?", "This erases all letters. You can undo it."))) return;
  if (game.finished) Object.assign(game, { finished: "", seconds: 0, round: game.round + 1, counts: { ...NO_HELP } });
  game.looked = "";
  change(game.squares.map((square) => [square, null]));
  say("");
  showTime();
  go(game.at, game.across);
}

function notes() {
  const { title, about, notes: said, warnings } = game.puzzle;
  panel("About this puzzle", [title, ...about, said, ...warnings].filter(Boolean).map((line) => make("p", { dir: "auto" }, line)));
}

function help() { panel("Keyboard shortcuts", [KEY_LIST]); }

function setPencil(isOn) {
  game.pencil = isOn;
  for (const button of document.querySelectorAll("[data-do=pencil]")) button.setAttribute("aria-pressed", isOn);
}

function pencil() {
  setPencil(!game.pencil);
  if (game.letters.size) keep();
  say(game.pencil ? "You're typing in pencil." : "");
}

async function stop() {
  if (!(await asked("Quit Regis?", "This stops the program. Your letters are saved."))) return;
  await call("stop", {}).catch(() => null);
  document.body.replaceChildren(make("p", { id: "ended", role: "status" },
    "Regis has stopped. Your letters are saved. You can close this page."));
}

const DO = {
  "check-letter": () => check("letter"), "check-entry": () => check("entry"), "check-grid": () => check("grid"),
  "hint-entry": () => hint({ entry: currentName() }), "hint-grid": () => hint({}), narrow,
  "reveal-letter": () => reveal("letter"), "reveal-entry": () => reveal("entry"), "reveal-grid": () => reveal("grid"), why,
  mend: () => showMender(begin), notes, help, "save-puz": () => save("puz"), "save-ipuz": () => save("ipuz"), print: () => print(false),
  "print-empty": () => print(true), "print-solution": printSolution, clear, pencil, undo, redo, erase: () => erase(true), previous: () => step(-1),
  next: () => step(1), turn, rebus,
};
const DO_ANYWHERE = { settings: showSettings, statistics, stop };

function isAstray(event) {                  // whether a key is for the grid though the focus is elsewhere
  if (event.target.closest("#grid, dialog")) return false;
  return LETTER.test(event.key) || (event.target === document.body && /^(Arrow|Backspace|Delete)/.test(event.key));
}

function fold(which) { for (const menu of document.querySelectorAll("details.menu[open]")) if (which(menu)) menu.removeAttribute("open"); }

function toGrid() {
  if (game.puzzle && game.at && !$("letters") && !document.querySelector("dialog[open]")) game.at.element.focus({ preventScroll: true });
}

async function perform(action, back = false) {      // then returns to the grid if asked
  try { await action(); } catch (error) { if (error.message) say(error.message); }
  if (back) toGrid();
}

function clicked(event) {
  const button = event.target.closest("[data-do], [data-key]");
  fold((menu) => !menu.contains(event.target) || (button && menu.contains(button)));
  if (!button) return;
  const name = button.dataset.do;
  if (DO_ANYWHERE[name]) return perform(DO_ANYWHERE[name]);
  if (!game.puzzle) return;
  const back = event.detail > 0 || button.closest(".menu") !== null;   // after a click, you continue typing
  if (button.dataset.key) type(button.dataset.key); else perform(DO[name], back);
}

function inMenu(event, menu) {              // up and down within a menu, left and right to the others
  const by = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const isAlong = event.key === "ArrowDown" || event.key === "ArrowUp";
  const all = [...(isAlong ? menu.querySelectorAll("button:not([hidden]), input") : $("tools").querySelectorAll("summary"))];
  const at = all.indexOf(isAlong ? document.activeElement : menu.querySelector("summary"));
  const next = all.at(at < 0 && by < 0 ? -1 : (at + by) % all.length), isOpen = menu.open;
  fold(() => true);
  if (isAlong || isOpen) next.closest("details").open = true;
  next.focus();
  event.preventDefault();
}

function keyed(event) {
  const menu = event.target.closest("details.menu");
  if (event.key === "Escape" && menu) { menu.open = false; menu.querySelector("summary").focus(); } else if (menu) inMenu(event, menu);
  if (event.key === "F6" && event.target.closest("#tools") && game.at) { game.at.element.focus(); event.preventDefault(); }
  if (game.puzzle && game.at && isAstray(event)) { fold(() => true); pressed(event); }
}

function showSetting() {
  document.body.classList.toggle("downs", settings.downs);
  document.body.classList.toggle("with-keys", settings.keys);
  showTime();
  if (game.puzzle && current()) announce();
}

function start() {
  recallSettings({ keys: matchMedia("(pointer: coarse)").matches || innerWidth < 640 });
  buildKeys();
  onSetting(showSetting);
  showSetting();
  startClock();
  new ResizeObserver(() => {                // a longer clue may cover the square
    document.body.style.setProperty("--bar", $("bar").offsetHeight + "px");
    if (game.at && document.activeElement === game.at.element) inSight(game.at.element);
  }).observe($("bar"));
  for (const id of ["grid", "keys"]) $(id).addEventListener("mousedown", (event) => event.preventDefault());  // the square keeps the focus
  $("grid").addEventListener("keydown", pressed);
  buildPanel();
  startPinch();
  startSync();
  $("panel").addEventListener("shut", toGrid);
  $("file").addEventListener("change", () => upload($("file").files[0]));
  $("search").addEventListener("input", () => search($("search").value));
  $("sort").addEventListener("change", () => { listPuzzles(); search($("search").value); });
  $("heat").addEventListener("change", () => perform(() => heat($("heat").checked)));
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", keyed);
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); upload(event.dataTransfer.files[0]); });
  addEventListener("hashchange", visit);
  addEventListener("beforeprint", layOut);
  addEventListener("afterprint", takeOff);
  visit();
}

start();
