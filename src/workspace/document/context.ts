import type { Peer } from "../../doc/peers.ts";
import type { Fate } from "../../mirror/mirrored-document.ts";
import type { Turns } from "../../mirror/turns.ts";
import type { Seq } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Listener } from "../events/events.ts";
import type { UpdateFeed } from "../events/update-feed.ts";
import type { Rollbacks } from "../journal/rollback.ts";
import type { Limits, Ports } from "../ports.ts";

/** What documents share. */
export interface Context {
  readonly ports: Ports;
  readonly limits: Limits;
  readonly emit: Listener;
  /** In which files that changed or appeared are taken in. */
  readonly turns: Turns;
  readonly rollbacks: Rollbacks;
  /** What became of a document's file, which is missing. */
  readonly fateOf: (docId: string) => Promise<Fate>;
  /** The first of a document's changes that its history is to keep. */
  readonly keepFrom: (docId: string) => Seq;
  readonly newId: (prefix: string) => string;
  readonly updates: UpdateFeed;
  /** The peer that writes for an actor on one kind of replica, new in every process (I8). */
  readonly peerOf: (actor: Actor, replica: "memory" | "disk") => Peer;
}
