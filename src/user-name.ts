import { userInfo } from "node:os";

/** Returns the system's name for this user; undefined where the system has none, as in a container. */
export function userName(ask = () => userInfo().username): string | undefined {
  try {
    return ask() || undefined;
  } catch {
    return undefined;
  }
}
