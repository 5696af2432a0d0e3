import { computed, signal } from "@preact/signals";
import { type Client, connect, fetchAsPage, keepPageSecret, pageSecret } from "../../../client/browser.ts";
import { askToConfirm } from "./confirm.ts";
import { personName } from "./person.ts";

/** The state of the page's connection to its daemon. */
export type PageSession =
  | { readonly is: "starting" }
  /**
   * No valid sign-in. `failed`: why the key in the address did not work. `again`: this browser was signed in before.
   */
  | { readonly is: "signed-out"; readonly failed: string | undefined; readonly again: boolean }
  /** The daemon has not answered since the page was loaded. */
  | { readonly is: "unreachable"; readonly reason: string }
  | { readonly is: "open"; readonly daemon: Client; readonly connected: boolean };

export const pageSession = signal<PageSession>({ is: "starting" });

/** The workspace folder; empty until the page is connected. */
export const workspace = signal("");

/** The client of the daemon once the page is signed in; it may be reconnecting. */
export const daemon = computed(() =>
  pageSession.value.is === "open" ? pageSession.value.daemon : undefined,
);
export const connected = computed(() => pageSession.value.is === "open" && pageSession.value.connected);

/** Returns the client of the daemon. @throws RangeError unless the page is signed in, as every view requires */
export function theDaemon(): Client {
  const client = daemon.value;
  if (client === undefined) throw new RangeError("a view needs a signed-in page");
  return client;
}

/** A sign-in key in the address, after `#`, which the browser never sends. */
const KEY_IN_ADDRESS = /^#(?:(?:key|token)=)?([\w-]{20,})(?:&to=(.*))?$/;
/** Milliseconds between two attempts to sign in. */
const RETRY_MS = 1_500;

// A link with a key may be opened in a page that is already loaded.
addEventListener("hashchange", () => {
  if (KEY_IN_ADDRESS.test(location.hash)) location.reload();
});

/** Signs in with the key in the address, if there is one, and connects. Repeats this until the page is connected. */
export async function signIn(): Promise<void> {
  const [, key, to = "/"] = KEY_IN_ADDRESS.exec(location.hash) ?? [];
  if (key !== undefined) location.replace(`#${to}`);
  try {
    const failed = key === undefined ? earlierFailure() : await signInWith(key);
    const answer = await fetchAsPage("/session");
    if (answer.status === 401) {
      const { again = false } = (await answer.json()) as { again?: boolean };
      pageSession.value = { is: "signed-out", failed, again };
    } else if (!answer.ok) pageSession.value = { is: "unreachable", reason: await reasonOf(answer) };
    else {
      const { name, workspace: folder } = (await answer.json()) as { name: string; workspace: string };
      workspace.value = folder;
      await openConnection(name);
    }
  } catch (error) {
    pageSession.value = { is: "unreachable", reason: error instanceof Error ? error.message : String(error) };
  }
  // Another window may sign this browser in.
  if (pageSession.value.is !== "open") setTimeout(() => void signIn(), RETRY_MS);
}

function earlierFailure(): string | undefined {
  return pageSession.value.is === "signed-out" ? pageSession.value.failed : undefined;
}

/** Signs this browser out. @throws if the daemon cannot be reached; the browser then stays signed in */
export async function signOut(): Promise<void> {
  const answer = await fetchAsPage("/session", { method: "DELETE" });
  if (!answer.ok && answer.status !== 401) throw new Error(await reasonOf(answer));
  keepPageSecret(undefined);
  await daemon.value?.close();
  pageSession.value = { is: "signed-out", failed: undefined, again: false };
}

/**
 * Signs in with a link's key, unless the person prefers the current sign-in. Returns why the key failed, or undefined.
 */
async function signInWith(key: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${key}` };
  const link = await fetch("/session/invitation", { headers });
  if (!link.ok) return reasonOf(link);
  const { token } = (await link.json()) as { token: string };
  if (!(await mayReplaceSignIn(token))) return undefined;
  const answer = await fetchAsPage("/session", { method: "POST", headers });
  if (!answer.ok) return reasonOf(answer);
  keepPageSecret(((await answer.json()) as { secret: string }).secret);
  return undefined;
}

/** Asks the person if the link is for another token than the one that this browser is signed in with. */
async function mayReplaceSignIn(token: string): Promise<boolean> {
  if (pageSecret() === undefined) return true;
  const answer = await fetchAsPage("/session");
  if (!answer.ok) return true;
  const now = ((await answer.json()) as { token: string }).token;
  if (now === token) return true;
  return askToConfirm({
    title: `Sign in as ${token}?`,
    text: `This browser is signed in as ${now}. The link that you opened is for ${token}. If you continue, every window of this browser switches to ${token}.`,
    yes: `Sign in as ${token}`,
    no: `Stay signed in as ${now}`,
  });
}

async function reasonOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => ({}))) as { error?: string };
  return body.error ?? `spliced answered with status ${answer.status}`;
}

async function openConnection(userName: string): Promise<void> {
  const client = await connect({
    name: personName.value ?? userName,
    role: "person",
    positionEncoding: "utf-16",
  });
  try {
    // The daemon begins requests in their order, and then counts the matching files, which can take seconds.
    const counted = client.request("subscribe", { pattern: "**" });
    counted.catch(() => undefined); // a refusal wins the race below, and the client repeats a request that was lost
    await Promise.race([counted, client.request("subscribe", { threads: true })]);
  } catch (error) {
    await client.close(); // the next attempt opens its own
    throw error;
  }
  pageSession.value = { is: "open", daemon: client, connected: true };
  client.on("state", (state) => {
    if (state === "closed") void signIn();
    else pageSession.value = { is: "open", daemon: client, connected: state === "connected" };
  });
}
