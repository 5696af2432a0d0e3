import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

/** The longest that a redirect page exists, in milliseconds. A browser reads it within a second or two. */
export const REDIRECT_MS = 30_000;

const NAME = /^open\.[\w-]{11}\.html$/;

/** A file that sends a browser on to an address. */
interface RedirectPage {
  readonly path: string;
  remove(): void;
}

/**
 * Writes a page that redirects to an address with a key in it. Only this user can read the page. Everybody on the
 * machine can see a browser's arguments, so the page's path has no key. The page is removed when this process ends.
 */
export function writeRedirectPage(folder: string, address: string): RedirectPage {
  removeOldPages(folder);
  const path = join(folder, `open.${randomBytes(8).toString("base64url")}.html`);
  const remove = () => rmSync(path, { force: true });
  process.once("exit", remove);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  writeFileSync(path, redirectTo(address), { mode: 0o600, flag: "wx" });
  return { path, remove };
}

/** Removes the pages of commands that were killed. */
function removeOldPages(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => NAME.test(name))) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && stats.mtimeMs < Date.now() - REDIRECT_MS) rmSync(path, { force: true });
  }
}

/** Returns the HTML of a page that redirects to an address. */
export function redirectTo(address: string): string {
  const link = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${link}">
<title>spliced</title>
<p><a href="${link}">Open the page</a></p>
`;
}
