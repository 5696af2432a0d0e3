import type { DocPath } from "../../mirror/path.ts";
import type { Actor, Credit } from "../access/actor.ts";
import { type Claim, covers, type Moment, reaches } from "./claim.ts";

/**
 * Returns the agent to which claims credit a change of a file at `moment`; undefined if no claim matches. `paths` are
 * the file's paths before and after. A claim that names the file beats one for any file, and a tool that ran at that
 * moment beats one that had just ended. When the claims of several agents match equally, the actor names them all.
 */
export function creditFor(
  claims: Iterable<Claim>,
  paths: readonly DocPath[],
  moment: Moment,
): Actor | undefined {
  const matching = [...claims].filter(
    (claim) =>
      (claim.path === undefined || paths.includes(claim.path)) &&
      reaches(claim, moment) &&
      paths.every((path) => claim.actor.rights.allows(path, "write")),
  );
  const named = matching.filter(({ path }) => path !== undefined);
  const best = named.length > 0 ? named : matching;
  const during = best.filter((claim) => covers(claim, moment));
  const chosen = during.length > 0 ? during : best;
  const [first] = chosen;
  return first && creditedActor(first, chosen);
}

function creditedActor({ actor: { name, agent, rights }, path }: Claim, claims: readonly Claim[]): Actor {
  const agents = new Map(claims.map(({ actor }) => [actor.agent, actor.name]));
  const session = common(claims.map(({ actor }) => actor.session));
  const message = common(claims.map((claim) => claim.message));
  const isOne = agents.size === 1;
  const credit: Credit = {
    certainty: isOne && path !== undefined ? "sure" : "likely",
    ...(isOne && message !== undefined && { message }),
    ...(!isOne && { candidates: [...agents.keys()] }),
  };
  return {
    name: isOne ? name : [...new Set(agents.values())].join(" or "),
    agent: isOne ? agent : [...agents.keys()].join(" or "),
    rights,
    ...(isOne && session !== undefined && { session }),
    credit,
  };
}

/** Returns the value that all have in common; undefined if there is none. */
function common(values: readonly (string | undefined)[]): string | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? first : undefined;
}
