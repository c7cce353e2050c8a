/* Progress goes to the server, which keeps it for all your browsers, and returns what you typed in another one. */
import { drawSquare } from "./board.js";
import { showTime } from "./clock.js";
import { say } from "./dom.js";
import { look } from "./ending.js";
import { game, squareAt } from "./game.js";
import { json } from "./server.js";
import { keep, raise } from "./storage.js";

const SOON = 300, OFTEN = 3000;             // milliseconds from a letter until it's sent; between requests
let waiting = 0, isBusy = false;
let toldOf = null;                          // the puzzle of the last warning: one is enough

export function syncSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(sync, SOON);
}

export async function sync() {
  const { puzzle, unsent, letters, squares } = game;
  if (!puzzle || isBusy) return;
  const sent = squares.filter((square) => unsent.has(square)), before = new Map(letters);
  const body = { since: game.number, seconds: game.seconds, round: game.round, finished: game.finished, counts: game.counts,
    squares: sent.map((square) => {
      const { text = "", pencil = false, mark = "" } = before.get(square) || {};
      return [square.row, square.column, text, pencil, mark];
    }) };
  isBusy = true;
  try {
    const told = await json(`puzzles/${puzzle.id}/progress`, body);
    if (game.puzzle !== puzzle) return;
    for (const square of sent) if (game.letters.get(square) === before.get(square)) game.unsent.delete(square);
    if (told.number < body.since) for (const square of game.letters.keys()) game.unsent.add(square);   // the server's copy was deleted
    take(told);
    if (!keep(false) && !told.kept && game.letters.size && toldOf !== puzzle) {
      toldOf = puzzle;
      say("Neither this browser nor Regis can save your letters. Save them as .puz or .ipuz.");
    }
  } catch { if (game.puzzle === puzzle) keep(false); } finally { isBusy = false; }   // it's sent later
}

function take(told) {                       // letters typed elsewhere; only unsent ones here are newer
  const changed = new Set();
  for (const [row, column, content, pencil, mark] of told.squares) {
    const square = squareAt(row, column);
    if (!square || game.unsent.has(square)) continue;
    if (content) game.letters.set(square, { text: content, pencil, mark }); else game.letters.delete(square);
    changed.add(square);
  }
  game.number = told.number;
  raise(told);
  changed.forEach(drawSquare);
  showTime();
  forget(changed);
  if (changed.size) look();
}

export function forget(changed) {           // steps on squares that changed elsewhere can't be undone here
  const isOwn = (steps) => !steps.some(([square]) => changed.has(square));
  game.past = game.past.filter(isOwn);
  game.future = game.future.filter(isOwn);
}

export function startSync() {
  setInterval(() => { if (!document.hidden) sync(); }, OFTEN);
  addEventListener("focus", sync);
  addEventListener("pagehide", sync);
}
