import { computed, effect, signal } from "@preact/signals";
import { now } from "./clock.ts";
import { coalesce } from "./coalesce.ts";
import { counts } from "./counts.ts";
import { attempt } from "./messages.ts";
import type { PreviewEntry, ProposalEntry } from "./proposal-types.ts";
import { daemon, theDaemon } from "./session.ts";

/** Proposals that wait for a review, newest first; undefined until they are known. */
export const pendingProposals = signal<readonly ProposalEntry[] | undefined>(undefined);
/** Whether older ones wait, too, that are not listed. */
export const hasOlderPending = signal(false);

const listedPreviews = signal<readonly PreviewEntry[] | undefined>(undefined);
/** Edits that wait to be confirmed, newest first; undefined until they are known. */
export const pendingPreviews = computed(() =>
  listedPreviews.value?.filter(({ expires }) => Date.parse(expires) > now.value),
);

/** Who confirmed which previews, as far as this page heard of it; the newest. */
export const confirmers = signal<ReadonlyMap<string, string>>(new Map());

effect(() => {
  const proposals = (pendingProposals.value?.length ?? 0) + (pendingPreviews.value?.length ?? 0);
  counts.value = { ...counts.peek(), proposals };
  document.title = proposals === 0 ? "spliced" : `(${proposals}) spliced`;
});

const MOST_CONFIRMERS = 100;

/** What comes in bursts is asked for once; what moves with the typing of others, not more often than this. */
const SETTLE_MS = 100;
const REBASE_MS = 1_000;

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  const moved = new Set<string>();
  const all = coalesce(SETTLE_MS, refreshAll);
  const waiting = coalesce(SETTLE_MS, refreshPreviews);
  const rebased = coalesce(REBASE_MS, async () => {
    const paths = [...moved];
    moved.clear();
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
      waiting.soon();
    }),
    client.on("doc.changed", ({ path }) => {
      if (listedPreviews.peek()?.some(({ files }) => files.some((file) => file.path === path)))
        waiting.soon();
      if (!pendingProposals.peek()?.some((proposal) => proposal.path === path)) return;
      moved.add(path);
      rebased.soon();
    }),
    client.on("doc.deleted", all.soon),
    client.on("doc.created", all.soon),
    client.on("doc.renamed", all.soon),
    client.on("resync", all.soon),
  ];
  return () => {
    for (const timer of [all, waiting, rebased]) timer.end();
    for (const end of ends) end();
  };
});

async function refreshAll(): Promise<void> {
  await Promise.all([refreshPending(), refreshPreviews()]);
}

async function refreshPending(): Promise<void> {
  const answer = await attempt("The proposals could not be listed", () =>
    theDaemon().proposal.list({ status: "pending" }),
  );
  if (answer === undefined) return;
  pendingProposals.value = answer.proposals;
  hasOlderPending.value = answer.more;
}

async function refreshPreviews(): Promise<void> {
  const answer = await attempt("What waits to be confirmed could not be listed", () =>
    theDaemon().preview.list(),
  );
  if (answer !== undefined) listedPreviews.value = answer.previews;
}

/** The proposals of a document that has moved on, against what it is now. */
async function refreshPath(path: string): Promise<void> {
  const answer = await attempt("The proposals could not be listed", () =>
    theDaemon().proposal.list({ path, status: "pending" }),
  );
  if (answer === undefined) return;
  const fresh = new Map(answer.proposals.map((proposal) => [proposal.id, proposal]));
  pendingProposals.value = pendingProposals.value?.flatMap((known) =>
    known.path === path ? (fresh.get(known.id) ?? []) : known,
  );
}
