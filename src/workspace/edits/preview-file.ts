import type { Splice } from "../../text/splice.ts";
import type { Plan } from "../planners/plan.ts";
import type { Version } from "../versions/version.ts";
import type { Ready } from "./request.ts";

/** What a preview does to one document, at the version that it was shown for. */
export interface PreviewedFile {
  readonly path: string;
  readonly docId: string;
  readonly version: Version;
  readonly splices: readonly Splice[];
  readonly applied?: Plan["applied"];
  /** What whoever applies it should know. */
  readonly warnings: readonly string[];
}

export function previewedFile({ document: { path, id, version }, resolved }: Ready): PreviewedFile {
  const { plan, splices, base, merged, conflicts } = resolved;
  return {
    path,
    docId: id,
    version,
    splices,
    ...(plan.applied && { applied: plan.applied }),
    warnings: [
      ...(plan.confirm === undefined ? [] : [plan.confirm]),
      ...(merged ? [`merged over what changed since the base; it is now ${version}`] : []),
      ...conflicts.map(({ ours }) => {
        const line = base.text.lineAt(ours.from);
        return `others changed the same characters in line ${line} of the base; both texts stay`;
      }),
    ],
  };
}
