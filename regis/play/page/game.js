/** The open puzzle, and where you are in it: one object that the other modules share, and functions on it.

   @typedef {{ text: string, pencil: boolean, mark: string }} Held        a square's content
   @typedef {{ entry: Entry, i: number }} Place                           a square's place in an entry
   @typedef {{ row: number, column: number, element: HTMLElement, letter: HTMLElement, places: Map<boolean, Place>,
     marks: string[] }} Square                                            places by whether they are across
   @typedef {{ name: string, number: string, called: string, across: boolean, clue: string, refers: string[],
     squares: Square[], button: HTMLElement }} Entry */
import { settings } from "./settings.js";

export const game = {
  /** @type {any} */ puzzle: null,          // its description by `describe_puzzle`
  /** @type {Square[]} */ squares: [], /** @type {Square | null} */ at: null, across: true,
  /** @type {Map<Square, Held>} */ letters: new Map(),
  looked: "",                               // the last full grid that was checked, so that each is checked once
  past: [], future: [],                     // steps to undo and redo, each [[square, before, after], ...]
  seconds: 0, paused: false, pencil: false,
  finished: "",                             // how it ended: solved, helped, revealed; full if not all of it was judged
  /** @type {Set<Square>} */ unsent: new Set(),   // squares whose contents the server doesn't know
  number: 0, round: 0,                      // of the server's last known change; of restarts
  /** @type {Record<string, number>} */ counts: {},   // help taken, with the keys of `NO_HELP`
  stage: { stage: "waiting", said: "" },    // how far solving is
  heat: false,                              // whether to show how sure Regis is
  /** @type {Map<string, number> | null} */ sureness: null,   // of each square, once known
};

export const NO_HELP = { shown: 0, lists: 0, checks: 0, auto: 0, all: 0 };   // auto: autocheck; all: the grid was revealed

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
  if (!current()) throw new Error("This square isn't part of an answer.");
  return current().name;
}

export function filled() { return game.squares.filter(text).map((square) => [square.row, square.column, text(square)]); }
