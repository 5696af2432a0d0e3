// Somebody who works in peace: a small read and a small edit every so often, each timed from the moment it was due.
// It runs in a thread of its own, so that what the attacker's thread does makes nothing look slow.
import { parentPort, workerData } from "node:worker_threads";
import { WebSocket } from "ws";

const { rpc, token, path, everyMs } = workerData;
const headers = { authorization: `Bearer ${token}` };
const ws = new WebSocket(rpc, { headers, perMessageDeflate: false });
/** By request id: when it was due, and where its time goes. */
const waiting = new Map();
let samples = { read: [], edit: [] };
let refused = [];
let ids = 0;
let beat;

const send = (method, params, kind) => {
  if (ws.readyState !== ws.OPEN) return;
  waiting.set(++ids, { due: performance.now(), kind });
  ws.send(JSON.stringify({ jsonrpc: "2.0", id: ids, method, params }));
};
const report = (what) =>
  parentPort.postMessage({ what, samples, refused, waiting: oldest(), open: ws.readyState === ws.OPEN });
/** How long those that are not answered have waited already. */
const oldest = () => [...waiting.values()].map(({ due, kind }) => ({ kind, ms: performance.now() - due }));

ws.on("open", () => send("hello", { protocol: 1, agent: { name: "bystander" } }));
ws.on("message", (data) => {
  const { id, error } = JSON.parse(data.toString());
  const asked = waiting.get(id);
  if (asked === undefined) return;
  waiting.delete(id);
  if (error !== undefined) refused.push(error.data.code);
  if (asked.kind !== undefined) samples[asked.kind].push(performance.now() - asked.due);
  else parentPort.postMessage({ what: "ready" });
});
ws.on("close", () => clearInterval(beat));
ws.on("error", () => undefined); // it closes, which is told of

parentPort.on("message", (what) => {
  if (what === "begin") {
    samples = { read: [], edit: [] };
    refused = [];
    beat = setInterval(() => {
      send("doc.read", { path }, "read");
      send("edit.append", { path, text: "." }, "edit");
    }, everyMs);
  }
  if (what === "stop") clearInterval(beat);
  report(what);
});
