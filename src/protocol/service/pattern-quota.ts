import { MOST_TOKEN_PATTERNS } from "../../work/bounds.ts";
import { Quota } from "../../workspace/access/quota.ts";

/** Returns the quota for a token's subscribed patterns: a notification of a new path may be matched with all of them. */
export function patternQuota(): Quota {
  const advice = "Unsubscribe from some of them, or use one pattern for several, as {docs,notes}/**.";
  return new Quota(MOST_TOKEN_PATTERNS, { things: "subscribed patterns", advice });
}
