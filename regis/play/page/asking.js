/* How far the solving is, and one question to what was solved: said at once that it is asked, answered when it can be. */
import { $, say } from "./dom.js";
import { filled, game, text } from "./game.js";
import { json } from "./server.js";

const AGAIN = 400, SLOWLY = 3000;           // milliseconds until the server is asked again how far it is
let polls = 0;                              // how often the server was asked how far it is: only the last counts

export function follow(told) {
  game.stage = told;
  const mine = game.puzzle.id, poll = ++polls;
  $("state").textContent = told.said;
  $("state").className = told.stage;
  if (told.stage === "solved" || told.stage === "failed") return;
  setTimeout(async () => {
    const isLast = () => game.puzzle && game.puzzle.id === mine && poll === polls;
    if (!isLast()) return;
    let next;
    try { next = await json(`puzzles/${mine}/state`); } catch (error) {
      next = { stage: "waiting", said: error.message, slowly: true };
    }
    if (isLast()) follow(next);
  }, told.slowly ? SLOWLY : AGAIN);
}

export async function ask(what, doing, about = {}) {
  const asked = game.puzzle.id;
  const stay = () => { if (!game.puzzle || game.puzzle.id !== asked) throw new Error(""); };   // it is no answer to what is open
  let tried = false;
  say(game.stage.stage === "solved" ? `${doing} ...` : `${doing} ... Regis is still at work; the answer comes when it is ready.`);
  while (game.stage.stage !== "solved") {
    if (game.stage.slowly || (tried && game.stage.stage === "failed")) throw new Error(game.stage.said);
    if (game.stage.stage === "failed") {
      tried = true;
      const { state } = await json("puzzles/" + asked);    // which has it solved again
      stay();
      follow(state);
    }
    await new Promise((wake) => setTimeout(wake, AGAIN / 2));
    stay();
  }
  const sent = filled(), before = new Map(sent.map(([row, column, typed]) => [row + "," + column, typed]));
  let told;
  try { told = await json(`puzzles/${asked}/ask/${what}`, { letters: sent, ...about }); } catch (error) {
    stay();
    const state = await json(`puzzles/${asked}/state`);    // it may have to be solved once more
    stay();
    follow(state);
    throw error;
  }
  stay();
  told.changed = (square) => text(square) !== (before.get(square.row + "," + square.column) || "");
  return told;
}
