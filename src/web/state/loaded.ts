import { computed } from "@preact/signals";
import { documentsAreLate, documentsByPath } from "./documents/documents.ts";
import { healthIsKnown } from "./health/health.ts";
import { noticesAreLoaded } from "./health/notices.ts";
import { pendingPreviews, pendingProposals } from "./proposals/proposals.ts";
import { waitingThreads } from "./threads/waiting-threads.ts";

/**
 * Whether the page has its lists, except a late list of documents. A view that showed some of them earlier would say that
 * nothing is there, and would move its parts when the rest arrives.
 */
export const listsAreLoaded = computed(
  () =>
    (documentsByPath.value !== undefined || documentsAreLate.value) &&
    pendingProposals.value !== undefined &&
    pendingPreviews.value !== undefined &&
    waitingThreads.value !== undefined &&
    noticesAreLoaded.value &&
    healthIsKnown.value,
);
