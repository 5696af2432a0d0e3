import type { Located } from "./locate.ts";

/** Returns the token that SPLICED_TOKEN names for everything that this program does; undefined for the owner's. */
export function givenToken(): string | undefined {
  return process.env["SPLICED_TOKEN"] || undefined;
}

/** Returns how to reach a daemon with the token that SPLICED_TOKEN names, or else the owner's. */
export function withGivenToken(located: Located): Located {
  return { ...located, token: givenToken() ?? located.token };
}
