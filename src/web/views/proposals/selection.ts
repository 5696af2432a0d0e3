import { computed, signal } from "@preact/signals";
import { go, route } from "../../state/base/route.ts";
import type { FinalStatus } from "../../state/proposals/proposal-types.ts";
import { pendingPreviews, pendingProposals } from "../../state/proposals/proposals.ts";
import { reviewedProposals } from "../../state/proposals/reviewed-proposals.ts";
import { groupByPath } from "./groups.ts";

/** The list beside the chosen proposal. */
export const shownTab = signal<"pending" | "reviewed">("pending");
/** The status of the reviewed proposals in the list; undefined for all. */
export const statusFilter = signal<FinalStatus | undefined>(undefined);

export const pendingGroups = computed(() => groupByPath(pendingProposals.value ?? []));
export const shownReviewed = computed(() =>
  reviewedProposals.value?.filter(
    ({ status }) => statusFilter.value === undefined || status === statusFilter.value,
  ),
);

/** The ids in the order of the list. */
const listedIds = computed<readonly string[]>(() =>
  shownTab.value === "pending"
    ? [
        ...(pendingPreviews.value ?? []).map(({ patch_id }) => patch_id),
        ...pendingGroups.value.flatMap(({ proposals }) => proposals.map(({ id }) => id)),
      ]
    : (shownReviewed.value ?? []).map(({ id }) => id),
);

/** The id of the chosen proposal, as the address names it. */
export const chosenId = computed(() => (route.value.view === "proposals" ? route.value.id : undefined));

/** Shows a list. A proposal that is not in it closes, so that no key decides what the list does not show. */
export function showTab(tab: typeof shownTab.value): void {
  shownTab.value = tab;
  if (chosenId.value !== undefined && !listedIds.value.includes(chosenId.value))
    go({ view: "proposals", id: undefined });
}

/** A window wide enough for the list and a proposal side by side. */
const wideWindow = matchMedia("(min-width: 1001px)");
const isWide = signal(wideWindow.matches);
wideWindow.addEventListener("change", () => {
  isWide.value = wideWindow.matches;
});

/** The id that a wide window opens if the address names none. */
export const firstId = computed(() =>
  isWide.value && chosenId.value === undefined ? listedIds.value[0] : undefined,
);

/** Returns the next or previous id in the list; the first one if the chosen id is not in the list. */
export function neighbour(steps: 1 | -1): string | undefined {
  const at = chosenId.value === undefined ? -1 : listedIds.value.indexOf(chosenId.value);
  return at < 0 ? listedIds.value[0] : listedIds.value[at + steps];
}
