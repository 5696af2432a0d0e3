import { setImmediate } from "node:timers/promises";
import type { Examination } from "../../doc/examination.ts";
import type { ReplicaVersion, UpdateFinding } from "../../doc/finding.ts";
import { type Seq, storeFailure } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import { readOnlyRefusal } from "../edits/prepare.ts";
import { notifyEach } from "../events/notify-each.ts";
import type { FeedUpdate } from "../events/update-feed.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { storeRefusal, tooLargeRefusal } from "../outcome/refusals.ts";
import type { PeerClaims } from "./peer-claims.ts";

/** How often an update is tried anew when the replica to try it on went away. */
const TRIES = 3;

/** Somebody with a replica of a document. */
export interface Member {
  /** Gets each change that others made once it is durable, in their order. */
  receive(updates: readonly Uint8Array[]): void;
}

/** What a newcomer gets. */
export interface InitialState {
  /** Of the document, as Loro encodes it. */
  readonly version: Uint8Array;
  /** What the newcomer lacks; undefined when that is nothing. */
  readonly bytes: Uint8Array | undefined;
}

/** What an update from outside became: resolves once that is durable. */
export type AdoptionResult = Promise<Outcome<void>>;

interface Outside {
  readonly workspace: Workspace;
  readonly examination: Examination;
  readonly claims: PeerClaims;
}

type Sound = Extract<UpdateFinding, { readonly is: "sound" }>;

/**
 * A document whose memory replica is shared with Loro replicas elsewhere. All of them hold the same operations:
 *
 *     member ── update ──► examined in a thread ──► memory ──► journal ──► acknowledged
 *        ▲                                             │
 *        └──────── each change, once durable ──────────┘
 */
export class SharedDocument {
  readonly id: string;
  /** Names the replica that updates are tried on. */
  readonly #room: string;
  readonly #outside: Outside;
  readonly #members = new Set<Member>();
  readonly #turns = new KeyedQueue<"update">();
  readonly #unfollow: () => void;
  /** Whose update is being taken into memory: they have it. */
  #source: Member | undefined;
  /** The newest change of the replica that updates are tried on. */
  #newest: Seq = -1;
  /** The object whose memory that replica was made from. */
  #examined: Document | undefined;
  #told: Promise<void> = Promise.resolve();

  constructor(id: string, outside: Outside) {
    this.id = id;
    this.#room = outside.workspace.newId("room");
    this.#outside = outside;
    this.#unfollow = outside.workspace.updates.follow(id, (carried) => this.#carry(carried));
  }

  /** Adds a member who has `version`; from then on they get what comes after the welcome. */
  async join(member: Member, document: Document, version: ReplicaVersion): Promise<Outcome<InitialState>> {
    const shared = document.shared(version);
    if (isRefusal(shared)) return shared;
    const { lacking } = shared;
    if (lacking.is === "unrelated")
      return new Refusal("CONFLICT", "your LoroDoc holds the history of another document", {
        suggestion: "Join with a new LoroDoc, and edit it once it has reached the server's version.",
      });
    if (lacking.is === "folded")
      return new Refusal("STALE_VERSION", "your LoroDoc is from before the history that is kept", {
        suggestion: "Join with a new LoroDoc, and make there what you had not sent.",
      });
    this.#members.add(member);
    const failure = await storeFailure(document.durable);
    if (failure !== undefined) {
      this.#members.delete(member);
      return storeRefusal(failure);
    }
    return { version: shared.version, bytes: lacking.bytes };
  }

  /** True when nobody is left. */
  leave(member: Member): boolean {
    this.#members.delete(member);
    return this.#members.size === 0;
  }

  /** Ends once what was sent is done. */
  close(): Promise<void> {
    return this.#turns.run(["update"], async () => {
      this.#unfollow();
      this.#outside.examination.forget(this.#room);
    });
  }

  /** Takes in what a member did, all of it or nothing (I13). Updates are taken in as they were sent. */
  adopt(member: Member, actor: Actor, path: string, updates: readonly Uint8Array[]): AdoptionResult {
    return this.#turns
      .run(["update"], () => this.#adopt(member, actor, path, updates))
      .then(
        // What is only waited for is no reason to keep the next one waiting.
        (made) => (isRefusal(made) ? made : made.durable),
      );
  }

  async #adopt(
    member: Member,
    actor: Actor,
    path: string,
    updates: readonly Uint8Array[],
  ): Promise<Outcome<{ readonly durable: AdoptionResult }>> {
    const { workspace, examination } = this.#outside;
    const guarded = new GuardedWorkspace(workspace, actor, "write");
    const open = () => this.#open(guarded, path);
    for (let i = 0; i < TRIES; i++) {
      const before = await open();
      if (isRefusal(before)) return before;
      if (isRefusal(this.#load(before))) continue;
      const newest = this.#newest;
      const finding = await examination.examine(this.#room, updates);
      if (finding.is === "unloaded") continue;
      if (finding.is === "known") return { durable: kept(workspace, before) };
      if (finding.is !== "sound") return refusalOf(finding);
      if (before.closed !== undefined) {
        examination.forget(this.#room);
        continue;
      }
      const claimed = await this.#outside.claims.claim(finding.peers, actor, before);
      const document = isRefusal(claimed) ? claimed : await this.#cleared(open, finding, newest);
      if (document === before && before.closed === undefined)
        return this.#takeAll(member, actor, before, finding.parts, open);
      // The replica holds what memory will not, or memory was made anew.
      examination.forget(this.#room);
      if (isRefusal(document)) return document;
    }
    return new Refusal("OVERLOADED", "the update could not be examined", { suggestion: "Send it again." });
  }

  /** The document as it is now, if a sound update may go into it. */
  async #cleared(
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
    return new Refusal("NOT_FOUND", `${path} is another document by now`, { suggestion: "Join again." });
  }

  /** Updates are tried on what memory holds; whatever comes after goes there as it is made. */
  #load(document: Document): Outcome<void> {
    const { examination } = this.#outside;
    if (this.#examined === document && examination.has(this.#room)) return;
    const shared = document.shared(new Map());
    if (isRefusal(shared)) return shared;
    const { lacking } = shared;
    if (lacking.is !== "updates" || lacking.bytes === undefined) throw new Error("nothing lacks nothing");
    examination.load(this.#room, lacking.bytes);
    this.#examined = document;
    this.#newest = document.head.seq;
  }

  /** What others took out meanwhile, too, is not taken out twice, so it makes no room then. */
  #sizeRefusal({ text, head }: Document, { inserted, removed }: Sound, newest: Seq): Refusal | undefined {
    const { maxFileBytes } = this.#outside.workspace.limits;
    const growth = inserted - (head.seq === newest ? removed : 0);
    const bytes = text.bytes + growth;
    return growth > 0 && bytes > maxFileBytes ? tooLargeRefusal(bytes, maxFileBytes) : undefined;
  }

  /** Takes in one part after the other; others get their turns between them (I14). */
  async #takeAll(
    member: Member,
    actor: Actor,
    document: Document,
    [first, ...rest]: readonly Uint8Array[],
    open: () => Promise<Outcome<Document>>,
  ): Promise<Outcome<{ readonly durable: AdoptionResult }>> {
    let durable = this.#take(member, actor, document, first!);
    for (const part of rest) {
      await setImmediate();
      const now = await open();
      if (now !== document || document.closed !== undefined) {
        // The replica that updates are tried on holds what memory will not.
        this.#outside.examination.forget(this.#room);
        return isRefusal(now) ? now : loadedAnew();
      }
      durable = this.#take(member, actor, document, part);
    }
    return { durable };
  }

  #take(member: Member, actor: Actor, document: Document, update: Uint8Array): AdoptionResult {
    this.#source = member;
    try {
      const made = document.adopt(actor, update);
      if (isRefusal(made)) return Promise.resolve(made);
    } finally {
      this.#source = undefined;
    }
    return kept(this.#outside.workspace, document);
  }

  #carry({ change, updates, durable }: FeedUpdate): void {
    const source = this.#source;
    if (source === undefined) this.#outside.examination.feed(this.#room, updates);
    this.#newest = change.seq;
    const before = this.#told;
    const others = [...this.#members].filter((member) => member !== source);
    this.#told = durable.then(
      () => before.then(() => this.#tell(others, updates)),
      // Memory is made anew without it. Nobody got it but its source, who learns that it is missing.
      () => before.then(() => this.#outside.examination.forget(this.#room)),
    );
  }

  #tell(others: readonly Member[], updates: readonly Uint8Array[]): void {
    const { report } = this.#outside.workspace.ports;
    const present = others.filter((member) => this.#members.has(member));
    notifyEach(present, (member) => member.receive(updates), { news: "update", report });
  }
}

function loadedAnew(): Refusal {
  return new Refusal("STALE_VERSION", "the document was loaded anew while the update was taken in", {
    suggestion: "Join again: what is missing is asked for then.",
    details: { reason: "incomplete" },
  });
}

/** Resolves once a document's changes are durable, or with the reason why they were undone. */
async function kept(workspace: Workspace, document: Document): AdoptionResult {
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
      return new Refusal("STALE_VERSION", "the update builds on others that did not arrive", {
        suggestion: "Join again: what is missing is sent then.",
        details: { reason: "incomplete" },
      });
    case "folded":
      return new Refusal("STALE_VERSION", "the update builds on history that is no longer kept", {
        suggestion: "Join with a new LoroDoc, and make the edit there.",
        details: { reason: "folded" },
      });
    case "unsound":
      return new Refusal("INVALID_ARGUMENT", `the update is refused: ${finding.reason}`, {
        suggestion: "Join with a new LoroDoc; this one holds what the document cannot.",
      });
  }
}
