/** A set of characters: the ranges (code points, inclusive), or with `except` all other characters. */
export interface CharSet {
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly except: boolean;
}

/** One part of a pattern. The parts of a list match one after the other. */
export type AutomatonPart =
  | { readonly is: "one"; readonly set: CharSet }
  | { readonly is: "many"; readonly set: CharSet }
  | { readonly is: "either"; readonly of: readonly (readonly AutomatonPart[])[] };

/**
 * A place in the pattern. A place with a set consumes one of its characters and leads to all of `to`. A place without
 * a set leads there without a character.
 */
interface Place {
  readonly set?: CharSet;
  readonly to: number[];
}

/** All places that the same characters lead to, and the next state for each class of character. */
interface State {
  /** The places that consume a character, ascending. */
  readonly places: readonly number[];
  readonly accepts: boolean;
  /** True when no string with this beginning matches. */
  readonly dead: boolean;
  readonly next: (State | undefined)[];
}

/** The place at which the pattern ends. */
const END = 0;
const ASCII = 128;
/** The most cells of the table of states; beyond it the table is cleared. */
const MOST_CELLS = 1 << 16;

/**
 * Matches strings against a pattern. A character costs at most as many steps as the pattern has places. It costs one
 * step when the same state has met a character of its class before, because states are built on demand and cached.
 */
export class Automaton {
  readonly #places: Place[] = [{ to: [] }];
  /** The start of each class of characters, ascending; the characters of one class are in the same sets. */
  readonly #bounds: readonly number[];
  readonly #ascii: Uint16Array;
  readonly #states = new Map<string, State>();
  readonly #first: readonly number[];
  #start: State | undefined;
  #steps = 0;

  constructor(parts: readonly AutomatonPart[]) {
    this.#first = [this.#addAll(parts, END)];
    const edges = this.#places.flatMap(({ set }) => set?.ranges.flatMap(([a, z]) => [a, z + 1]) ?? []);
    this.#bounds = [...new Set(edges)].sort((a, b) => a - b);
    this.#ascii = Uint16Array.from({ length: ASCII }, (_, char) => this.#search(char));
  }

  /** The number of places in the pattern. */
  get size(): number {
    return this.#places.length;
  }

  /** The number of places visited so far to build states. */
  get steps(): number {
    return this.#steps;
  }

  matches(s: string): boolean {
    const ascii = this.#ascii;
    let state = this.#start ?? this.#begin();
    for (let i = 0; i < s.length; i++) {
      const char = s.codePointAt(i)!;
      if (char > 0xffff) i++;
      const kind = char < ASCII ? ascii[char]! : this.#search(char);
      state = state.next[kind] ?? this.#follow(state, kind);
      if (state.dead) return false;
    }
    return state.accepts;
  }

  #begin(): State {
    this.#start = this.#stateOf(this.#first);
    return this.#start;
  }

  /** Adds parts before a place, the last part first, and returns the place where they begin. */
  #addAll(parts: readonly AutomatonPart[], next: number): number {
    return parts.reduceRight((to, part) => this.#add(part, to), next);
  }

  #add(part: AutomatonPart, next: number): number {
    if (part.is === "one") return this.#places.push({ set: part.set, to: [next] }) - 1;
    const to: number[] = [];
    const fork = this.#places.push({ to }) - 1;
    if (part.is === "either") to.push(...part.of.map((parts) => this.#addAll(parts, next)));
    else to.push(this.#places.push({ set: part.set, to: [fork] }) - 1, next);
    return fork;
  }

  /** Returns the class of a character: the number of classes that begin at or before it. */
  #search(char: number): number {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#bounds[middle]! <= char) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #follow(state: State, kind: number): State {
    const char = kind === 0 ? 0 : this.#bounds[kind - 1]!;
    const reached = state.places.flatMap((place) => {
      const { set, to } = this.#places[place]!;
      return holds(set!, char) ? to : [];
    });
    this.#steps += state.places.length;
    const next = this.#stateOf(reached);
    state.next[kind] = next;
    return next;
  }

  /** Returns the state of some places and of all places that they lead to without a character. */
  #stateOf(from: readonly number[]): State {
    const seen = new Set(from);
    // The loop also visits elements that it adds to the set.
    for (const place of seen) {
      const { set, to } = this.#places[place]!;
      if (set === undefined) for (const other of to) seen.add(other);
    }
    this.#steps += seen.size;
    const places = [...seen].filter((place) => this.#places[place]!.set !== undefined).sort((a, b) => a - b);
    const key = `${seen.has(END)} ${places.join()}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const kinds = this.#bounds.length + 1;
    if (this.#states.size * kinds > MOST_CELLS) this.#forget();
    const next = new Array<State | undefined>(kinds).fill(undefined);
    const accepts = seen.has(END);
    const state = { places, accepts, dead: places.length === 0 && !accepts, next };
    this.#states.set(key, state);
    return state;
  }

  #forget(): void {
    this.#states.clear();
    this.#start = undefined;
  }
}

function holds({ ranges, except }: CharSet, char: number): boolean {
  return ranges.some(([first, last]) => first <= char && char <= last) !== except;
}
