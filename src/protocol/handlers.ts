import { Text } from "../text/text.ts";
import type { Document } from "../workspace/document.ts";
import * as documents from "../workspace/documents.ts";
import type { EditRequest, EditResult } from "../workspace/edit.ts";
import { planLines } from "../workspace/edits/lines.ts";
import { planPatch } from "../workspace/edits/patch.ts";
import type { Planner } from "../workspace/edits/plan.ts";
import { planReplace, planReplaceRegex } from "../workspace/edits/replace.ts";
import { planSplice } from "../workspace/edits/splice.ts";
import { planAppend, planWrite } from "../workspace/edits/whole.ts";
import { isRefusal, type Outcome, Refusal } from "../workspace/refusal.ts";
import type { Method, Params, Result } from "./schemas.ts";
import type { Peer, Service } from "./service.ts";
import { conflictsOutwards, inwards, outwards, splicesOutwards } from "./units.ts";

/** The methods that any connection may call once it has said hello; subscriptions belong to the session. */
export type Served = Exclude<Method, "hello" | "subscribe" | "unsubscribe" | "doc.close">;

type Handlers = {
  readonly [M in Served]: (service: Service, peer: Peer, params: Params<M>) => Promise<Outcome<Result<M>>>;
};

export const handlers: Handlers = {
  async "doc.list"({ workspace, ignore }, _peer, { pattern, loaded }) {
    const docs = await documents.list(workspace, { pattern, loaded, ignore });
    return {
      docs: docs.map((doc) => ({ ...doc, permission: "admin" as const })),
    };
  },

  async "doc.status"({ workspace }, _peer, { path }) {
    if (path === undefined)
      return {
        docs: await Promise.all([...workspace.loaded].map(documents.status)),
      };
    const document = await workspace.opened(path);
    return isRefusal(document) ? document : { docs: [await documents.status(document)] };
  },

  "doc.open": ({ workspace }, _peer, { path }) => withDocument(workspace.open(path), documents.info),

  "doc.read": ({ workspace }, peer, request) =>
    withDocument(workspace.open(request.path), (document) => read(document, peer, request)),

  async "doc.create"({ workspace }, { actor }, { path, text }) {
    const content = { bom: false, text: Text.of(text) };
    return withDocument(workspace.create(actor, path, content), documents.info);
  },

  "doc.delete": ({ workspace }, { actor }, { path }) =>
    withDocument(workspace.open(path), async (document) => {
      const refused = await workspace.remove(actor, document);
      return isRefusal(refused) ? refused : { path: document.path };
    }),

  "doc.restore": ({ workspace }, { actor }, { path }) =>
    withDocument(workspace.restore(actor, path), documents.info),

  "doc.rename": ({ workspace }, { actor }, { path, to }) =>
    withDocument(workspace.open(path), async (document) => {
      const moved = await workspace.rename(actor, document, to);
      return isRefusal(moved) ? moved : { path: moved };
    }),

  "doc.save": ({ workspace }, _peer, { path }) =>
    withDocument(workspace.open(path), async (document) => {
      const { version } = document;
      const refused = await documents.save(document);
      return isRefusal(refused) ? refused : { path: document.path, version, mirrored: true as const };
    }),

  "doc.reload": ({ workspace }, { actor }, { path }) =>
    withDocument(workspace.open(path), async (document) => {
      const refused = await documents.reload(document, actor);
      return isRefusal(refused) ? refused : documents.info(document);
    }),

  "doc.diff": ({ workspace }, _peer, { path, from, to }) =>
    withDocument(workspace.open(path), async (document) => documents.difference(document, from, to)),

  "edit.replace": (service, peer, { old, new: updated, occurrence = "unique", regex, ...common }) => {
    const plan = regex ? planReplaceRegex(old, updated, occurrence) : planReplace(old, updated, occurrence);
    return edit(service, peer, "replace", plan, common);
  },

  "edit.patch": (service, peer, { patch, patch_lines, match: _strict, ...common }) =>
    edit(service, peer, "patch", planPatch(patch ?? `${patch_lines!.join("\n")}\n`), common),

  "edit.splice": (service, peer, { splices, ...common }) =>
    edit(service, peer, "splice", planSplice(splices, peer.unit), common),

  "edit.lines": (service, peer, { changes, ...common }) =>
    edit(service, peer, "lines", planLines(changes), common),

  "edit.append": (service, peer, { text, ...common }) =>
    edit(service, peer, "append", planAppend(text), common),

  "mirror.resume": async ({ workspace }) => ({ deleted: await workspace.resume() }),

  undo: async ({ editor }, { actor, unit }, request) => {
    const result = await editor.undo(actor, request);
    return isRefusal(result) ? result : wireResult(result, unit);
  },

  "edit.write": (service, peer, { text, ...common }) => edit(service, peer, "write", planWrite(text), common),
};

async function withDocument<T>(
  opening: Promise<Outcome<Document>>,
  work: (document: Document) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const document = await opening;
  return isRefusal(document) ? document : work(document);
}

async function read(
  document: Document,
  { unit }: Peer,
  request: Params<"doc.read">,
): Promise<Outcome<Result<"doc.read">>> {
  const { text } = document;
  if (request.lines !== undefined && request.range !== undefined)
    return new Refusal("INVALID_ARGUMENT", "give either lines or range");
  const part = request.lines
    ? lineRange(text, request.lines)
    : request.range
      ? charRange(text, request.range, unit)
      : whole(text);
  if (isRefusal(part)) return part;
  const info = await documents.info(document);
  return {
    ...info,
    text: part,
    ...(request.lineOffsets && { lineOffsets: offsets(text, unit) }),
  };
}

function whole(text: Text): string {
  return text.toString();
}

function lineRange(text: Text, [from, to]: readonly [number, number]): Outcome<string> {
  if (from > to || from > text.lines)
    return new Refusal("INVALID_POSITION", `lines ${from}-${to}: the document has ${text.lines} lines`, {
      details: { lines: text.lines },
    });
  return text.chars === 0 ? "" : text.lineSlice(from, Math.min(to, text.lines));
}

function charRange(text: Text, [from, to]: readonly [number, number], unit: Peer["unit"]): Outcome<string> {
  const a = inwards(from, text, unit);
  const b = inwards(to, text, unit);
  if (a === undefined || b === undefined || a > b)
    return new Refusal("INVALID_POSITION", `${from}..${to} is not a range of this document`, {
      details: { chars: text.chars },
    });
  return text.slice(a, b);
}

function offsets(text: Text, unit: Peer["unit"]): number[] {
  return Array.from({ length: text.lines }, (_, i) => outwards(text.lineStart(i + 1), text, unit));
}

type Common = Omit<EditRequest, "kind" | "plan">;

async function edit(
  { editor }: Service,
  { actor, unit }: Peer,
  kind: string,
  plan: Planner,
  common: Common,
): Promise<Outcome<Result<"edit.replace">>> {
  const result = await editor.edit(actor, { ...common, kind, plan });
  return isRefusal(result) ? result : wireResult(result, unit);
}

function wireResult({ before, base, ...result }: EditResult, unit: Peer["unit"]): Result<"edit.replace"> {
  return {
    ...result,
    splices: [...splicesOutwards(result.splices, before, unit)],
    conflicts: conflictsOutwards(result.conflicts, base, unit),
    ...(result.applied && { applied: result.applied }),
  } as Result<"edit.replace">;
}
