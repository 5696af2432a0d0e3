import { userInfo } from "node:os";

/** What the system calls who runs this; undefined where it has no name for them, as in a container. */
export function userName(ask = () => userInfo().username): string | undefined {
  try {
    return ask() || undefined;
  } catch {
    return undefined;
  }
}
