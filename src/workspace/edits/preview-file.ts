import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Plan } from "../planners/plan.ts";
import type { Version } from "../versions/version.ts";
import type { ResolvedEdit } from "./request.ts";

/** The changes of a preview to one document, at the version that the preview was made for. */
export interface PreviewedFile {
  readonly path: string;
  readonly docId: string;
  readonly version: Version;
  readonly splices: readonly Splice[];
  readonly applied?: Plan["applied"];
  /** Warnings for the person or agent that applies the preview. */
  readonly warnings: readonly string[];
}

export function previewedFile({ document: { path, id, version }, resolved }: ResolvedEdit): PreviewedFile {
  const { plan, splices, base, merged, conflicts } = resolved;
  return {
    path,
    docId: id,
    version,
    splices,
    ...(plan.applied && { applied: plan.applied }),
    warnings: [
      ...(plan.confirm === undefined ? [] : [plan.confirm]),
      ...(merged ? [`merged with the changes since the base; it is now ${version}`] : []),
      ...conflicts.map(({ ours }) => {
        const line = base.text.lineAt(ours.from);
        return `others changed the same words, or words beside them, in line ${line} of the base; both texts stay`;
      }),
    ],
  };
}

/** A previewed file with the texts that its splices lead from and to. */
export interface PreviewTexts extends Pick<PreviewedFile, "path" | "applied" | "warnings"> {
  readonly before: Text;
  readonly after: Text;
}

/** Returns the texts of a previewed file; `before` is the text at the version that the preview was made for. */
export function previewTexts(
  { path, splices, applied, warnings }: PreviewedFile,
  before: Text,
): PreviewTexts {
  return { path, before, after: before.splice(splices), ...(applied && { applied }), warnings };
}
