import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Sender } from "ws";
import { serve } from "../peers/serve.js";
import { Document, restMost } from "./document.js";
import { openLink } from "./link.js";
import { Log } from "./log.js";
import { PLANS, proposed } from "./plans.js";
import { RECORDS, Records } from "./records.js";
import { Requests } from "./requests.js";
import { watchSaves } from "./saves.js";

// The least that keeps what a server of edits promises. It checks requests and rights. What waits together is one commit
// of Loro a document, and one group in a log, flushed before any answer; the log begins with each document's first text.
// Each edit has a record with its author, time and answer, which a database takes in later, and a line for people. Files
// are written to a temporary name and exchanged: before the answer where a client waits for that, and otherwise every
// 20 ms. With `watch` it takes in what others save, with a link what other machines send. It merges no saves with edits
// that they lack, and ends when its log is full.
// Usage: edit-server.js <folder> alone|watch|<file of a link>

const [FOLDER, MODE] = process.argv.slice(2);
const FILES_MS = 20;
/** The log's name of the number of the last message from other machines. */
const LAST = "";
const WHOLE_TEXT = { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: true };

const log = new Log(FOLDER);
const records = new Records(FOLDER);
const requests = new Requests(FOLDER);
/** @type {Map<string, Document>} */
const documents = new Map();
/**
 * The edits that wait. The file has one before its answer ("awaited"), later ("behind"), or already ("whole").
 * @type {{ document: Document, agent: string, method: string, opId?: string, began: number, plan: () => object[],
 *   file: string, answer: (made: object) => void }[]}
 */
let waiting = [];
let agents = 0;

/** Returns a document, with its file's text at first. */
function opened(path) {
  return documents.get(path) ?? created(path, readFileSync(join(FOLDER, path), "utf8"));
}

/** Returns a document, empty at first. */
function known(path) {
  const document = documents.get(path) ?? new Document(FOLDER, log, path);
  documents.set(path, document);
  return document;
}

function created(path, text) {
  const document = known(path);
  document.splice(0, [{ from: 0, to: 0, insert: text }]);
  document.commit();
  flush([document]);
  return document;
}

/** Appends the new updates of documents and records to the log, flushes it, and sends the updates to other machines. */
function flush(touched, made = []) {
  const entries = [...touched].flatMap(({ path, updates }) =>
    updates.splice(0).map((bytes) => [path, bytes]),
  );
  log.append([...entries, ...made.map(({ record }) => [RECORDS, record])]);
  log.flush();
  void link?.publish(entries);
}

/** Takes in what other machines did. `last` is the number of the last message. */
function took(entries, last) {
  log.append([...entries, [LAST, Buffer.from(String(last))]]);
  log.flush();
  for (const [path, bytes] of entries) {
    const document = known(path);
    document.import(bytes);
    document.isBehind = true;
  }
}

/** Makes an edit together with all others that wait. */
function enqueue(edit) {
  if (waiting.length === 0) setImmediate(make);
  waiting.push(edit);
}

/** Makes all waiting edits: one commit a document, one group, one flush. */
function make() {
  const edits = waiting;
  waiting = [];
  const made = edits.map((edit) => {
    const { document, plan } = edit;
    document.look();
    const splices = plan();
    return records.made({ path: document.path, ...edit }, { splices, version: String(document.version) });
  });
  const touched = new Set(edits.map(({ document }) => document));
  for (const document of touched) document.commit();
  flush(touched, made);
  for (const { document, file } of edits) if (file !== "whole") document.isBehind = true;
  for (const { document, file } of edits) if (file === "awaited" && document.isBehind) document.write();
  for (const [i, { document, agent, answer }] of edits.entries()) {
    answer(made[i].answer);
    const { subscribers } = document;
    if (subscribers.size > 0)
      send(subscribers, { method: "doc.changed", params: { agent, ...made[i].answer } });
  }
}

function writeFiles() {
  for (const document of documents.values()) if (document.isBehind) void document.writeBehind();
  restMost();
}
setInterval(writeFiles, FILES_MS);

let last = 0;
for (const [path, bytes] of [...log.recover()])
  if (path === LAST) last = Number(bytes);
  else if (path !== RECORDS) known(path).import(bytes);
const link = MODE.endsWith(".json") ? await openLink(MODE, last + 1, took, writeFiles) : undefined;
if (MODE === "watch")
  watchSaves(FOLDER, documents, (document, version, splices, text) => {
    const plan = () => document.splice(version, splices, text);
    const save = { agent: "disk", method: "save", began: performance.now() };
    enqueue({ document, ...save, plan, file: "whole", answer: () => undefined });
  });

/** Encodes a message once, and sends it to each socket. */
function send(sockets, message) {
  const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const frame = Buffer.concat(Sender.frame(text, WHOLE_TEXT));
  for (const ws of sockets) ws._socket.write(frame);
}

serve((ws) => {
  const agent = `agent-${agents++}`;
  const methods = {
    hello: () => ({ agent: { id: agent } }),
    "doc.create": ({ path, text }) => void created(path, text),
    "doc.open": ({ path }) => ({ version: String(opened(path).version) }),
    "doc.read": ({ path }) => ({ text: opened(path).text.toString() }),
    "doc.save": ({ path }) => opened(path).write(),
    "machine.list": () => ({ waiting: link.waiting }),
    subscribe: ({ path }) => void opened(path).subscribers.add(ws),
  };
  ws.on("message", (frame) => {
    const began = performance.now();
    const { id, method, params } = JSON.parse(frame.toString());
    const answer = (result = {}) => send([ws], { id, result });
    const plan = PLANS[method];
    if (plan === undefined) return answer(methods[method](params));
    requests.check(method, params);
    const { opId } = params;
    const earlier = records.answerTo(agent, opId);
    if (earlier !== undefined) return answer(earlier);
    const document = opened(params.path);
    if (method === "edit.patch" && params.confirm === undefined)
      return answer(proposed(document, params.patch));
    const file = params.ack === "durable" ? "behind" : "awaited";
    enqueue({ document, agent, method, opId, began, plan: () => plan(document, params), file, answer });
  });
  ws.on("close", () => {
    for (const { subscribers } of documents.values()) subscribers.delete(ws);
  });
});
