import type { Method, Params } from "../protocol/schemas/schemas.ts";

/** A method that a client may call after `hello`. */
export type Request = Exclude<Method, "hello">;

/**
 * The client's options for a request whose answer was lost. `again`: the client sends it again, which is
 * harmless. `opId`: the daemon applies it once, however often it arrives. `once`: the client cannot find out
 * whether it was applied.
 */
type Repeat<M extends Request> = "opId" extends KnownKeys<Params<M>> ? "opId" : "again" | "once";

/** The named keys of a type, without the index signature of parameters that are empty. */
type KnownKeys<T> = string extends keyof T ? never : keyof T;

/**
 * Every method by name. The schemas are absent when a client runs; the compiler compares this list with them.
 */
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
  "doc.committed": "again",
  "seen.list": "again",
  "seen.told": "again",
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
  "history.prune": "once",
  "history.restore": "opId",
  undo: "opId",
  redo: "opId",
  blame: "again",
  "checkpoint.create": "once",
  "checkpoint.list": "again",
  "checkpoint.restore": "once",
  "thread.list": "again",
  "thread.append": "once",
  "thread.get": "again",
  "thread.context": "again",
  "thread.lease": "once",
  "thread.part": "once",
  "thread.release": "once",
  "thread.stop": "again",
  "thread.resolve": "again",
  "thread.clear": "once",
  "presence.set": "again",
  "presence.list": "again",
  "claim.open": "once",
  "claim.close": "once",
  "claim.turn": "once",
  "claim.read": "again",
  "claim.last": "again",
  "claim.news": "once",
  "lane.add": "once",
  "lane.list": "again",
  "lane.remove": "once",
  search: "again",
  "metrics.get": "again",
  "settings.get": "again",
  "settings.set": "once",
  "machine.list": "again",
  "machine.remove": "once",
  "workspace.leave": "once",
  "workspace.share": "once",
  "rpc.discover": "again",
  "diff.build": "again",
};

/** Returns how a method may be repeated; an unknown method is `once`. */
export function repeatOf(method: string): "opId" | "again" | "once" {
  return Object.hasOwn(REPEATS, method) ? REPEATS[method as Request] : "once";
}

let counted = 0;
let beginning = "";

/**
 * Returns 128 random bits in hex, which this process draws once, and a number. The daemon stores counted ids as ranges, in
 * next to no space. `crypto.randomUUID` would need a secure page.
 */
export function newOpId(): string {
  beginning ||= Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  return `${beginning}-${counted++}`;
}
