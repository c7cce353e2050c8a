/* Your statistics: puzzles solved by size and weekday, times, streaks. */
import { make, panel, plural, time } from "./dom.js";
import { json } from "./server.js";

export async function statistics() {
  const { rows, streak, longest } = await json("statistics").catch((error) => ({ rows: [], streak: 0, longest: 0, error }));
  const head = ["Size", "Day", "Solved", "Median", "Best"].map((name) => make("th", { scope: "col" }, name));
  const lines = rows.map(({ size, day, solved, median, best }) => make("tr", {},
    ...[size, day, String(solved), time(Math.round(median)), time(best)].map((shown) => make("td", {}, shown))));
  panel("Statistics", rows.length ? [make("p", {}, `Streak: ${plural(streak, "day")}. Longest: ${plural(longest, "day")}.`),
    make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines)),
    make("p", { class: "soft" }, "A puzzle counts once, if no letter was shown.")] : [make("p", {}, "You haven't solved a puzzle without help yet.")]);
}
