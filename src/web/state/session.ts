import { computed, signal } from "@preact/signals";
import { type Client, connect, fetchAsPage, keepPageSecret, pageSecret } from "../../client/browser.ts";
import { askToConfirm } from "./confirm.ts";
import { personName } from "./person.ts";

/** Where the page stands with its daemon. */
export type PageSession =
  | { readonly is: "starting" }
  /** No sign-in that counts; `failed` is what came of a key in the address, `again` tells that there was one once. */
  | { readonly is: "signed-out"; readonly failed: string | undefined; readonly again: boolean }
  /** The daemon has not answered since the page was opened. */
  | { readonly is: "away"; readonly reason: string }
  | { readonly is: "open"; readonly daemon: Client; readonly connected: boolean };

export const pageSession = signal<PageSession>({ is: "starting" });

/** The folder that is served; empty until the page is open. */
export const workspace = signal("");

/** The daemon, while the page is open to it; it may be reconnecting. */
export const daemon = computed(() =>
  pageSession.value.is === "open" ? pageSession.value.daemon : undefined,
);
export const connected = computed(() => pageSession.value.is === "open" && pageSession.value.connected);

/** The daemon of an open page. Views are shown only then. */
export function theDaemon(): Client {
  const client = daemon.value;
  if (client === undefined) throw new RangeError("views are shown while the page is open");
  return client;
}

/** A key stands in the address once, after `#`, where neither the daemon nor a log sees it. */
const KEY_IN_ADDRESS = /^#(?:(?:key|token)=)?([\w-]{20,})(?:&to=(.*))?$/;
const RETRY_MS = 1_500;

// A key that is given to a page that is already there.
addEventListener("hashchange", () => {
  if (KEY_IN_ADDRESS.test(location.hash)) location.reload();
});

/** Trades the address's key for a sign-in, if there is one, and connects. Goes on until it is known how things stand. */
export async function signIn(): Promise<void> {
  const [, key, to = "/"] = KEY_IN_ADDRESS.exec(location.hash) ?? [];
  if (key !== undefined) location.replace(`#${to}`);
  try {
    const failed = key === undefined ? earlierFailure() : await signInWith(key);
    const answer = await fetchAsPage("/session");
    if (answer.status === 401) {
      const { again = false } = (await answer.json()) as { again?: boolean };
      pageSession.value = { is: "signed-out", failed, again };
    } else if (!answer.ok) pageSession.value = { is: "away", reason: await reasonOf(answer) };
    else {
      const told = (await answer.json()) as { name: string; workspace: string };
      workspace.value = told.workspace;
      await openConnection(told.name);
    }
  } catch (error) {
    pageSession.value = { is: "away", reason: error instanceof Error ? error.message : String(error) };
  }
  // Another window may sign this browser in.
  if (pageSession.value.is !== "open") setTimeout(() => void signIn(), RETRY_MS);
}

function earlierFailure(): string | undefined {
  return pageSession.value.is === "signed-out" ? pageSession.value.failed : undefined;
}

/** @throws where the daemon does not hear of it, which keeps the browser signed in */
export async function signOut(): Promise<void> {
  const answer = await fetchAsPage("/session", { method: "DELETE" });
  if (!answer.ok && answer.status !== 401) throw new Error(await reasonOf(answer));
  keepPageSecret(undefined);
  await daemon.value?.close();
  pageSession.value = { is: "signed-out", failed: undefined, again: false };
}

/** Signs in with a link's key, unless somebody else is and stays so. Why the key is not taken; undefined when it was. */
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

/** Asks a person where a link is for another token than the one that this browser is signed in with. */
async function mayReplaceSignIn(token: string): Promise<boolean> {
  if (pageSecret() === undefined) return true;
  const answer = await fetchAsPage("/session");
  if (!answer.ok) return true;
  const now = ((await answer.json()) as { token: string }).token;
  if (now === token) return true;
  return askToConfirm({
    title: `Sign in as ${token}?`,
    text: `This browser is signed in as ${now}, and the link that you opened is for ${token}. Following it signs ${now} out in every window of this browser.`,
    yes: `Sign in as ${token}`,
    no: `Stay signed in as ${now}`,
  });
}

async function reasonOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => ({}))) as { error?: string };
  return body.error ?? `the daemon answered ${answer.status}`;
}

async function openConnection(userName: string): Promise<void> {
  const client = await connect({ name: personName.value ?? userName, positionEncoding: "utf-16" });
  try {
    // What happens anywhere is told to the views that show it.
    await client.request("subscribe", { pattern: "**" });
  } catch (error) {
    await client.close(); // the next attempt has one of its own
    throw error;
  }
  pageSession.value = { is: "open", daemon: client, connected: true };
  client.on("state", (state) => {
    if (state === "closed") void signIn();
    else pageSession.value = { is: "open", daemon: client, connected: state === "connected" };
  });
}
