/* The clock: plain text that a click stops; it stands still while the page is hidden and once the puzzle is solved. */
import { $, time } from "./dom.js";
import { game } from "./game.js";
import { settings } from "./settings.js";
import { keep } from "./storage.js";

const KEEP_EVERY = 15;                      // seconds after which the time is kept, though nobody types

export function showTime() {
  const shown = time(game.seconds), stands = game.paused && !game.finished;
  $("timer").hidden = !game.puzzle || !settings.clock;
  $("timer").textContent = stands ? `${shown} paused` : shown;
  $("timer").setAttribute("aria-label", game.finished ? `${shown}, finished` : `${shown}, ${stands ? "go on" : "pause"}`);
}

export function startClock() {
  $("timer").addEventListener("click", () => { game.paused = !game.paused; showTime(); });
  setInterval(() => {
    if (!game.puzzle || game.paused || game.finished || document.hidden) return;
    game.seconds++;
    showTime();
    if (game.seconds % KEEP_EVERY === 0 && game.letters.size) keep();
  }, 1000);
}
