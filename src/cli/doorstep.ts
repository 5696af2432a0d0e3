import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

/** How long such a file may be there; milliseconds. A browser has read it long before. */
export const DOORSTEP_MS = 30_000;

const NAME = /^open\.[\w-]{11}\.html$/;

/** A file that leads whoever opens it to an address. */
export interface Doorstep {
  readonly path: string;
  remove(): void;
}

/**
 * Writes a page into a folder that leads on to an address with a key in it. Only this user can read it; its path,
 * which everybody on the machine may see among the arguments of a browser, holds no key. It goes with this process.
 */
export function makeDoorstep(folder: string, address: string): Doorstep {
  sweep(folder);
  const path = join(folder, `open.${randomBytes(8).toString("base64url")}.html`);
  const remove = () => rmSync(path, { force: true });
  process.once("exit", remove);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  writeFileSync(path, leadingTo(address), { mode: 0o600, flag: "wx" });
  return { path, remove };
}

/** Removes what commands left that were killed. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => NAME.test(name))) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && stats.mtimeMs < Date.now() - DOORSTEP_MS) rmSync(path, { force: true });
  }
}

/** A page that leads on to an address. */
export function leadingTo(address: string): string {
  const link = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${link}">
<title>spliced</title>
<p><a href="${link}">Open the page</a></p>
`;
}
