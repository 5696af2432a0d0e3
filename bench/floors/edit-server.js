import { fdatasyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { LoroDoc } from "loro-crdt";
import { serve } from "../peers/serve.js";

// The least that keeps what a server of edits promises. What waits together is one commit of Loro a document, and one
// record with a checksum in a log, flushed before any answer; the log begins with each document's first text. Files are
// written to a temporary name and renamed: before the answer where a client waits for that, and otherwise every 20 ms.
// It has no rights, no checks, no merge with saves, no other history than Loro's, and ends when its log is full. Its
// positions are UTF-16 units.
// Usage: edit-server.js <folder>

const FOLDER = process.argv[2];
const LOG_BYTES = 64 << 20;
const FILES_MS = 20;

const log = openSync(join(FOLDER, "floor.log"), "w");
for (let at = 0; at < LOG_BYTES; at += 1 << 20) writeSync(log, Buffer.alloc(1 << 20), 0, 1 << 20, at);
fdatasyncSync(log);
let end = 0;

/** @type {Map<string, Document>} */
const documents = new Map();
/** @type {{ document: Document, ws: import("ws").WebSocket, id: number, agent: string, params: any }[]} */
let waiting = [];
let agents = 0;

class Document {
  doc = new LoroDoc();
  content = this.doc.getText("content");
  /** The edits of all versions: the version `n` has the first n of them. */
  edits = [];
  subscribers = new Set();
  updates = [];
  isBehind = false;

  constructor(path, text) {
    this.path = path;
    this.text = text;
    this.doc.subscribeLocalUpdates((bytes) => this.updates.push(bytes));
    this.content.insert(0, text);
    this.doc.commit();
    flush([this]);
  }

  /** Applies the splices of a version, last first. Returns them in the positions of the newest version. */
  splice(version, splices) {
    const now = splices.map(({ from, to, insert }) => ({
      from: this.moved(version, from),
      to: this.moved(version, to),
      insert,
    }));
    for (const { from, to, insert } of now.toReversed()) {
      if (to > from) this.content.delete(from, to - from);
      if (insert !== "") this.content.insert(from, insert);
      this.text = this.text.slice(0, from) + insert + this.text.slice(to);
      this.edits.push({ from, grows: insert.length - (to - from) });
    }
    return now;
  }

  moved(version, at) {
    for (let i = version; i < this.edits.length; i++) {
      const { from, grows } = this.edits[i];
      if (from <= at) at += grows;
    }
    return at;
  }

  write() {
    this.isBehind = false;
    const temporary = join(FOLDER, `.${this.path}.tmp`);
    writeFileSync(temporary, this.text);
    renameSync(temporary, join(FOLDER, this.path));
  }
}

function opened(path) {
  const there = documents.get(path);
  if (there !== undefined) return there;
  const document = new Document(path, readFileSync(join(FOLDER, path), "utf8"));
  documents.set(path, document);
  return document;
}

const PLANS = {
  "edit.splice": (document, { version, splices }) =>
    document.splice(version === "latest" ? document.edits.length : Number(version), splices),
  "edit.replace": (document, { old, new: insert }) => {
    const from = document.text.indexOf(old);
    return document.splice(document.edits.length, [{ from, to: from + old.length, insert }]);
  },
};

/** Appends the new updates of documents to the log, each with its document's path and its length, and flushes it. */
function flush(touched) {
  const parts = [...touched].flatMap(({ path, updates }) =>
    updates.splice(0).flatMap((bytes) => [framed(Buffer.from(path)), framed(bytes)]),
  );
  const payload = Buffer.concat(parts);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(payload));
  const record = Buffer.concat([checksum, framed(payload)]);
  if (end + record.length > LOG_BYTES) throw new Error("the log is full");
  end += writeSync(log, record, 0, record.length, end);
  fdatasyncSync(log);
}

function framed(bytes) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Makes all waiting edits: one commit a document, one record, one flush. */
function make() {
  const edits = waiting;
  waiting = [];
  const made = edits.map(({ document, method, params }) => {
    const splices = PLANS[method](document, params);
    return { splices, version: String(document.edits.length) };
  });
  const touched = new Set(edits.map(({ document }) => document));
  for (const { doc } of touched) doc.commit();
  flush(touched);
  for (const document of touched) document.isBehind = true;
  for (const { document, params } of edits)
    if (params.ack !== "durable" && document.isBehind) document.write();
  for (const [i, { ws, id, agent, document }] of edits.entries()) {
    send(ws, { id, result: made[i] });
    const params = { path: document.path, agent, ...made[i] };
    for (const subscriber of document.subscribers) send(subscriber, { method: "doc.changed", params });
  }
}

setInterval(() => {
  for (const document of documents.values()) if (document.isBehind) document.write();
}, FILES_MS);

function send(ws, frame) {
  ws.send(JSON.stringify({ jsonrpc: "2.0", ...frame }));
}

serve((ws) => {
  const agent = `agent-${agents++}`;
  const methods = {
    hello: () => ({ agent: { id: agent } }),
    "doc.create": ({ path, text }) => void documents.set(path, new Document(path, text)),
    "doc.open": ({ path }) => ({ version: String(opened(path).edits.length) }),
    "doc.read": ({ path }) => ({ text: opened(path).text }),
    "doc.save": ({ path }) => opened(path).write(),
    subscribe: ({ path }) => void opened(path).subscribers.add(ws),
  };
  ws.on("message", (frame) => {
    const { id, method, params } = JSON.parse(frame.toString());
    if (method in PLANS) {
      if (waiting.length === 0) setImmediate(make);
      waiting.push({ document: opened(params.path), ws, id, agent, method, params });
    } else send(ws, { id, result: methods[method](params) ?? {} });
  });
});
