/* What this browser stores of each puzzle after every letter: letters, cursor, pencil, heat map, clock, help taken. */
import { NO_HELP, OVER, game, squareAt } from "./game.js";
import { kept, keptNames, setKept } from "./kept.js";
import { syncSoon } from "./sync.js";

const KEEP = "regis.";                      // starts the keys of puzzles
const SOON = 400;                           // milliseconds until a resting cursor is stored

export function keptPuzzles() {             // [id, what is stored], latest first
  /** @type {[string, any][]} */
  const found = keptNames().filter((name) => name.startsWith(KEEP)).map((name) => [name.slice(KEEP.length), kept(name)]);
  return found.filter(([, one]) => Array.isArray(one?.letters)).sort((one, other) => other[1].changed - one[1].changed);
}

export function olderVersion() {            // what is stored of a different file with this name and shape
  return keptPuzzles().find(([id, { letters, file, rows }]) => id !== game.puzzle.id && letters.length &&
    file === game.puzzle.file && String(rows) === String(game.puzzle.rows))?.[1];
}

export function nameOf(puzzle) { return KEEP + puzzle.id; }

export function writtenLetters() {          // everything typed, as it's stored
  return game.squares.flatMap((square) => {
    const held = game.letters.get(square);
    return held ? [[square.row, square.column, held.text, held.pencil, held.mark]] : [];
  });
}

export function keep(isNew = true) {        // whether this browser stored it; news goes to the server, too
  const { puzzle, squares, at, across, pencil, heat, seconds, finished, counts, round, number } = game;
  if (isNew) syncSoon();
  return setKept(nameOf(puzzle), { title: puzzle.title, file: puzzle.file, rows: puzzle.rows, squares: squares.length, letters: writtenLetters(),
    seconds, finished, counts, round, number, pencil, heat, unsent: [...game.unsent].map(({ row, column }) => [row, column]),
    at: at && [at.row, at.column, across], changed: Date.now() });
}

let waiting = 0;
export function keepSoon() {
  const { puzzle } = game;
  clearTimeout(waiting);
  waiting = setTimeout(() => { if (game.puzzle === puzzle && game.letters.size) keep(); }, SOON);
}

export function recall(held) {              // letters and clock from the store, or else from the file
  const typed = held ? held.letters : game.puzzle.given.map(([row, column, content]) => [row, column, content, false, ""]);
  game.letters = new Map();
  for (const [row, column, content, pencil, mark] of typed) {
    const square = squareAt(row, column);
    if (square) game.letters.set(square, { text: content, pencil, mark });
  }
  game.unsent = new Set((held ? held.unsent || held.letters : []).map(([row, column]) => squareAt(row, column)).filter(Boolean));
  game.number = held?.number || 0;
  game.round = held?.round || 0;
  game.seconds = held?.seconds || 0;
  game.finished = held?.finished || "";
  game.counts = { ...NO_HELP, ...held?.counts };
  return held;
}

export function recallKept() {
  try { return recall(kept(nameOf(game.puzzle))); } catch { return recall(null); }   // another program's value
}

export function raise({ seconds, round, finished, counts }) {   // catches up with another browser: a later round, or more of this one
  if (round < game.round) return;
  if (round > game.round) Object.assign(game, { round, seconds: 0, finished: "", counts: { ...NO_HELP } });
  game.seconds = Math.max(game.seconds, seconds);
  for (const name of Object.keys(NO_HELP)) game.counts[name] = Math.max(game.counts[name], counts[name] || 0);
  if (OVER.includes(finished)) game.finished = finished;
}
