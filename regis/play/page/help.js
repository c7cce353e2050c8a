/* The help you can ask for: check, hint, reveal, why, how sure. Each tells that and no more. */
import { ask } from "./asking.js";
import { drawAll, drawSquare } from "./board.js";
import { go } from "./cursor.js";
import { asked, make, panel, percent, plural, say } from "./dom.js";
import { current, currentName, game, isOver, squareAt, text } from "./game.js";
import { keep } from "./storage.js";
import { change } from "./typing.js";

const SOON = 150;                           // milliseconds from a letter to its autocheck
const UNSURE = 0.9;                         // probability below which Regis is unsure

function squaresOf(which) {
  const here = game.at ? [game.at] : [];
  return which === "letter" ? here : which === "entry" ? (current() || { squares: here }).squares : game.squares;
}

function places(squares) { return squares.map((square) => [square.row, square.column]); }

function howSure(p) { return p === undefined ? "" : ` (${p ? percent(p) + " sure" : "not judged"})`; }   // a verdict of the file needs none

let waiting = 0;
export function autocheck() {               // marks letters as you type, without an undo step
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const squares = game.squares.filter((square) => text(square) && !game.letters.get(square).mark && !game.letters.get(square).pencil);
    if (!squares.length || isOver()) return;
    game.counts.auto = 1;
    const { verdicts, changed } = await ask("check", "", { cells: places(squares) }).catch(() => ({ verdicts: [] }));
    for (const { cell, verdict } of verdicts) {
      const square = squareAt(...cell);
      if (changed(square) || verdict === "unknown") continue;
      game.letters.set(square, { ...game.letters.get(square), mark: verdict });
      game.unsent.add(square);
      drawSquare(square);
    }
    keep();
  }, SOON);
}

export async function check(which) {
  const squares = squaresOf(which).filter(text);
  if (!squares.length) return say("There's no letter to check.");
  const { verdicts, changed } = await ask("check", "Checking", { cells: places(squares) });
  if (!verdicts.length) return say("Regis can't read what you typed there.");
  const counts = { right: 0, wrong: 0, unknown: 0 }, steps = [];
  for (const { cell: [row, column], verdict } of verdicts) {
    const square = squareAt(row, column);
    if (changed(square)) continue;
    counts[verdict]++;
    const held = game.letters.get(square);
    steps.push([square, { ...held, mark: held.mark === "told" && verdict !== "wrong" ? "told" : verdict }]);
  }
  if (!steps.length) return say("Your letters changed in the meantime; check again.");
  if (!game.finished) game.counts.checks++;
  change(steps);
  if (squares.length === 1) {
    const { cell, verdict, sure } = verdicts[0], letter = text(squareAt(...cell));
    return say(verdict === "unknown" ? `${letter} isn't judged, because Regis isn't sure.` : `${letter} is ${verdict}${howSure(sure)}.`);
  }
  say(`${plural(steps.length, "letter")}: ${counts.right} right, ${counts.wrong} wrong` +
    (counts.unknown ? `, ${counts.unknown} not judged.` : "."));
}

function write({ cells, changed }) { // the server's letters, except where you typed meanwhile
  const steps = cells.map(({ cell: [row, column], letter }) => {
    const square = squareAt(row, column), stays = changed(square) || text(square) === letter;
    return [square, stays ? game.letters.get(square) || null : { text: letter, pencil: false, mark: "told" }];
  });
  game.counts.shown += steps.filter(([square, held]) => held && held.text !== text(square)).length;
  change(steps);
}

export async function hint(about) {
  const told = await ask("hint", "Looking for a hint", about);
  say(told.said);
  if (!told.cells) return;
  write(told);
  const [row, column] = told.cells[0].cell;
  go(squareAt(row, column), told.entry.endsWith("A"));
}

export async function narrow() {
  const told = await ask("narrow", "Looking for a few answers", { entry: currentName() });
  if (!game.finished) game.counts.lists++;
  keep();
  say("");
  panel(`A few answers to ${told.entry}`, [make("p", {}, told.said),
    make("ul", {}, ...told.answers.map((answer) => make("li", {}, answer)))]);
}

export async function reveal(which) {
  if (which === "grid" && !(await asked("Reveal the whole grid?", "This fills every empty or wrong square."))) return;
  const squares = squaresOf(which), told = await ask("reveal", "Revealing", { cells: places(squares) }), { cells } = told;
  if (!cells.length) return say("Regis has no letter to reveal.");
  const least = cells.some((one) => one.sure === undefined) ? undefined : Math.min(...cells.map((one) => one.sure));
  const missing = squares.length - cells.length, letters = plural(cells.length, "letter") + " revealed";
  say(cells.length === 1 ? `It's ${cells[0].letter}${howSure(least)}.`
    : letters + (least === undefined ? "." : `; the least sure is ${least ? percent(least) + " sure" : "not judged"}.`) +
      (missing ? ` Regis has none for ${missing}.` : ""));
  if (which === "grid" && !game.finished) game.counts.all = 1;
  write(told);
}

export async function why() {
  const told = await ask("why", "Looking for reasons", { entry: currentName() });
  say("");
  const rivals = told.candidates.map((one) => make("li", {}, make("b", {}, one.answer),
    ` ${percent(one.sure)} with the crossings, ${percent(one.alone)} from the clue alone`,
    make("ul", {}, ...one.reasons.map((reason) => make("li", {}, reason)))));
  const crossings = told.crossings.map((one) => make("li", {}, make("b", {}, one.letter), one.entry
    ? ` ${one.entry} makes likely: ${one.heard || "no letter more than others"}` : " nothing crosses here"));
  const details = make("details", { id: "details" }, make("summary", {}, "Details"), make("p", {}, told.whole),
    make("h3", {}, "Answers"), make("ol", {}, ...rivals));
  if (told.missing >= 0.01) details.append(make("p", {}, `${percent(told.missing)} for an answer that isn't in any list.`));
  details.append(make("h3", {}, "Crossings"), make("ol", {}, ...crossings));
  panel(`${told.entry}: ${told.answer}`, [make("p", {}, told.said), details]);
}

export async function heat(wanted) {
  game.heat = wanted;
  game.sureness = null;
  keep();
  if (wanted) {
    const told = await ask("heat", "Checking how sure Regis is");
    if (!game.heat) return;                 // switched off meanwhile
    game.sureness = new Map(told.sure.map(([row, column, p]) => [row + "," + column, p]));
    const unsure = told.sure.filter(([, , p]) => p < UNSURE).length;
    say(unsure ? `Regis is less than 90% sure of ${plural(unsure, "square")}. A longer bar means less sure.`
      : "Regis is at least 90% sure of every square.");
  } else say("");
  drawAll();
}
