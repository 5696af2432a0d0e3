import type { ProposalFile } from "../../../client/browser.ts";

/** The name of each operation for people. */
export const OPERATION_TEXTS: Readonly<Record<ProposalFile["operation"], string>> = {
  append: "changed",
  replace: "changed",
  full_replace: "changed",
  patch: "changed",
  edit: "changed",
  create: "new file",
  delete: "deleted file",
  rename: "renamed file",
};
