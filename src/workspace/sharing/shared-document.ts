import { setImmediate } from "node:timers/promises";
import type { Examination } from "../../doc/examination.ts";
import type { ReplicaVersion, UpdateFinding } from "../../doc/finding.ts";
import { type Seq, storeFailure } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import { readOnlyRefusal } from "../edits/check.ts";
import { notifyEach } from "../events/notify-each.ts";
import type { FeedUpdate } from "../events/update-feed.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { storeRefusal, tooLargeRefusal } from "../outcome/refusals.ts";
import type { PeerClaims } from "./peer-claims.ts";

/** The attempts to examine an update; an attempt fails if the trial replica is unloaded meanwhile. */
const TRIES = 3;

/** A client with a replica of the document. */
export interface Member {
  /** Receives the updates of each durable change of others, in their order. */
  receive(updates: readonly Uint8Array[]): void;
}

/** The state that a new member receives. */
export interface InitialState {
  /** The version of the document, as Loro encodes it. */
  readonly version: Uint8Array;
  /** The updates that the member lacks; undefined if it lacks none. */
  readonly bytes: Uint8Array | undefined;
}

/** The outcome of an outside update; resolves once the update is durable or refused. */
type AdoptionResult = Promise<Outcome<void>>;

/** The objects that all shared documents use. */
interface SharingParts {
  readonly workspace: Workspace;
  readonly examination: Examination;
  readonly claims: PeerClaims;
}

type Sound = Extract<UpdateFinding, { readonly is: "sound" }>;

/**
 * A document whose memory replica is shared with Loro replicas of clients. All replicas hold the same operations. A
 * thread examines each update on a trial replica before the memory replica imports it.
 *
 *     member ── update ──► trial replica ──► memory replica ──► journal ──► acknowledged
 *        ▲                                         │
 *        └──────── each change, once durable ──────┘
 */
export class SharedDocument {
  readonly id: string;
  /** The name of the trial replica. */
  readonly #room: string;
  readonly #parts: SharingParts;
  readonly #members = new Set<Member>();
  readonly #turns = new KeyedQueue<"update">();
  readonly #unfollow: () => void;
  /** The member whose update the memory replica imports now; the member has it already. */
  #source: Member | undefined;
  /** The newest change of the trial replica. */
  #newest: Seq = -1;
  /** The document object from which the trial replica was made. */
  #trialOf: Document | undefined;
  /** Resolves once all earlier changes were sent to the members, or dropped. */
  #forwarded: Promise<void> = Promise.resolve();

  constructor(id: string, parts: SharingParts) {
    this.id = id;
    this.#room = parts.workspace.newId("room");
    this.#parts = parts;
    this.#unfollow = parts.workspace.updates.follow(id, (update) => this.#forward(update));
  }

  /** Adds a member whose replica is at `version`. The member then receives each later change. */
  async join(member: Member, document: Document, version: ReplicaVersion): Promise<Outcome<InitialState>> {
    const shared = document.shared(version);
    if (isRefusal(shared)) return shared;
    const { lacking } = shared;
    if (lacking.is === "unrelated")
      return new Refusal("CONFLICT", "your LoroDoc contains the history of another document", {
        suggestion: "Join with a new LoroDoc, and edit it once it has the server's version.",
      });
    if (lacking.is === "folded")
      return new Refusal("STALE_VERSION", "your LoroDoc is older than the history of the document", {
        suggestion: "Join with a new LoroDoc, and repeat the edits that you had not sent.",
      });
    this.#members.add(member);
    const failure = await storeFailure(document.durable);
    if (failure !== undefined) {
      this.#members.delete(member);
      return storeRefusal(failure);
    }
    return { version: shared.version, bytes: lacking.bytes };
  }

  /** Removes a member; returns true if none remains. */
  leave(member: Member): boolean {
    this.#members.delete(member);
    return this.#members.size === 0;
  }

  /** Stops following the document once all sent updates are done. */
  close(): Promise<void> {
    return this.#turns.run(["update"], async () => {
      this.#unfollow();
      this.#parts.examination.forget(this.#room);
    });
  }

  /** Imports the updates of a member, all of them or none (I13), in the order in which they were sent. */
  adopt(member: Member, actor: Actor, path: string, updates: readonly Uint8Array[]): AdoptionResult {
    return this.#turns
      .run(["update"], () => this.#adopt(member, actor, path, updates))
      .then(
        // The next update may start before this one is durable.
        (imported) => (isRefusal(imported) ? imported : imported.durable),
      );
  }

  async #adopt(
    member: Member,
    actor: Actor,
    path: string,
    updates: readonly Uint8Array[],
  ): Promise<Outcome<{ readonly durable: AdoptionResult }>> {
    const { workspace, examination } = this.#parts;
    const guarded = new GuardedWorkspace(workspace, actor, "write");
    const open = () => this.#open(guarded, path);
    for (let i = 0; i < TRIES; i++) {
      const before = await open();
      if (isRefusal(before)) return before;
      if (isRefusal(this.#load(before))) continue;
      const newest = this.#newest;
      const finding = await examination.examine(this.#room, updates);
      if (finding.is === "unloaded") continue;
      if (finding.is === "known") return { durable: durability(workspace, before) };
      if (finding.is !== "sound") return refusalOf(finding);
      if (before.closed !== undefined) {
        examination.forget(this.#room);
        continue;
      }
      const claimed = await this.#parts.claims.claim(finding.peers, actor, before);
      const document = isRefusal(claimed) ? claimed : await this.#openFor(open, finding, newest);
      if (document === before && before.closed === undefined)
        return this.#importAll(member, actor, before, finding.parts, open);
      // The trial replica contains an update that memory does not get, or memory was loaded again.
      examination.forget(this.#room);
      if (isRefusal(document)) return document;
    }
    return new Refusal("OVERLOADED", "the daemon could not examine the update", {
      suggestion: "Send the update again.",
    });
  }

  /** Opens the document again; refuses a sound update that it cannot take now. */
  async #openFor(
    open: () => Promise<Outcome<Document>>,
    finding: Sound,
    newest: Seq,
  ): Promise<Outcome<Document>> {
    const document = await open();
    if (isRefusal(document)) return document;
    return readOnlyRefusal(document) ?? this.#sizeRefusal(document, finding, newest) ?? document;
  }

  async #open(guarded: GuardedWorkspace, path: string): Promise<Outcome<Document>> {
    const document = await guarded.open(path);
    if (isRefusal(document) || document.id === this.id) return document;
    return new Refusal("NOT_FOUND", `${path} now names another document`, {
      suggestion: "Join the room of the new document.",
    });
  }

  /** Loads the trial replica from memory, unless it is up to date; #forward feeds it later changes. */
  #load(document: Document): Outcome<void> {
    const { examination } = this.#parts;
    if (this.#trialOf === document && examination.has(this.#room)) return;
    const shared = document.shared(new Map());
    if (isRefusal(shared)) return shared;
    const { lacking } = shared;
    if (lacking.is !== "updates" || lacking.bytes === undefined)
      throw new Error("the document has no updates for an empty replica");
    examination.load(this.#room, lacking.bytes);
    this.#trialOf = document;
    this.#newest = document.head.seq;
  }

  /**
   * Refuses an update that would make the document too large. After other changes its removals may have happened
   * already, so then they do not make room.
   */
  #sizeRefusal({ text, head }: Document, { inserted, removed }: Sound, newest: Seq): Refusal | undefined {
    const { maxFileBytes } = this.#parts.workspace.limits;
    const growth = inserted - (head.seq === newest ? removed : 0);
    const bytes = text.bytes + growth;
    return growth > 0 && bytes > maxFileBytes ? tooLargeRefusal(bytes, maxFileBytes) : undefined;
  }

  /** Imports the parts of an update one by one, and yields to other requests between them (I14). */
  async #importAll(
    member: Member,
    actor: Actor,
    document: Document,
    [first, ...rest]: readonly Uint8Array[],
    open: () => Promise<Outcome<Document>>,
  ): Promise<Outcome<{ readonly durable: AdoptionResult }>> {
    let durable = this.#import(member, actor, document, first!);
    for (const part of rest) {
      await setImmediate();
      const now = await open();
      if (now !== document || document.closed !== undefined) {
        // The trial replica contains parts that memory does not get.
        this.#parts.examination.forget(this.#room);
        return isRefusal(now) ? now : reloadedRefusal();
      }
      durable = this.#import(member, actor, document, part);
    }
    return { durable };
  }

  #import(member: Member, actor: Actor, document: Document, update: Uint8Array): AdoptionResult {
    document.seal(); // earlier edits have another source
    this.#source = member;
    try {
      const adopted = document.receive(actor, [update], { origin: "remote" });
      if (isRefusal(adopted)) return Promise.resolve(adopted);
    } finally {
      this.#source = undefined;
    }
    return durability(this.#parts.workspace, document);
  }

  /** Feeds a change to the trial replica, and to the other members once it is durable. */
  #forward({ change, updates, durable }: FeedUpdate): void {
    const source = this.#source;
    if (source === undefined && updates.length > 0) this.#parts.examination.feed(this.#room, updates);
    this.#newest = change.seq;
    const before = this.#forwarded;
    const others = [...this.#members].filter((member) => member !== source);
    this.#forwarded = durable.then(
      () => before.then(() => this.#send(others, updates)),
      // Memory is loaded again without the change. Only its source has it, and learns from `durable` that it failed.
      () => before.then(() => this.#parts.examination.forget(this.#room)),
    );
  }

  #send(others: readonly Member[], updates: readonly Uint8Array[]): void {
    if (updates.length === 0) return;
    const { report } = this.#parts.workspace.ports;
    const present = others.filter((member) => this.#members.has(member));
    notifyEach(present, (member) => member.receive(updates), { news: "update", report });
  }
}

function reloadedRefusal(): Refusal {
  return new Refusal("STALE_VERSION", "the daemon reloaded the document while it imported the update", {
    suggestion: "Join again. The daemon then requests the missing updates.",
    details: { reason: "incomplete" },
  });
}

/** Resolves once a document's changes are durable, or with the refusal if the store rolled them back. */
async function durability(workspace: Workspace, document: Document): AdoptionResult {
  const failure = await storeFailure(document.durable);
  if (failure === undefined) return undefined;
  if (document.failure !== undefined) await workspace.drop(document);
  return storeRefusal(failure);
}

function refusalOf(
  finding: Exclude<UpdateFinding, { readonly is: "sound" | "known" | "unloaded" }>,
): Refusal {
  switch (finding.is) {
    case "incomplete":
      return new Refusal("STALE_VERSION", "the update depends on updates that did not arrive", {
        suggestion: "Join again, and send the missing updates.",
        details: { reason: "incomplete" },
      });
    case "folded":
      return new Refusal("STALE_VERSION", "the update depends on history that the document no longer has", {
        suggestion: "Join with a new LoroDoc, and repeat the edit there.",
        details: { reason: "folded" },
      });
    case "unsound":
      return new Refusal("INVALID_ARGUMENT", `the daemon refused the update: ${finding.reason}`, {
        suggestion: "Join with a new LoroDoc; this one contains edits that the document cannot accept.",
      });
  }
}
