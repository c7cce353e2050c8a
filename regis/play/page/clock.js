/* The clock. A click or leaving the tab pauses it; a pause covers the puzzle. */
import { $, make, panel, time } from "./dom.js";
import { game } from "./game.js";
import { settings } from "./settings.js";
import { keep } from "./storage.js";

const KEEP_EVERY = 15;                      // seconds between saves of the time

export function showTime() {
  const shown = time(game.seconds);
  $("timer").hidden = !game.puzzle || !settings.clock;
  $("timer").textContent = shown;
  $("timer").setAttribute("aria-label", `${shown}, ${game.finished ? "finished" : "pause"}`);
}

async function pause() {
  const { puzzle } = game;
  if (!puzzle || game.paused || game.finished) return;
  game.paused = true;
  document.body.classList.add("paused");
  await panel("Paused", [make("p", {}, `${puzzle.title}, ${time(game.seconds)}`)], "", "Continue");
  document.body.classList.remove("paused");
  game.paused = false;
}

export function startClock() {
  $("timer").addEventListener("click", pause);
  document.addEventListener("visibilitychange", () => { if (document.hidden && settings.clock) pause(); });
  setInterval(() => {
    if (!game.puzzle || game.paused || game.finished || document.hidden) return;
    game.seconds++;
    showTime();
    if (game.seconds % KEEP_EVERY === 0 && game.letters.size) keep();
  }, 1000);
}
