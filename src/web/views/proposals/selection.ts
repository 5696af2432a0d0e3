import { computed, signal } from "@preact/signals";
import type { FinalStatus } from "../../state/proposal-types.ts";
import { pendingPreviews, pendingProposals } from "../../state/proposals.ts";
import { reviewedProposals } from "../../state/reviewed-proposals.ts";
import { route } from "../../state/route.ts";
import { groupByPath } from "./groups.ts";

/** Which list is shown beside the proposal that is looked at. */
export const shownTab = signal<"waiting" | "reviewed">("waiting");
/** Of the reviewed ones, which; all without. */
export const statusFilter = signal<FinalStatus | undefined>(undefined);

export const pendingGroups = computed(() => groupByPath(pendingProposals.value ?? []));
export const shownReviewed = computed(() =>
  reviewedProposals.value?.filter(
    ({ status }) => statusFilter.value === undefined || status === statusFilter.value,
  ),
);

/** The ids in the order in which they are listed. */
const listedIds = computed<readonly string[]>(() =>
  shownTab.value === "waiting"
    ? [
        ...(pendingPreviews.value ?? []).map(({ patch_id }) => patch_id),
        ...pendingGroups.value.flatMap(({ proposals }) => proposals.map(({ id }) => id)),
      ]
    : (shownReviewed.value ?? []).map(({ id }) => id),
);

/** The one that is looked at, by the address; nothing else that arrives takes its place. */
export const chosenId = computed(() => (route.value.view === "proposals" ? route.value.id : undefined));

/** Where there is room beside the list, the first one is looked at unless another is asked for. */
const wideWindow = matchMedia("(min-width: 1001px)");
const isWide = signal(wideWindow.matches);
wideWindow.addEventListener("change", () => {
  isWide.value = wideWindow.matches;
});

export const firstId = computed(() =>
  isWide.value && chosenId.value === undefined ? listedIds.value[0] : undefined,
);

/** The id so many places after the chosen one; the first when that is not listed any more. */
export function neighbour(steps: 1 | -1): string | undefined {
  const at = chosenId.value === undefined ? -1 : listedIds.value.indexOf(chosenId.value);
  return at < 0 ? listedIds.value[0] : listedIds.value[at + steps];
}
