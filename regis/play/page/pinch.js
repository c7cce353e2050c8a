/* Two fingers enlarge the grid where it is; the clue and the keys keep their place. */
import { $ } from "./dom.js";

const MOST = 4;                             // times its width
let size = 1, start = null;                 // as it is; distance of the fingers and size when they came down

export function fitGrid() { size = 1; $("grid").style.width = ""; }

function moved(event) {
  if (event.touches.length !== 2) return;
  event.preventDefault();
  const [one, other] = event.touches, view = $("view"), { left, top } = view.getBoundingClientRect();
  const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  start ||= { apart, size };
  const before = size, x = (one.clientX + other.clientX) / 2 - left, y = (one.clientY + other.clientY) / 2 - top;
  size = Math.min(MOST, Math.max(1, start.size * apart / start.apart));
  $("grid").style.width = 100 * size + "%";
  view.scrollLeft += (view.scrollLeft + x) * (size / before - 1);   // what is between the fingers stays there
  scrollBy(0, y * (size / before - 1));
}

export function startPinch() {
  $("view").addEventListener("touchmove", moved, { passive: false });
  $("view").addEventListener("touchend", () => { start = null; });
}
