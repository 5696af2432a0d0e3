import { MOST_TOKEN_PATTERNS } from "../work/bounds.ts";
import { Quota } from "../workspace/access/quota.ts";

/** Patterns that connections subscribe to, by token; each notification is held against all of them. */
export function patternQuota(): Quota {
  const advice = "Unsubscribe from some of them, or use one pattern for several, as {docs,notes}/**.";
  return new Quota(MOST_TOKEN_PATTERNS, { things: "subscribed patterns", advice });
}
