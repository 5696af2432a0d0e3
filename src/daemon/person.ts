import { userInfo } from "node:os";
import { OWN_NAMES } from "../workspace/actor.ts";

const UNNAMED = "person";

/** What a person at the page is called who has not said: by their user name, where there is one that may be taken. */
export function personHere(userName = () => userInfo().username): string {
  try {
    const name = userName();
    return name === "" || OWN_NAMES.has(name) ? UNNAMED : name;
  } catch {
    return UNNAMED; // in a container the system need not know who its user is
  }
}
