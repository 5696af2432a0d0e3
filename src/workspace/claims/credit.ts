import type { DocPath } from "../../mirror/path.ts";
import type { Actor, Credit } from "../access/actor.ts";
import { type Claim, covers, type Moment, reaches } from "./claim.ts";

/**
 * Returns the agent to which claims credit a change of a file at `moment`; undefined if no claim matches. `paths` are
 * the file's paths before and after. A claim that names the file beats one for any file, and a tool that ran at that
 * moment beats one that had just ended. `sha256` is the hash of the file's new content: a claim of another content makes
 * nothing sure, because the tool did not write that. When the claims of several agents match equally, the actor names them all.
 */
export function creditFor(
  claims: Iterable<Claim>,
  paths: readonly DocPath[],
  moment: Moment,
  sha256?: string,
): Actor | undefined {
  const matching = [...claims].filter(
    (claim) =>
      (claim.path === undefined || paths.includes(claim.path)) &&
      reaches(claim, moment) &&
      paths.every((path) => claim.actor.rights.allows(path, "write")),
  );
  const isNamed = (claim: Claim) => claim.path !== undefined && !contradicts(claim, sha256);
  const named = matching.filter(isNamed);
  const best = named.length > 0 ? named : matching;
  const during = best.filter((claim) => covers(claim, moment));
  const chosen = during.length > 0 ? during : best;
  const [first] = chosen;
  return first && creditedActor(first, chosen, named.length > 0);
}

/** Returns true when the tool of a claim would have written other bytes than the file has now. */
function contradicts(claim: Claim, sha256: string | undefined): boolean {
  return claim.sha256 !== undefined && sha256 !== undefined && claim.sha256 !== sha256;
}

function creditedActor(
  { actor: { name, agent, rights } }: Claim,
  claims: readonly Claim[],
  isSure: boolean,
): Actor {
  const agents = new Map(claims.map(({ actor }) => [actor.agent, actor.name]));
  const session = common(claims.map(({ actor }) => actor.session));
  const message = common(claims.map((claim) => claim.message));
  const isOne = agents.size === 1;
  const credit: Credit = {
    certainty: isOne && isSure ? "sure" : "likely",
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
