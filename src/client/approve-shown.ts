import type { Params, Result } from "../protocol/schemas/schemas.ts";
import { RefusedError } from "./errors.ts";
import { filesOf } from "./proposal-files.ts";

type Approval = Params<"proposal.approve">;

/** The versions of a proposal's files, by path, whose numbered hunks a reviewer was shown. */
export type ShownVersions = Readonly<Record<string, string>>;

interface Approving {
  request(method: "proposal.approve", params: Approval): Promise<Result<"proposal.approve">>;
}

/** Returns the versions whose hunks a proposal shows. */
export function versionsShown(proposal: Result<"proposal.get">): ShownVersions {
  const shown = filesOf(proposal).flatMap(({ path, version, hunks }) =>
    version === null || hunks.length === 0 ? [] : [[path, version] as const],
  );
  return Object.fromEntries(shown);
}

/**
 * Approves a proposal, or what the request names of it. The versions that the reviewer was shown count only where hunks
 * have new numbers: the first numbers stay right whatever others changed since.
 */
export async function approveShown(
  reviewer: Approving,
  approval: Approval,
  shown: ShownVersions | undefined,
): Promise<Result<"proposal.approve">> {
  try {
    return await reviewer.request("proposal.approve", approval);
  } catch (error) {
    const asShown = shown && withVersions(approval, shown);
    const isRenumbered = error instanceof RefusedError && error.code === "STALE_VERSION";
    if (asShown === undefined || !isRenumbered) throw error;
    return await reviewer.request("proposal.approve", asShown);
  }
}

/** Returns an approval whose hunks name the versions that were shown; undefined where none of these is known. */
function withVersions(approval: Approval, shown: ShownVersions): Approval | undefined {
  const { files, hunks, version } = approval;
  if (files === undefined) {
    const [only, ...others] = Object.values(shown);
    const isClear = hunks !== undefined && version === undefined && others.length === 0;
    return isClear && only !== undefined ? { ...approval, version: only } : undefined;
  }
  const named = files.map((file) => {
    const seen = shown[file.path];
    const isLacking = file.hunks !== undefined && file.version === undefined && seen !== undefined;
    return isLacking ? { ...file, version: seen } : file;
  });
  return named.some((file, i) => file !== files[i]) ? { ...approval, files: named } : undefined;
}
