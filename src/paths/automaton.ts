/** Characters that one step takes: those in the ranges (code points, inclusive), or all others. */
export interface CharSet {
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly except: boolean;
}

/** One part of a pattern. The parts of a list are taken one after the other. */
export type AutomatonPart =
  | { readonly is: "one"; readonly set: CharSet }
  | { readonly is: "many"; readonly set: CharSet }
  | { readonly is: "either"; readonly of: readonly (readonly AutomatonPart[])[] };

/** A place in the pattern. One with a set takes a character of it and goes on to all of `to`; others go on at once. */
interface Place {
  readonly set?: CharSet;
  readonly to: number[];
}

/** All places that the same characters lead to, and by class of character what the next one leads to. */
interface State {
  /** Places that take a character, ascending. */
  readonly places: readonly number[];
  readonly accepts: boolean;
  /** Nothing that begins like this matches. */
  readonly dead: boolean;
  readonly next: (State | undefined)[];
}

/** The place at which the pattern is over. */
const END = 0;
const ASCII = 128;
/** Most cells of the table of states; past it the table is begun anew. */
const MOST_CELLS = 1 << 16;

/**
 * Matches strings against a pattern. A character costs at most as many steps as the pattern has places, and one step
 * where the same state has met such a character before: states are made as they are needed.
 */
export class Automaton {
  readonly #places: Place[] = [{ to: [] }];
  /** Where classes of characters begin, ascending; the characters of one class are in the same sets. */
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

  /** Places in the pattern. */
  get size(): number {
    return this.#places.length;
  }

  /** Places looked at so far to make states. */
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

  /** Adds parts ahead of a place, the last one first; answers where they begin. */
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

  /** The class of a character: how many classes begin at it or before. */
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

  /** The state of some places and of all that are reached from them without a character. */
  #stateOf(from: readonly number[]): State {
    const seen = new Set(from);
    // A set tells what is added to it while it is gone through.
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
