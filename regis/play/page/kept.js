/* This browser's storage, by key. What can't be read is null. */
export function keptNames() { try { return Object.keys(localStorage); } catch { return []; } }
export function kept(name) { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } }

export function setKept(name, value) {      // whether it was stored
  try { localStorage.setItem(name, JSON.stringify(value)); return true; } catch { return false; }
}
