/* How far solving is, and questions to the solved puzzle: acknowledged at once, answered when possible. */
import { $, say } from "./dom.js";
import { filled, game, text } from "./game.js";
import { json } from "./server.js";

const AGAIN = 400, SLOWLY = 3000;           // milliseconds between polls
let polls = 0;                              // the number of polls: only the last counts

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
  const stay = () => { if (!game.puzzle || game.puzzle.id !== asked) throw new Error(""); };   // another puzzle is open
  const from = async (path, body) => { try { return await json(`puzzles/${asked}${path}`, body); } finally { stay(); } };
  let tried = false;
  const isReady = () => game.stage.stage === "solved" || game.puzzle.judged.includes(what);   // the file itself may answer
  if (doing) say(isReady() ? `${doing} ...` : `${doing} ... Regis is still solving; the answer comes when it's done.`);
  while (!isReady()) {
    if (game.stage.slowly || (tried && game.stage.stage === "failed")) throw new Error(game.stage.said);
    if (game.stage.stage === "failed") {
      tried = true;
      follow((await from("")).state);       // this starts solving again
    }
    await new Promise((wake) => setTimeout(wake, AGAIN / 2));
    stay();
  }
  const before = new Map(game.letters);
  try {
    const told = await from("/ask/" + what, { letters: filled(), ...about });
    return { ...told, changed: (square) => text(square) !== (before.get(square)?.text || "") };
  } catch (error) {
    stay();
    follow(await from("/state"));           // it may need to be solved again
    throw error;
  }
}
