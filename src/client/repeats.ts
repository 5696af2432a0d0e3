import type { Method, Params } from "../protocol/schemas.ts";

/** The methods that are called once a connection is greeted. */
export type Request = Exclude<Method, "hello">;

/**
 * What a client may do with a request whose answer was lost: `again` harms nothing when it is done twice; one
 * that takes an `opId` is done once however often it is sent; whether `once` was done is not known.
 */
type Repeat<M extends Request> = "opId" extends KnownKeys<Params<M>> ? "opId" : "again" | "once";

/** Without what parameters that take nothing are said to have. */
type KnownKeys<T> = string extends keyof T ? never : keyof T;

/** Every method by name, as the schemas are not there when a client runs; the compiler holds it to them. */
export const REPEATS: { readonly [M in Request]: Repeat<M> } = {
  subscribe: "again",
  unsubscribe: "again",
  "doc.close": "again",
  "doc.list": "again",
  "doc.status": "again",
  "doc.open": "again",
  "doc.read": "again",
  "doc.create": "once",
  "doc.delete": "once",
  "doc.restore": "once",
  "doc.rename": "once",
  "doc.save": "again",
  "doc.reload": "once",
  "doc.diff": "again",
  "mirror.resume": "once",
  "edit.replace": "opId",
  "edit.patch": "opId",
  "edit.splice": "opId",
  "edit.lines": "opId",
  "edit.append": "opId",
  "edit.write": "opId",
  "edit.set": "opId",
  "edit.legacy": "opId",
  "batch.apply": "opId",
  "change.get": "again",
  "preview.create": "again",
  "preview.apply": "once",
  "preview.list": "again",
  "proposal.create": "opId",
  "proposal.list": "again",
  "proposal.get": "again",
  "proposal.approve": "once",
  "proposal.reject": "once",
  "history.list": "again",
  "history.diff": "again",
  "history.restore": "opId",
  undo: "opId",
  redo: "opId",
  blame: "again",
  "checkpoint.create": "once",
  "checkpoint.list": "again",
  "checkpoint.restore": "once",
  "thread.append": "once",
  "thread.get": "again",
  "thread.clear": "once",
  "thread.context": "once",
  "presence.set": "again",
  "presence.list": "again",
  "metrics.get": "again",
  "rpc.discover": "again",
  "diff.build": "again",
};

/** Of a method that is not known `once`: nothing says that it may be done twice. */
export function repeatOf(method: string): "opId" | "again" | "once" {
  return Object.hasOwn(REPEATS, method) ? REPEATS[method as Request] : "once";
}

/** 128 random bits; made without what only a secure page has. */
export function newOpId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
