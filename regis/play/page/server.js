/* One question to the server, one answer; what goes wrong is an Error with a sentence for the person. */
export const GONE = "Regis does not answer. What you typed is kept in this browser; start `regis play` again and open its page.";

export async function call(path, body, type) {
  const how = body === undefined ? {} : { method: "POST", body, headers: { "Content-Type": type || "application/json" } };
  let answer;
  try { answer = await fetch(path, how); } catch { throw new Error(GONE); }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Error(told.problem || (answer.status === 403 ? GONE : "Regis cannot do this now; try again."));
}

export async function json(path, body) { return (await call(path, body && JSON.stringify(body))).json(); }
