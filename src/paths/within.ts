import { sep } from "node:path";

/** Returns true for the folder `around` itself, and for each path in it; both are absolute and normal. */
export function isWithin(path: string, around: string): boolean {
  return path === around || path.startsWith(around.endsWith(sep) ? around : around + sep);
}
