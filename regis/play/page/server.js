/* One question to the server, one answer; what goes wrong is an Error with a sentence for the person. */
export const GONE = "Regis doesn't answer. Your letters are saved in this browser. Start `regis play` again and open its page.";

const MOST = 30_000;                        // characters that a browser sends after a page is closed

export async function call(path, sent) {    // sent: a file, or what is sent as JSON
  const isFile = sent instanceof Blob, kind = isFile ? "application/octet-stream" : "application/json";
  /** @type {any} */
  const body = isFile ? sent : JSON.stringify(sent);
  const keepalive = !isFile && sent && body.length < MOST;   // though the page is closed
  const how = sent === undefined ? {} : { method: "POST", body, keepalive, headers: { "Content-Type": kind } };
  let answer;
  try { answer = await fetch(path, how); } catch { throw new Error(GONE); }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Error(told.problem || (answer.status === 403 ? GONE : "Regis cannot do this now; try again."));
}

export async function json(path, body) { return (await call(path, body)).json(); }
