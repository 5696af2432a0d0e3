import { join } from "node:path";

/** The file in the state folder that stores the link of a shared folder. */
const LINK_FILE = "link.json";

/** Returns the path of the file that stores the link of a folder. */
export function linkFileIn(state: string): string {
  return join(state, LINK_FILE);
}
