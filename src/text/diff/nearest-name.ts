import { likeness, signatureOf } from "./similar.ts";

/** The least likeness of a name to the one that was meant. */
const ALIKE = 0.5;

/** Returns the name that a misspelled one probably means; undefined when none is like it. */
function nearestName(given: string, names: readonly string[]): string | undefined {
  const wanted = signatureOf(given.toLowerCase());
  const rated = names.map((name) => ({ name, like: likeness(wanted, signatureOf(name.toLowerCase())) }));
  const best = rated.reduce((one, other) => (other.like > one.like ? other : one), { name: "", like: 0 });
  return best.like >= ALIKE ? best.name : undefined;
}

/** Returns a misspelled name as refusals quote it, with the name that it probably means. */
export function quoteUnknown(given: string, names: readonly string[]): string {
  const nearest = nearestName(given, names);
  const quoted = JSON.stringify(given.slice(0, MOST_QUOTED));
  return nearest === undefined ? quoted : `${quoted} (did you mean ${JSON.stringify(nearest)}?)`;
}

const MOST_QUOTED = 80;
