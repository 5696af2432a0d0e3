// A client beside the attack: it sends a small read and a small edit at intervals, each timed from its due time. It
// runs in its own thread, so that the attacker's thread does not delay it.
import { parentPort, workerData } from "node:worker_threads";
import { WebSocket } from "ws";

const { rpc, token, path, everyMs } = workerData;
const headers = { authorization: `Bearer ${token}` };
const ws = new WebSocket(rpc, { headers, perMessageDeflate: false });
/** By request id: its due time, and the list for its duration. */
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
/** Returns the waits so far of unanswered requests. */
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
ws.on("error", () => undefined); // it closes, which the result reports

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
