import { effect, signal } from "@preact/signals";
import { daemon, theDaemon } from "../base/session.ts";

/** The newest changes that the page asks for their authors. */
const NEWEST = 1_000;

/** All authors that the page knows of, the most active of the newest changes first. */
export const knownAuthors = signal<readonly string[]>([]);

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  return client.on("doc.changed", ({ author }) => addAuthors([author]));
});

/** Whether the authors of the newest changes were asked for and answered, or the request failed. */
export const authorsAreLoaded = signal(false);

/** Adds the authors of the newest changes, also of changes that no view has loaded. */
export async function loadAuthors(): Promise<void> {
  try {
    const { changes } = await theDaemon().history.list({ limit: NEWEST });
    const counts = new Map<string, number>();
    for (const { author } of changes) counts.set(author, (counts.get(author) ?? 0) + 1);
    addAuthors([...counts].sort((a, b) => b[1] - a[1]).map(([author]) => author));
  } finally {
    authorsAreLoaded.value = true;
  }
}

export function addAuthors(authors: readonly string[]): void {
  const joined = [...new Set([...knownAuthors.peek(), ...authors])];
  if (joined.length !== knownAuthors.peek().length) knownAuthors.value = joined;
}
