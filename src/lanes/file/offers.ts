import type { Decoded } from "../../mirror/format.ts";
import type { Seq } from "../../store/store.ts";
import type { Document } from "../../workspace/document/document.ts";
import type { LaneFileRecord, StoredOffer } from "../records/record.ts";
import { lyingIn, textOf } from "./take-in.ts";

/** A proposal that has a file of a lane, and the text that it has. */
export interface Offer {
  readonly proposal: string;
  /** Undefined after a restart if the lane's record does not tell the text. */
  readonly content: Decoded | undefined;
}

/** Returns the offers of a record; `shown` is the text of the file if that is known. */
export function readOffers(
  { offers, proposal }: LaneFileRecord,
  document: Document | undefined,
  shown: Decoded | undefined,
): readonly Offer[] {
  const stored = offers ?? (proposal === undefined ? [] : [{ proposal }]);
  return stored.map((offer) => {
    const { seq, own } = offer;
    const text = seq === undefined ? undefined : textOf(document, { seq, own });
    const content = text && document && { bom: document.content.bom, text };
    return {
      proposal: offer.proposal,
      content: content ?? (offer.proposal === proposal ? shown : undefined),
    };
  });
}

/** Returns the stored form of a new offer of a file, whose text was made from that after `seq`. */
export function storedOffer(
  { proposal, content }: { readonly proposal: string; readonly content: Decoded },
  document: Document | undefined,
  seq: Seq | undefined,
): StoredOffer {
  const there = seq === undefined ? undefined : textOf(document, { seq });
  return seq === undefined || there === undefined
    ? { proposal }
    : { proposal, ...lyingIn(there, seq, content.text) };
}
