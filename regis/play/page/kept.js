/* What this browser keeps, by its names. One that keeps nothing, or something else's, has null there. */
export function keptNames() { try { return Object.keys(localStorage); } catch { return []; } }
export function kept(name) { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } }

export function setKept(name, value) {      // whether it is kept now
  try { localStorage.setItem(name, JSON.stringify(value)); return true; } catch { return false; }
}
