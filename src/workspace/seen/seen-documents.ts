import { MOST_SEEN_DOCUMENTS } from "../../work/bounds.ts";
import type { Version } from "../versions/version.ts";
import {
  continued,
  hasAll,
  newer,
  type Range,
  type Sight,
  type Step,
  withOwn,
  withSighting,
} from "./sight.ts";

/** The sights of a session by document id, as they are stored. */
export type Sights = readonly (readonly [docId: string, sight: Sight])[];

/**
 * The versions that one session has seen of each document. The daemon makes edits without a base from them. It drops
 * the document that the session learned of longest ago (I15), which is then unseen.
 */
export class SeenDocuments {
  readonly #sights: Map<string, Sight>;
  readonly #changed: () => void;

  /** `changed` is called after each change. */
  constructor(sights: Sights = [], changed: () => void = () => {}) {
    this.#sights = new Map(sights);
    this.#changed = changed;
  }

  /** Returns the versions of a document that the session has seen; undefined without any. */
  of(docId: string): Sight | undefined {
    return this.#sights.get(docId);
  }

  /** The sights of all documents; the document that the session learned of last comes last. */
  get all(): Sights {
    return [...this.#sights];
  }

  /** Notes that the session has seen the whole text of a version. */
  sawText(docId: string, version: Version): void {
    this.#put(docId, withSighting(this.of(docId), { version, shown: "text" }));
  }

  /** Notes that the session has seen the Markdown view of a version. */
  sawView(docId: string, version: Version): void {
    this.#put(docId, withSighting(this.of(docId), { version, shown: "view" }));
  }

  /** Notes that the session has seen a range of a version's text, which has `chars` code points. */
  sawRange(docId: string, version: Version, range: Range, chars: number): void {
    const sight = withSighting(this.of(docId), { version, shown: [range] });
    if (hasAll(sight, version, chars)) this.sawText(docId, version);
    else this.#put(docId, sight);
  }

  /** Notes that the session learned of a version, but has not seen its text. */
  heardOf(docId: string, version: Version): void {
    const sight = this.of(docId) ?? { version, first: version, sightings: [] };
    this.#put(docId, { ...sight, version: newer(sight.version, version) });
  }

  /** Notes that the session got a change in full. */
  wasTold(docId: string, step: Step): void {
    const sight = this.of(docId);
    const after = sight && continued(sight, step);
    if (after !== undefined && after !== sight) this.#put(docId, after);
  }

  /** Notes a change that the session made. */
  made(docId: string, step: Step): void {
    const { previous } = step;
    const sight = this.of(docId) ?? { version: previous, first: previous, sightings: [] };
    this.#put(docId, withOwn(sight, step));
  }

  #put(docId: string, sight: Sight): void {
    this.#sights.delete(docId);
    this.#sights.set(docId, sight);
    if (this.#sights.size > MOST_SEEN_DOCUMENTS) this.#sights.delete(this.#sights.keys().next().value!);
    this.#changed();
  }
}
