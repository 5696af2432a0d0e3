import { computed, signal } from "@preact/signals";
import type { Verdict } from "../../state/proposal-types.ts";
import { pending, previews } from "../../state/proposals.ts";
import { reviewed } from "../../state/reviewed-proposals.ts";
import { route } from "../../state/route.ts";
import { groupByPath } from "./groups.ts";

/** Which list is shown beside the proposal that is looked at. */
export const tab = signal<"waiting" | "reviewed">("waiting");
/** Of the reviewed ones, which; all without. */
export const verdict = signal<Verdict | undefined>(undefined);

export const pendingGroups = computed(() => groupByPath(pending.value ?? []));
export const reviewedShown = computed(() =>
  reviewed.value?.filter(({ status }) => verdict.value === undefined || status === verdict.value),
);

/** The ids in the order in which they are listed. */
const order = computed<readonly string[]>(() =>
  tab.value === "waiting"
    ? [
        ...(previews.value ?? []).map(({ patch_id }) => patch_id),
        ...pendingGroups.value.flatMap(({ proposals }) => proposals.map(({ id }) => id)),
      ]
    : (reviewedShown.value ?? []).map(({ id }) => id),
);

/** The one that is looked at, by the address; nothing else that arrives takes its place. */
export const chosen = computed(() => (route.value.view === "proposals" ? route.value.id : undefined));

/** Where there is room beside the list, the first one is looked at unless another is asked for. */
const besides = matchMedia("(min-width: 1001px)");
const roomBesides = signal(besides.matches);
besides.addEventListener("change", () => {
  roomBesides.value = besides.matches;
});

export const toBeChosen = computed(() =>
  roomBesides.value && chosen.value === undefined ? order.value[0] : undefined,
);

/** The id so many places after the chosen one; the first when that is not listed any more. */
export function neighbour(steps: 1 | -1): string | undefined {
  const at = chosen.value === undefined ? -1 : order.value.indexOf(chosen.value);
  return at < 0 ? order.value[0] : order.value[at + steps];
}
