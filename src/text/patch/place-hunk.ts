import { AnchorLines } from "./anchor-lines.ts";
import type { DocumentLines } from "./document-lines.ts";
import { fuzzed } from "./fuzz.ts";
import type { Hunk } from "./hunk.ts";
import { LOOSE_BLANK, looseLine, looseLines } from "./loose-lines.ts";
import { isPatchFailure, type Match, type PatchFailure } from "./patch-failure.ts";
import {
  refuseApplied,
  refuseCopy,
  refuseInsert,
  refuseMismatch,
  refusePlace,
  refuseRepeated,
} from "./refuse-hunk.ts";
import { endFits, fits, isAtEdge, MAX_OFFSET, occurrencesOf, type Search, searchFor } from "./search.ts";
import { withBlanksOf, withoutBlankEnds } from "./skip-blanks.ts";

/** The difference that was ignored to place a hunk. */
export type Allowance = "white space" | "blank lines" | "context" | "missing lines";

/** The place of a hunk, and the hunk as it fits there. */
interface FittedHunk {
  readonly hunk: Hunk;
  /** The index of the hunk's first line in the document. */
  readonly place: number;
  /** The distance in lines from the header's place; 0 when the header has none. */
  readonly offset: number;
  readonly fuzz: 0 | 1 | 2;
  readonly allowed?: Allowance;
  /** The edge of the document that the hunk comes from; set when it fits elsewhere. */
  readonly away?: "start" | "end";
}

/** The most places at which the search tries a hunk with other blank lines. */
const MOST_TRIED = 1000;
/**
 * The number of passes over all lines for a hunk that does not match exactly, and the most lines examined for all
 * hunks (I14).
 */
const PASSES = 4;
const MOST_EXAMINED = 40_000_000;

/**
 * Places hunks one after the other. A strict match requires exact lines. A tolerant match retries a hunk that matches
 * nowhere with these steps, in order:
 * - any white space (fuzz 1);
 * - other blank lines in between (fuzz 1);
 * - without the outermost context line of each side (fuzz 1);
 * - without the two outermost context lines of each side (fuzz 2).
 *
 * A step that finds several places, or a place too far away, ends the search, because the next step would guess.
 * Beyond a bound of work, only exact matches are searched for.
 */
export class HunkPlacer {
  readonly #document: DocumentLines;
  readonly #match: Match;
  /** True when the document is the text that the patch was made from, so that no hunk of it is applied already. */
  readonly #own: boolean;
  readonly #anchors: AnchorLines;
  #loose: DocumentLines | undefined;
  #examined = 0;

  constructor(document: DocumentLines, match: Match, own: boolean) {
    this.#document = document;
    this.#match = match;
    this.#own = own;
    this.#anchors = new AnchorLines(document);
  }

  /** Places a hunk. `carried` is the offset of the previous hunk, `after` its end. */
  place(hunk: Hunk, number: number, carried: number, after: number): FittedHunk | PatchFailure {
    const anchor = this.#anchors.find(hunk.anchors ?? []);
    const search = searchFor(hunk, number, { carried, after, anchor });
    const landing = hunk.oldCount === 0 ? this.#insert(search) : this.#find(search);
    return (this.#own ? undefined : this.#refuseRepeated(search, landing)) ?? landing;
  }

  #refuseRepeated(search: Search, landing: FittedHunk | PatchFailure): PatchFailure | undefined {
    const document = this.#document;
    if (!isPatchFailure(landing)) {
      const view = landing.fuzz === 0 ? document : this.#view;
      return refuseRepeated(document, view, { ...search, hunk: landing.hunk }, landing.place);
    }
    return landing.reason === "context_ambiguous"
      ? refuseRepeated(document, document, search, undefined)
      : undefined;
  }

  #find(search: Search): FittedHunk | PatchFailure {
    const { hunk, after } = search;
    const document = this.#document;
    const places = occurrencesOf(document, document, search);
    if (isOne(places, after))
      return hunk.short
        ? this.#fitted(search, places[0], 1, "missing lines")
        : this.#fitted(search, places[0], 0);
    const refused = refusePlace(document, document, search, places) ?? refuseApplied(document, search);
    const ends = refused !== undefined && refused.reason !== "context_mismatch";
    this.#examined += PASSES * document.count;
    const landing =
      this.#match === "strict" || ends || this.#examined > MOST_EXAMINED ? undefined : this.#tolerant(search);
    return landing ?? refused ?? refuseMismatch(document, search);
  }

  #tolerant(search: Search): FittedHunk | PatchFailure | undefined {
    return (
      this.#anySpace(search) ??
      this.#otherBlanks(search) ??
      this.#lessContext(search, 1) ??
      this.#lessContext(search, 2)
    );
  }

  /** Places a hunk without old lines. Such a hunk has no text to search for, so only its stated place is valid. */
  #insert(search: Search): FittedHunk | PatchFailure {
    const { stated, carried, after } = search;
    const { count } = this.#document;
    const place = stated ?? (count === 0 ? 0 : undefined);
    const sure = place !== undefined && carried === 0 && place >= after && place <= count;
    if (!sure || !endFits(this.#document, search, place)) return refuseInsert(this.#document, search);
    return (this.#own ? undefined : refuseCopy(this.#document, search)) ?? this.#fitted(search, place, 0);
  }

  #anySpace(search: Search): FittedHunk | PatchFailure | undefined {
    const loose = loosely(search);
    const places = occurrencesOf(this.#document, this.#view, loose);
    if (isOne(places, search.after)) return this.#fitted(loose, places[0], 1, "white space");
    return this.#refused(loose, places);
  }

  #otherBlanks(search: Search): FittedHunk | PatchFailure | undefined {
    const hunk = withoutBlankEnds(search.hunk);
    if (hunk === undefined) return undefined;
    const around = loosely(searchFor(hunk, search.number, search));
    const { stated, carried, pattern } = around;
    const from = stated === undefined ? 0 : stated - MAX_OFFSET;
    const to = stated === undefined ? this.#document.count : stated + MAX_OFFSET;
    const starts = this.#view.find(pattern.slice(0, 1), from, to);
    if (starts.length > MOST_TRIED) return undefined;
    const found: { readonly search: Search; readonly place: number }[] = [];
    for (const place of starts) {
      const fitting = withBlanksOf(this.#view, hunk, place);
      const fit = fitting && searchFor(fitting, search.number, search);
      if (fit !== undefined && fits(this.#document, fit, place)) found.push({ search: fit, place });
    }
    const isStated = (place: number) =>
      stated !== undefined && (place === stated + carried || place === stated);
    const only = found.length === 1 ? found[0] : found.find(({ place }) => isStated(place));
    if (only !== undefined && only.place >= search.after)
      return this.#fitted(only.search, only.place, 1, "blank lines");
    return this.#refused(
      around,
      found.map(({ place }) => place),
    );
  }

  #lessContext(search: Search, fuzz: 1 | 2): FittedHunk | PatchFailure | undefined {
    const hunk = fuzzed(search.hunk, fuzz);
    if (hunk === undefined) return undefined;
    const less = loosely(searchFor(hunk, search.number, search));
    // A pattern of blank lines alone identifies no place.
    if (less.pattern.every((line) => line === LOOSE_BLANK)) return undefined;
    const places = occurrencesOf(this.#document, this.#view, less);
    if (isOne(places, search.after)) return this.#fitted(less, places[0], fuzz, "context");
    return places.length > 1 ? this.#refused(less, places) : undefined;
  }

  /** Returns the reason to end the search; undefined when the next step may try. */
  #refused(search: Search, places: readonly number[]): PatchFailure | undefined {
    const refused = refusePlace(this.#document, this.#view, search, places);
    return refused?.reason === "context_mismatch" ? undefined : refused;
  }

  #fitted(search: Search, place: number, fuzz: 0 | 1 | 2, allowed?: Allowance): FittedHunk {
    const { hunk, stated, edge } = search;
    const offset = stated === undefined ? 0 : place - stated;
    const away = isAtEdge(this.#document, search, place) ? undefined : edge;
    return { hunk, place, offset, fuzz, ...(allowed && { allowed }), ...(away && { away }) };
  }

  get #view(): DocumentLines {
    this.#loose ??= looseLines(this.#document);
    return this.#loose;
  }
}

function loosely(search: Search): Search {
  return { ...search, pattern: search.pattern.map(looseLine) };
}

/**
 * True when the hunk has exactly one place, after the previous hunk. A hunk without a stated place may match before
 * it.
 */
function isOne(places: readonly number[], after: number): places is readonly [number] {
  return places.length === 1 && places[0]! >= after;
}
