import { computed, effect } from "@preact/signals";
import { badgeText, counts } from "./counts.ts";
import { workspace } from "./session.ts";

/** The name of the workspace: of its folder; `spliced` until the page is connected. */
export const workspaceName = computed(() => workspace.value.split(/[/\\]/).findLast(Boolean) ?? "spliced");

effect(() => {
  const { proposals, areMoreProposals } = counts.value;
  const name = workspace.value === "" ? "spliced" : `${workspaceName.value} · spliced`;
  document.title = proposals === 0 ? name : `(${badgeText(proposals, areMoreProposals)}) ${name}`;
});
