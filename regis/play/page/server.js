/* Requests to the server; a failure is an Error with a sentence for you. */
export const GONE = "Regis isn't answering. Your letters are saved in this browser. Run `regis play` again and open its page.";

const MOST = 30_000;                        // characters that a browser sends after its page closes

export async function call(path, sent) {    // sent: a file, or a value for JSON
  const isFile = sent instanceof Blob, kind = isFile ? "application/octet-stream" : "application/json";
  /** @type {any} */
  const body = isFile ? sent : JSON.stringify(sent);
  const keepalive = !isFile && sent && body.length < MOST;   // even if the page closes
  const how = sent === undefined ? {} : { method: "POST", body, keepalive, headers: { "Content-Type": kind } };
  let answer;
  try { answer = await fetch(path, how); } catch { throw new Error(GONE); }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Error(told.problem || (answer.status === 403 ? GONE : "Regis can't do this now; try again."));
}

export async function json(path, body) { return (await call(path, body)).json(); }
