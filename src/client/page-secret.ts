import { SECRET_HEADER } from "../transport/page-secret.ts";

/** What is used of a browser's storage, as this is compiled without its types. */
interface Kept {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

const KEPT_AS = "spliced.page-secret";

/** Where a browser keeps nothing for pages, the secret lasts as long as the page. */
let unkept: string | undefined;

/**
 * The secret that the daemon gave this page's origin at its sign-in. It is read whenever it is needed, as another
 * window may have signed in since.
 */
export function pageSecret(): string | undefined {
  return storage()?.getItem(KEPT_AS) ?? unkept;
}

/** Keeps the secret for all windows of this origin; undefined forgets it. */
export function keepPageSecret(secret: string | undefined): void {
  const kept = storage();
  kept?.removeItem(KEPT_AS);
  unkept = secret;
  if (kept === undefined || secret === undefined) return;
  try {
    kept.setItem(KEPT_AS, secret);
    unkept = undefined;
  } catch {
    // There is no room for it: this window has it.
  }
}

/** Asks the daemon that the page came from, as the browser that is signed in. */
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

function storage(): Kept | undefined {
  try {
    return (globalThis as { readonly localStorage?: Kept }).localStorage;
  } catch {
    return undefined; // the browser was told to keep nothing
  }
}
