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
  const from = async (path, body) => { try { return await json(`puzzles/${asked}${path}`, body); } finally { stay(); } };
  let tried = false;
  const isReady = () => game.stage.stage === "solved" || game.puzzle.judged.includes(what);   // the file itself may answer
  if (doing) say(isReady() ? `${doing} ...` : `${doing} ... Regis is still at work; the answer comes when it is ready.`);
  while (!isReady()) {
    if (game.stage.slowly || (tried && game.stage.stage === "failed")) throw new Error(game.stage.said);
    if (game.stage.stage === "failed") {
      tried = true;
      follow((await from("")).state);       // which has it solved again
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
    follow(await from("/state"));           // it may have to be solved once more
    throw error;
  }
}
