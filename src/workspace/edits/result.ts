import type { ChangeRecord } from "../../store/store.ts";
import { countsOf, type Splice } from "../../text/splice.ts";
import { versionOf } from "../versions/version.ts";
import type { Kept, Ready } from "./request.ts";

/** `change` is undefined when nothing was left to change. */
export function keptOf({ document, request, resolved }: Ready, change: ChangeRecord | undefined): Kept {
  const { merged, conflicts, splices, plan } = resolved;
  return {
    changeId: change?.id ?? null,
    path: document.path,
    version: change === undefined ? document.version : versionOf(change),
    summary:
      change === undefined
        ? `nothing to change (${request.kind}, version=${document.version})`
        : summarize(request.kind, document.path, resolved, change),
    splices,
    durable: true,
    merged,
    conflicts,
    ...(plan.applied && { applied: plan.applied }),
  };
}

/** By how many characters splices add and remove, as `+3 -2`. */
export function sizeOf(splices: readonly Splice[]): string {
  const { added, removed } = countsOf(splices);
  return [added > 0 ? `+${added}` : "", removed > 0 ? `-${removed}` : ""].filter(Boolean).join(" ");
}

function summarize(
  kind: string,
  path: string,
  { plan, merged }: Ready["resolved"],
  change: ChangeRecord,
): string {
  const hunks = plan.applied === undefined ? "" : `Applied ${plan.applied.hunks} hunks to '${path}'; `;
  return `${hunks}applied: ${sizeOf(change.splices)} chars (${kind}, version=${versionOf(change)}${merged ? ", merged" : ""})`;
}
