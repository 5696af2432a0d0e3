import { SECRET_HEADER } from "../transport/page-secret.ts";

/**
 * The parts of a browser's storage that this file uses: the build compiles it without the browser's types.
 */
interface PageStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

const STORAGE_KEY = "spliced.page-secret";

/** The secret of a page whose browser stores nothing; it lasts as long as the page. */
let unstored: string | undefined;

/**
 * Returns the secret that the daemon gave this page's origin at sign-in. Callers read it at each use, because
 * another window may have signed in since.
 */
export function pageSecret(): string | undefined {
  return storage()?.getItem(STORAGE_KEY) ?? unstored;
}

/** Stores the secret for all windows of this origin; undefined removes it. */
export function keepPageSecret(secret: string | undefined): void {
  const stored = storage();
  stored?.removeItem(STORAGE_KEY);
  unstored = secret;
  if (stored === undefined || secret === undefined) return;
  try {
    stored.setItem(STORAGE_KEY, secret);
    unstored = undefined;
  } catch {
    // The storage is full: only this window has the secret.
  }
}

/** Sends a request to the page's daemon as the signed-in browser. */
export function fetchAsPage(
  address: string | URL,
  {
    headers,
    ...init
  }: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const secret = pageSecret();
  return fetch(address, {
    credentials: "same-origin",
    ...init,
    headers: { ...headers, ...(secret !== undefined && { [SECRET_HEADER]: secret }) },
  });
}

function storage(): PageStorage | undefined {
  try {
    return (globalThis as { readonly localStorage?: PageStorage }).localStorage;
  } catch {
    return undefined; // the browser's settings forbid storage
  }
}
