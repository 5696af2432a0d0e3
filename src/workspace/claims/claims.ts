import type { Clock } from "../../mirror/clock.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import { CLAIM_KEPT_MS, CLAIM_MS, MOST_CLAIMS, MOST_TURNS } from "../../work/bounds.ts";
import { type Actor, DISK, tokenNameOf } from "../access/actor.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { digestNow } from "../versions/digest.ts";
import type { Claim, Moment } from "./claim.ts";
import { creditFor } from "./credit.ts";
import { News } from "./news.ts";
import { Reads } from "./reads.ts";
import { TakenIn } from "./taken-in.ts";

/** A claim to open. */
export interface ClaimRequest {
  readonly call?: string | undefined;
  readonly path?: DocPath | undefined;
  readonly sha256?: string | undefined;
  readonly message?: string | undefined;
  readonly connection?: string | undefined;
}

/** The most times that the daemon asks a late watcher for what happened before a claim closed. */
const MOST_TRIES = 10;

/** Selects claims of an agent: the claims of a session, of a call, or all. */
export interface ClaimSelection {
  readonly id?: string | undefined;
  readonly call?: string | undefined;
}

/**
 * Owns the claims of agents whose tools run now or ran lately, and decides whose a save is. Claims are in memory only.
 *
 *     open ── close, the end of its connection or turn, 10 minutes ──► closed ── 2 minutes ──► forgotten
 */
export class Claims {
  readonly reads: Reads;
  readonly news = new News();
  readonly takenIn: TakenIn;
  readonly #clock: Clock;
  readonly #newId: (prefix: string) => string;
  readonly #caughtUp: () => Promise<boolean>;
  /** The claims of each token, oldest first. */
  readonly #byToken = new Map<string, Map<string, Claim>>();
  /** The prompt of each session's turn, by the identity and the session. */
  readonly #turns = new Map<string, string>();

  /**
   * `caughtUp` resolves with true once the daemon has seen what happened to all files before the call, with false if it has
   * not after a while, or cannot know. `lookAtAll` resolves once the daemon has also taken in all of that.
   */
  constructor(
    clock: Clock,
    newId: (prefix: string) => string,
    caughtUp: () => Promise<boolean>,
    lookAtAll: () => Promise<void>,
  ) {
    this.#clock = clock;
    this.#newId = newId;
    this.#caughtUp = caughtUp;
    this.reads = new Reads(clock);
    this.takenIn = new TakenIn(clock, lookAtAll);
  }

  /** Opens a claim and returns its id. */
  open(actor: Actor, { message, sha256, ...request }: ClaimRequest): Outcome<string> {
    const token = tokenNameOf(actor.agent);
    const claims = this.#byToken.get(token) ?? new Map<string, Claim>();
    const now = this.#clock.now();
    this.#forget(claims, now);
    if (claims.size >= MOST_CLAIMS && !dropClosed(claims))
      return new Refusal("OVERLOADED", `this token has ${claims.size} open claims, which is the limit`, {
        suggestion: "Close each claim once its tool has ended, then try again.",
        details: { limit: MOST_CLAIMS },
      });
    const id = this.#newId("clm");
    claims.set(id, {
      id,
      actor,
      ...request,
      sha256: sha256?.toLowerCase(),
      message: message ?? this.#turns.get(turnOf(actor)),
      opened: now,
      until: now + CLAIM_MS,
      seen: now + CLAIM_MS,
      closed: false,
    });
    this.#byToken.set(token, claims);
    return id;
  }

  /** Closes open claims of an agent, and returns their number. With a session, only that session's. */
  close(actor: Actor, { id, call }: ClaimSelection): number {
    return this.#close(
      tokenNameOf(actor.agent),
      (claim) =>
        (id === undefined || claim.id === id) &&
        (id !== undefined || claim.actor.agent === actor.agent) &&
        (id !== undefined || actor.session === undefined || claim.actor.session === actor.session) &&
        (call === undefined || claim.call === call),
    );
  }

  /** Closes the claims that end with a connection. */
  endConnection(connection: string): void {
    for (const token of this.#byToken.keys()) this.#close(token, (claim) => claim.connection === connection);
  }

  /** Begins or ends a turn of a session: closes its claims. `message` is for the claims of the new turn. */
  turn(actor: Actor, message: string | undefined): void {
    this.close(actor, {});
    const turn = turnOf(actor);
    this.#turns.delete(turn);
    if (message === undefined) return;
    this.#turns.set(turn, message);
    if (this.#turns.size > MOST_TURNS) this.#turns.delete(this.#turns.keys().next().value!);
  }

  /**
   * Returns the author of a change that something outside the daemon made to a file: an agent, or the disk. `content` is
   * the new content of the file, if it has one.
   */
  authorOf(paths: readonly DocPath[], moment: Moment, content?: Decoded): Actor {
    if (this.#byToken.size === 0) return DISK;
    const claims = [...this.#byToken.values()].flatMap((own) => [...own.values()]);
    return creditFor(claims, paths, moment, content && digestNow(content)) ?? DISK;
  }

  #close(token: string, isMeant: (claim: Claim) => boolean): number {
    const claims = this.#byToken.get(token);
    if (claims === undefined) return 0;
    const now = this.#clock.now();
    const ended = [...claims.values()].filter((claim) => !claim.closed && isMeant(claim));
    for (const claim of ended) {
      const until = Math.min(now, claim.until);
      claims.set(claim.id, { ...claim, closed: true, until, seen: Number.POSITIVE_INFINITY });
    }
    this.#forget(claims, now);
    if (ended.length > 0) void this.#see(ended, claims);
    return ended.length;
  }

  /** Notes when the daemon has seen all that the tools of closed claims removed: a busy machine tells it late. */
  async #see(ended: readonly Claim[], claims: Map<string, Claim>): Promise<void> {
    for (let tries = 1; !(await this.#caughtUp()) && tries < MOST_TRIES; tries++);
    const seen = this.#clock.now();
    for (const { id } of ended) {
      const claim = claims.get(id);
      if (claim !== undefined) claims.set(id, { ...claim, seen });
    }
  }

  /** Drops the claims that ended long enough ago for the daemon to have seen all of their saves. */
  #forget(claims: Map<string, Claim>, now: number): void {
    for (const { id, until } of claims.values()) if (until + CLAIM_KEPT_MS < now) claims.delete(id);
  }
}

/** Drops the oldest closed claim; returns false if there is none. */
function dropClosed(claims: Map<string, Claim>): boolean {
  const closed = [...claims.values()].find((claim) => claim.closed);
  return closed !== undefined && claims.delete(closed.id);
}

function turnOf({ agent, session }: Actor): string {
  return JSON.stringify([agent, session]);
}
