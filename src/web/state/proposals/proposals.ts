import { computed, effect, signal } from "@preact/signals";
import { now } from "../base/clock.ts";
import { coalesce } from "../base/coalesce.ts";
import { counts } from "../base/counts.ts";
import { attempt } from "../base/messages.ts";
import { daemon, theDaemon } from "../base/session.ts";
import { isAbout } from "./proposal-files.ts";
import type { PreviewEntry, ProposalEntry } from "./proposal-types.ts";

/** The pending proposals, newest first; undefined until the daemon has answered. */
export const pendingProposals = signal<readonly ProposalEntry[] | undefined>(undefined);
/** Whether there are older pending proposals that the daemon did not list. */
export const hasOlderPending = signal(false);

const listedPreviews = signal<readonly PreviewEntry[] | undefined>(undefined);
/** The edits to confirm, newest first; undefined until the daemon has answered. */
export const pendingPreviews = computed(() =>
  listedPreviews.value?.filter(({ expires }) => Date.parse(expires) > now.value),
);

/** The person who confirmed each preview, for the newest previews that this page was notified of. */
export const confirmers = signal<ReadonlyMap<string, string>>(new Map());

effect(() => {
  const proposals = (pendingProposals.value?.length ?? 0) + (pendingPreviews.value?.length ?? 0);
  counts.value = { ...counts.peek(), proposals, areMoreProposals: hasOlderPending.value };
});

const MOST_CONFIRMERS = 100;

/** Milliseconds that the page waits for more events before it lists again. */
const SETTLE_MS = 100;
/** Least milliseconds between two requests for the proposals of a document that others edit. */
const REBASE_MS = 1_000;

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  const changedPaths = new Set<string>();
  const all = coalesce(SETTLE_MS, refreshAll);
  const previewsSoon = coalesce(SETTLE_MS, refreshPreviews);
  const rebased = coalesce(REBASE_MS, async () => {
    const paths = [...changedPaths];
    changedPaths.clear();
    await Promise.all(paths.map(refreshPath));
  });
  void refreshAll();
  const ends = [
    client.on("proposal.changed", all.soon),
    client.on("preview.changed", ({ patch_id, confirmer }) => {
      if (confirmer !== null) {
        const newest = [...confirmers.peek(), [patch_id, confirmer] as const].slice(-MOST_CONFIRMERS);
        confirmers.value = new Map(newest);
      }
      previewsSoon.soon();
    }),
    client.on("doc.changed", ({ path }) => {
      if (listedPreviews.peek()?.some(({ files }) => files.some((file) => file.path === path)))
        previewsSoon.soon();
      if (!pendingProposals.peek()?.some((proposal) => isAbout(proposal, path))) return;
      changedPaths.add(path);
      rebased.soon();
    }),
    client.on("doc.deleted", all.soon),
    client.on("doc.created", all.soon),
    client.on("doc.renamed", all.soon),
    client.on("resync", all.soon),
  ];
  return () => {
    for (const timer of [all, previewsSoon, rebased]) timer.end();
    for (const end of ends) end();
  };
});

async function refreshAll(): Promise<void> {
  await Promise.all([refreshPending(), refreshPreviews()]);
}

async function refreshPending(): Promise<void> {
  const answer = await attempt("Could not list the proposals", () =>
    theDaemon().proposal.list({ status: "pending" }),
  );
  if (answer === undefined) return;
  pendingProposals.value = answer.proposals;
  hasOlderPending.value = answer.more;
}

async function refreshPreviews(): Promise<void> {
  const answer = await attempt("Could not list the edits to confirm", () => theDaemon().preview.list());
  if (answer !== undefined) listedPreviews.value = answer.previews;
}

/** Fetches the proposals of a document that has changed, so that they show its current text. */
async function refreshPath(path: string): Promise<void> {
  const answer = await attempt("Could not list the proposals", () =>
    theDaemon().proposal.list({ path, status: "pending" }),
  );
  if (answer === undefined) return;
  const fresh = new Map(answer.proposals.map((proposal) => [proposal.id, proposal]));
  pendingProposals.value = pendingProposals.value?.flatMap((known) =>
    isAbout(known, path) ? (fresh.get(known.id) ?? []) : known,
  );
}
