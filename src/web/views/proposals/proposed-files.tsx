import { filesOf } from "../../../client/browser.ts";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";
import { FileDiff, ProposedFile } from "./proposed-file.tsx";

/** Shows the differences of a proposal by file, without a choice; `lines` of each file at first. */
export function ProposedFiles({
  proposal,
  lines,
}: {
  readonly proposal: ProposalEntry;
  readonly lines?: number;
}) {
  const files = filesOf(proposal);
  const shown = lines === undefined ? {} : { lines };
  if (files.length === 1) return <FileDiff file={files[0]!} {...shown} />;
  return (
    <>
      {files.map((file) => (
        <ProposedFile key={`${file.operation} ${file.path}`} file={file}>
          <FileDiff file={file} {...shown} />
        </ProposedFile>
      ))}
    </>
  );
}
