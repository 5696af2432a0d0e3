import { storedStrings } from "../base/stored-list.ts";
import { DISK } from "./authors.ts";

/** The key of the authors in the order in which this browser first showed them. */
const AUTHORS_KEY = "spliced.authors";
/** Most remembered authors (I15). */
const MOST_AUTHORS = 240;

/** Hues in degrees, so that the first authors differ most. */
const HUES = [235, 35, 150, 320, 85, 280, 190, 0, 120, 260, 60, 345] as const;

/** The place of each author in the order of appearance. */
const places = new Map(storedStrings(localStorage, AUTHORS_KEY).map((author, i) => [author, i]));

/** Returns an author's hue in degrees. The page gives out hues in the order in which authors appear. */
function hueOf(author: string): number {
  let place = places.get(author);
  if (place === undefined) {
    place = places.size;
    places.set(author, place);
    if (place < MOST_AUTHORS) localStorage.setItem(AUTHORS_KEY, JSON.stringify([...places.keys()]));
  }
  return HUES[place % HUES.length]!;
}

/** Returns an author's colours for a style attribute. CSS derives them from `--hue`; saves of the file are grey. */
export function authorStyle(author: string): Record<string, string | number> {
  return author === DISK ? { "--hue": 250, "--author-chroma": 0.02 } : { "--hue": hueOf(author) };
}
