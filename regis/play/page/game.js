/** The puzzle that is open, and where the person is in it: one object that the other modules share, and what can be
   asked of it.

   @typedef {{ text: string, pencil: boolean, mark: string }} Held        what is written in a square
   @typedef {{ entry: Entry, i: number }} Place                           of a square in an entry
   @typedef {{ row: number, column: number, element: HTMLElement, letter: HTMLElement, places: Map<boolean, Place>,
     marks: string[] }} Square                                            its places by whether they are across
   @typedef {{ name: string, number: string, called: string, across: boolean, clue: string, refers: string[],
     squares: Square[], button: HTMLElement }} Entry */
import { settings } from "./settings.js";

export const game = {
  /** @type {any} */ puzzle: null,          // what `describe_puzzle` says
  /** @type {Square[]} */ squares: [], /** @type {Square | null} */ at: null, across: true,
  /** @type {Map<Square, Held>} */ letters: new Map(),
  looked: "",                               // the grid that was looked at last when it was full, so that each is looked at once
  past: [], future: [],                     // steps to undo and to redo, each [[square, before, after], ...]
  seconds: 0, paused: false, pencil: false,
  finished: "",                             // how it ended: solved, helped, revealed; full where nobody judged all of it
  /** @type {Set<Square>} */ unsent: new Set(),   // squares that the server does not know as they are
  number: 0, round: 0,                      // of the server's last change that is known; how often it was started over
  /** @type {Record<string, number>} */ counts: {},   // of help taken, as `NO_HELP` has it
  stage: { stage: "waiting", said: "" },    // how far the solving is
  heat: false,                              // whether the person wants to see how sure Regis is
  /** @type {Map<string, number> | null} */ sureness: null,   // of each square, once told
};

export const NO_HELP = { shown: 0, lists: 0, checks: 0, auto: 0, all: 0 };   // auto: checked while typing; all: the grid revealed

/** @type {(square: Square, way: boolean) => Entry | undefined} */
export const entryAt = (square, way) => square?.places.get(way)?.entry;
/** @type {(square: Square) => string} */
export const text = (square) => game.letters.get(square)?.text || "";

export function squareAt(row, column) { return game.squares.find((square) => square.row === row && square.column === column); }
export function current() { return entryAt(game.at, game.across); }
export function firstOpen(entry) { return entry.squares.find((square) => !text(square)) || entry.squares[0]; }
export function isFull() { return game.squares.length > 0 && game.squares.every(text); }

export const OVER = ["solved", "helped", "revealed"];   // how a puzzle ends
export function isOver() { return OVER.includes(game.finished); }

export function isLocked(square) {
  const held = game.letters.get(square);
  return isOver() || Boolean(settings.lock && held && (held.mark === "right" || held.mark === "told"));
}

export function currentName() {
  if (!current()) throw new Error("This square is in no entry.");
  return current().name;
}

export function filled() { return game.squares.filter(text).map((square) => [square.row, square.column, text(square)]); }
