/* The puzzle that is open, and where the person is in it: one object that the other modules share, and what can be
   asked of it. A square knows its row, its column, its element and its places in entries; `letters` has of each square
   what is written there, { text, pencil, mark }. */
import { settings } from "./settings.js";

export const game = {
  puzzle: null,                             // what `describe_puzzle` says
  squares: [], at: null, across: true,
  letters: new Map(),
  past: [], future: [],                     // steps to undo and to redo, each [[square, before, after], ...]
  seconds: 0, paused: false, finished: false, pencil: false,
  counts: { hints: 0, revealed: 0, checks: 0 },
  stage: { stage: "waiting", said: "" },    // how far the solving is
  heat: false, sureness: null,              // whether the person wants to see how sure Regis is; of each square, once told
};

export function squareAt(row, column) { return game.squares.find((square) => square.row === row && square.column === column); }
export function entryAt(square, way) { const place = square && square.places[way]; return place && place.entry; }
export function current() { return entryAt(game.at, game.across); }
export function text(square) { const held = game.letters.get(square); return held ? held.text : ""; }
export function firstOpen(entry) { return entry.squares.find((square) => !text(square)) || entry.squares[0]; }
export function isFull() { return game.squares.length > 0 && game.squares.every(text); }

export function isLocked(square) {
  const held = game.letters.get(square);
  return game.finished || Boolean(settings.lock && held && (held.mark === "right" || held.mark === "told"));
}

export function currentName() {
  if (!current()) throw new Error("This square is in no entry.");
  return current().name;
}

export function filled() {
  return game.squares.flatMap((square) => text(square) ? [[square.row, square.column, text(square)]] : []);
}
