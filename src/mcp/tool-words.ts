import { withoutMethods } from "../protocol/base/method-words.ts";
import type { Method, Notification } from "../protocol/schemas/schemas.ts";

/**
 * The tool that does the work of a method, for each method and notification that a refusal may name; the command of a
 * person where no tool does it.
 */
const TOOL_OF: Readonly<Record<string, string>> = {
  "batch.apply": "edit_documents",
  "change.get": "list_changes",
  "checkpoint.create": "`spliced checkpoint create`",
  "checkpoint.list": "`spliced checkpoint list`",
  "diff.build": "`diff -u`",
  "doc.changed": "changes_since_read",
  "doc.create": "write_document",
  "doc.delete": "delete_document",
  "doc.diff": "compare_versions",
  "doc.list": "list_documents",
  "doc.read": "read_document",
  "doc.rename": "rename_document",
  "doc.restore": "undo_change",
  "doc.status": "`spliced status`",
  "edit.append": "edit_document",
  "edit.legacy": "`spliced call edit.legacy`",
  "edit.lines": "patch_document",
  "edit.patch": "patch_document",
  "edit.replace": "edit_document",
  "edit.set": "set_field",
  "edit.splice": "edit_document",
  "edit.write": "write_document",
  "history.diff": "compare_versions",
  "history.list": "list_changes",
  "history.restore": "`spliced restore`",
  "lane.list": "`spliced lane ls`",
  "machine.list": "`spliced machines`",
  "presence.set": "`spliced call presence.set`",
  "preview.apply": "the same tool",
  "preview.create": "the same tool",
  "proposal.approve": "review_proposal",
  "proposal.create": "propose_edit",
  "proposal.get": "review_proposal",
  "proposal.list": "list_proposals",
  "proposal.reject": "review_proposal",
  redo: "`spliced redo`",
  "rpc.discover": "the list of the tools",
  "thread.append": "answer_thread",
  "thread.clear": "`spliced threads --clear`",
  "thread.get": "list_threads",
  "thread.lease": "answer_thread",
  "thread.list": "list_threads",
  "thread.message": "list_threads",
  "thread.stop": "`spliced threads --stop`",
  undo: "undo_change",
  "workspace.leave": "`spliced leave`",
  "workspace.share": "`spliced share`",
} satisfies { readonly [N in Method | Notification]?: string };

/** Returns a message of the daemon with tools in place of the wire's methods. */
export function inTools(message: string): string {
  return withoutMethods(message, (name) => TOOL_OF[name]);
}
