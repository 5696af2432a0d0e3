import { storeFailure } from "../../store/store.ts";
import { deniedSomewhereRefusal } from "../../workspace/access/refusals.ts";
import type { Document } from "../../workspace/document/document.ts";
import { rangeIn } from "../../workspace/outcome/position-refusals.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { storeRefusal, unknownChange } from "../../workspace/outcome/refusals.ts";
import { anchorAt, placeAnchor } from "../../workspace/threads/anchors.ts";
import { answerRules, ContextRoom } from "../../workspace/threads/context.ts";
import type { StoredAnchor, ThreadHead } from "../../workspace/threads/thread.ts";
import type { AppendRequest } from "../../workspace/threads/threads.ts";
import { outwards } from "../base/units.ts";
import type { Params, Result } from "../schemas/schemas.ts";
import type { threads as schemas } from "../schemas/threads.ts";
import type { GuardedService, Requester } from "../service/service.ts";
import type { Handlers } from "./handler.ts";

const DEFAULT_THREADS = 100;
const DEFAULT_MESSAGES = 200;

export const threadHandlers: Handlers<keyof typeof schemas> = {
  async "thread.list"(service, requester, { path, bundle, proposal, status, limit = DEFAULT_THREADS }) {
    const { workspace, threads } = service;
    const document = path === undefined ? undefined : await workspace.opened(path);
    if (isRefusal(document)) return document;
    const listed = threads
      .list(
        requester.actor,
        (head) =>
          (document === undefined || head.docIds.includes(document.id)) &&
          (bundle === undefined || head.bundle === bundle) &&
          (proposal === undefined || head.proposal === proposal),
      )
      .filter(
        (thread) =>
          status === undefined || (status === "waiting" ? thread.waiting : thread.status === status),
      );
    const shown = listed.slice(0, limit).map((thread) => {
      const head = document && threads.find(requester.actor, thread.id);
      if (head === undefined || isRefusal(head)) return wire(thread);
      return { ...wire(thread), anchors: wireAnchors(head, [document!], requester) };
    });
    return { threads: shown, more: listed.length > limit };
  },

  async "thread.append"(service, requester, params) {
    const { workspace, threads, log } = service;
    const { role, text, leaseId, incomplete, changeIds = [] } = params;
    const to = await target(service, requester, params);
    if (isRefusal(to)) return to;
    const anchor = params.anchor && (await anchored(to.documents, params.anchor, requester));
    if (isRefusal(anchor)) return anchor;
    const unknown = changeIds.find((id) => !workspace.knowsChange(id));
    if (unknown !== undefined) return unknownChange(unknown);
    const { actor } = requester;
    const request = { to: to.thread, role, text, anchor, leaseId, incomplete, changeIds };
    const added = await threads.append(actor, request);
    if (isRefusal(added)) return added;
    const { thread, message } = added;
    const { id: messageId, answers } = message;
    log("info", "thread.message", {
      thread,
      messageId,
      answers,
      role,
      agent: actor.agent,
      chars: message.text.length,
    });
    return { thread, messageId };
  },

  async "thread.get"(service, requester, { thread: id, before, limit = DEFAULT_MESSAGES }) {
    const opened = await service.threads.get(requester.actor, id, { before, limit });
    if (isRefusal(opened)) return opened;
    const { head, thread, ...rest } = opened;
    const anchors = wireAnchors(head, await documentsOf(service, anchoredIds(head)), requester);
    return { ...wire(rest), thread: wire(thread), anchors };
  },

  async "thread.context"(service, requester, { thread: id, system = "", budget }) {
    const { threads } = service;
    const head = threads.find(requester.actor, id);
    if (isRefusal(head)) return head;
    const [newest] = threads.newestFirst(head);
    const tokens = typeof budget === "number" ? { maxTokens: budget, reserveTokens: 0 } : budget;
    const room = ContextRoom.of(system, newest?.text ?? "", tokens);
    if (isRefusal(room)) return room;
    const opened = await documentsOf(service, head.docIds);
    const anchors = wireAnchors(head, opened, requester);
    const documents = await room.documents(opened, requester.actor);
    const messageId = threads.answers.question(head) ?? null;
    const window = room.window(system, threads.newestFirst(head), head.next - head.first);
    const rules = messageId === null ? [] : [...answerRules(id, messageId, documents)];
    return { messageId, ...wire(window), documents, anchors, rules };
  },

  "thread.lease": ({ threads }, { actor, session, isBrief }, { thread, leaseId }) =>
    threads.answers.lease(actor, thread, { leaseId, connection: isBrief ? undefined : session }),

  "thread.part": async ({ threads }, { actor }, { leaseId, parts }) =>
    threads.answers.parts(actor, leaseId, parts),

  "thread.release": ({ threads }, { actor }, { leaseId, incomplete = "stopped" }) =>
    threads.answers.release(actor, leaseId, incomplete).then((refused) => refused ?? {}),

  async "thread.stop"({ threads }, { actor }, { thread }) {
    const asked = threads.answers.stop(actor, thread);
    return isRefusal(asked) ? asked : { asked };
  },

  async "thread.resolve"({ threads }, { actor }, { thread, resolved = true }) {
    const changed = await threads.resolve(actor, thread, resolved);
    return isRefusal(changed) ? changed : { thread: wire(changed) };
  },

  "thread.clear": async ({ threads }, { actor }, { thread }) => (await threads.clear(actor, thread)) ?? {},
};

/** Returns the thread that a message goes to, and its documents. A new thread requires `read` on each of them. */
async function target(
  service: GuardedService,
  { actor }: Requester,
  { thread, path, paths = path === undefined ? [] : [path], bundle, proposal }: Params<"thread.append">,
): Promise<Outcome<{ thread: AppendRequest["to"]; documents: readonly Document[] }>> {
  if (thread !== undefined) {
    const head = service.threads.find(actor, thread);
    if (isRefusal(head)) return head;
    const documents = await documentsOf(service, head.docIds);
    const named = path === undefined ? undefined : await service.workspace.opened(path);
    if (isRefusal(named)) return named;
    if (named === undefined || head.docIds.includes(named.id)) return { thread, documents };
    return new Refusal("INVALID_ARGUMENT", `the thread ${thread} is not about ${named.path}`, {
      suggestion: `Leave path out. The thread is about: ${documents.map((one) => one.path).join(", ") || "no document"}.`,
    });
  }
  if (proposal !== undefined) {
    const about = service.proposals.about(actor, proposal);
    if (isRefusal(about)) return about;
    return { thread: { ...about, proposal }, documents: await documentsOf(service, about.docIds) };
  }
  const documents = new Map<string, Document>();
  for (const one of paths) {
    const document = await service.workspace.opened(one);
    if (isRefusal(document)) return document;
    documents.set(document.id, document);
  }
  if (documents.size === 0 && !actor.rights.allowsSomewhere("read")) return deniedSomewhereRefusal("read");
  return { thread: { docIds: [...documents.keys()], bundle }, documents: [...documents.values()] };
}

/** Opens the documents of a thread, also deleted ones; leaves out documents that the actor may no longer read. */
async function documentsOf(
  { workspace }: GuardedService,
  docIds: readonly string[],
): Promise<readonly Document[]> {
  const opened = await Promise.all(docIds.map((id) => workspace.openedById(id)));
  return opened.filter((found): found is Document => found !== undefined && !isRefusal(found));
}

function anchoredIds({ anchors }: ThreadHead): readonly string[] {
  return [...new Set(Object.values(anchors).map(({ docId }) => docId))];
}

/** Returns the anchor that a message asks for, once the version that it is in is durable. */
async function anchored(
  documents: readonly Document[],
  { path, from, to, version }: NonNullable<Params<"thread.append">["anchor"]>,
  { unit }: Requester,
): Promise<Outcome<StoredAnchor>> {
  const document = path === undefined ? documents[0] : documents.find((one) => one.path === path);
  if (document === undefined || (path === undefined && documents.length > 1))
    return new Refusal("INVALID_ARGUMENT", "the anchor names no document of the thread", {
      suggestion: "Give anchor.path, the present path of a document of the thread.",
      details: { paths: documents.map((one) => one.path) },
    });
  const anchor = anchorAt(document, version, (text) => rangeIn(text, { from, to }, unit, "the anchor "));
  if (isRefusal(anchor)) return anchor;
  const failure = await storeFailure(document.durable);
  return failure === undefined ? anchor : storeRefusal(failure);
}

/** Returns the anchors of a thread in the newest texts of these documents. */
function wireAnchors(
  { anchors }: ThreadHead,
  documents: readonly Document[],
  { unit }: Requester,
): Result<"thread.get">["anchors"] {
  return Object.entries(anchors).flatMap(([messageId, anchor]) => {
    const document = documents.find(({ id }) => id === anchor.docId);
    if (document === undefined) return [];
    const { from, to, text, ...placed } = placeAnchor(document, anchor);
    return { messageId, ...placed, from: outwards(from, text, unit), to: outwards(to, text, unit) };
  });
}

/** A value whose lists may change. */
type Wire<T> = T extends readonly (infer I)[]
  ? Wire<I>[]
  : T extends object
    ? { -readonly [K in keyof T]: Wire<T[K]> }
    : T;

/** Returns a value as the type of its schema, which is not readonly. */
function wire<T>(value: T): Wire<T> {
  return value as Wire<T>;
}
