// The calls of the server, on the same machine; what goes wrong becomes one sentence.

const TOKEN = "understandability-token";

// The server that gave this script, also where another site's page holds it.
const HOME = new URL("..", import.meta.url);

export class ServerError extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

export function useToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

async function send(path, body, type) {
  const headers = { "Content-Type": type };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  let reply;
  try {
    reply = await fetch(new URL(path, HOME), { method: "POST", body, headers });
  } catch {
    throw new ServerError(0, "The server does not answer; is understand serve still running?");
  }
  if (reply.ok) return reply;
  const answer = await reply.json().catch(() => ({}));
  throw new ServerError(reply.status, answer.error || `The server answered ${reply.status}.`);
}

const sendJson = (path, message) => send(path, JSON.stringify(message), "application/json");

export async function explain(text, reader, steps, english) {
  const reply = await sendJson("v1/explain", { text, reader, steps, english });
  return (await reply.json()).explanation;
}

export async function proposals(text, sentence, reader, english) {
  return (await (await sendJson("v1/sentence", { text, sentence, reader, english })).json()).proposals;
}

export async function rewrite(text, reader) {
  return (await (await sendJson("v1/rewrite", { text, reader })).json()).rewrite;
}

export async function saved(text, kind) {
  return (await sendJson("v1/save", { text, kind })).blob();
}

export async function compare(before, after) {
  const reply = await sendJson("v1/compare", { before, after });
  return (await reply.json()).comparison;
}

export async function report(text, reader, before) {
  return (await sendJson("v1/report", { text, reader, before })).blob();
}

// What this server was started with.
export async function able() {
  const reply = await fetch(new URL("healthz", HOME)).catch(() => null);
  return reply?.ok ? reply.json() : {};
}

export async function textOfPage(url) {
  return (await sendJson("v1/fetch", { url })).json();
}

export async function textOfFile(file) {
  const path = `v1/text?name=${encodeURIComponent(file.name)}`;
  return (await send(path, file, "application/octet-stream")).json();
}
