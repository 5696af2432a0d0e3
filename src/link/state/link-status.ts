import type { Level } from "../../workspace/access/rights.ts";
import { isGone, type LinkedDocument, lacksSome } from "./link-state.ts";

export interface MachineStatus {
  readonly machine: string;
  readonly name: string;
  readonly isSelf: boolean;
  /** The time of the machine's last word, in milliseconds since the epoch; undefined without a word since the start. */
  readonly lastSeen: number | undefined;
  readonly isConnected: boolean;
  /** The number of this machine's messages that the other one has not yet reported as received. */
  readonly behind: number;
  /** The highest level that the machine has on any path. */
  readonly level: Level;
}

export interface LinkStatus {
  readonly carrier: "connected" | "away" | "stopped";
  /** The reason, for a person, why the carrier is away or the link stopped. */
  readonly reason: string | undefined;
  /** The time at which the carrier was last lost or reached; milliseconds since the epoch. */
  readonly since: number;
  /** The number of this machine's messages that wait for the carrier. */
  readonly waiting: number;
  /** The time at which the oldest of these messages was made; milliseconds since the epoch. */
  readonly waitingSince: number | undefined;
  /** The reason why the carrier does not take these messages, although it is connected. */
  readonly refusal: string | undefined;
  /** The number of other machines' messages that wait for further messages. */
  readonly incoming: number;
  readonly isFull: boolean;
  readonly machines: readonly MachineStatus[];
  /** The documents that other machines have and this machine lacks, with the reason. */
  readonly withheld: readonly { readonly path: string; readonly reason: string }[];
  /** The paths of the documents of which the others ignore changes of this machine, whose level does not allow them. */
  readonly ignored: readonly string[];
}

/** Returns the documents that are not the same on the machine `self` and on the others. */
export function unequal(
  documents: readonly LinkedDocument[],
  self: string,
): Pick<LinkStatus, "withheld" | "ignored"> {
  const withheld = documents.filter(lacksSome).flatMap(({ name, withheld, lacks }) => {
    const reason = withheld ?? (lacks && `a change could not be applied here: ${lacks.reason}`);
    return reason === undefined ? [] : [{ path: name.path, reason }];
  });
  // A document that another machine deleted is gone on all machines.
  const isDeleted = (linked: LinkedDocument) => isGone(linked) && linked.name.stamp.machine !== self;
  const ignored = documents.filter((linked) => linked.ignoredAt !== undefined && !isDeleted(linked));
  return { withheld, ignored: ignored.map(({ name }) => name.path) };
}
