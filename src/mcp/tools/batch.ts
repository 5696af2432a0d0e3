import { z } from "zod";
import { newOpId } from "../../client/repeats.ts";
import { methods, type Params, type Result } from "../../protocol/schemas/schemas.ts";
import type { Agent } from "../agent.ts";
import { detailLines, proposedSentence, remedyOf } from "../answer-text.ts";
import { defineTool } from "../tool.ts";
import { ToolFailure } from "../tool-failure.ts";
import { inTools } from "../tool-words.ts";
import { baseArgument, messageArgument, occurrence, pathArgument } from "./arguments.ts";

/** As in the tools for one document, which describe it. */
const versionOfRead = baseArgument.meta({ description: undefined });

const FORMS = ["replace", "patch", "text", "create", "delete", "rename"] as const;

const file = z
  .strictObject({
    path: pathArgument,
    version: versionOfRead,
    replace: z.strictObject({ old: z.string().min(1), new: z.string(), occurrence }).optional(),
    patch: z.string().min(1).optional(),
    text: z.string().optional(),
    create: z.string().optional(),
    delete: z.literal(true).optional(),
    rename: pathArgument.optional(),
  })
  .refine((given) => FORMS.filter((form) => given[form] !== undefined).length === 1, {
    error: "Give exactly one of replace, patch, text, create, delete and rename.",
  });

/** The request of `batch.apply` as a tool, which clients call by the former name of `edit_documents`. */
const requestTool = defineTool({
  name: "batch",
  title: "Edit several documents",
  description: "Makes the request of batch.apply.",
  reads: false,
  schema: methods["batch.apply"].params,
  example: {
    files: [{ docPath: "notes.md", changes: [{ operation: "insert", afterLine: 0, newLines: ["# Notes"] }] }],
  },
  async run(agent, request) {
    const params = { ...agent.answeredMessage, opId: newOpId(), ...request };
    const applied = await agent.caller.request("batch.apply", params);
    return { text: await answer(agent, applied), data: applied };
  },
});

function isRequest(given: unknown): boolean {
  const { files } = (given ?? {}) as { readonly files?: unknown };
  const names = (one: unknown) => typeof one === "object" && one !== null && "docPath" in one;
  return Array.isArray(files) && files.some(names);
}

export const batchTool = defineTool({
  name: "edit_documents",
  formerly: "batch",
  formerForm: { has: isRequest, tool: requestTool },
  title: "Edit several documents",
  description:
    "Changes several documents, all or none. Name each once, with one of `replace` (as in edit_document), " +
    "`patch`, `text` (the whole text), `create` (its text), `delete` and `rename`. undo_change undoes all.",
  reads: false,
  schema: z.strictObject({
    files: z.array(file).min(1).max(100),
    label: z.string().max(1000).optional().meta({ unlisted: true }),
    message: messageArgument,
  }),
  example: {
    files: [
      { path: "notes.md", replace: { old: "Monday", new: "Tuesday" } },
      { path: "plans/week.md", patch: "@@ -3 +3 @@\n-- call Ada on Monday\n+- call Ada on Tuesday\n" },
    ],
    message: "meeting moved",
  },
  async run(agent, { files, label, message }) {
    for (const { path, version, text } of files)
      if (text !== undefined) await agent.demandVersion(path, version);
    const params = {
      files: files.map(batchFile),
      onStale: "merge",
      ...agent.answeredMessage,
      opId: newOpId(),
      ...(label !== undefined && { batchLabel: label }),
      ...(message !== undefined && { message }),
    } as Params<"batch.apply">;
    return answer(agent, await agent.caller.request("batch.apply", params));
  },
});

/** Returns a document of the tool as the method `batch.apply` takes it. */
function batchFile({ path: docPath, create, delete: isDeleted, rename, ...edit }: z.infer<typeof file>) {
  if (create !== undefined) return { docPath, operation: "create", text: create };
  if (rename !== undefined) return { docPath, operation: "rename", to: rename };
  return isDeleted ? { docPath, operation: "delete" } : { docPath, ...edit };
}

type Answer = Result<"batch.apply">;

async function answer(agent: Agent, { result, errors }: Answer): Promise<string> {
  if (result === undefined) throw new ToolFailure(errors.map(problem).join("\n"));
  const { batchId, files, proposal } = result;
  if (proposal !== undefined) {
    const paths = files.map(({ path }) => path).join(", ");
    return `${paths}: ${proposedSentence(proposal)}`;
  }
  if (batchId !== null) agent.remember({ batchId });
  const count = files.length === 1 ? "1 document" : `${files.length} documents`;
  const parts = [`Changed ${count} in one batch, batchId ${batchId}`];
  for (const { path, version, changeId, base, mirrored, operation, conflicts = 0 } of files) {
    if (operation !== undefined) {
      parts.push(`${path}: ${DONE[operation]}`);
      continue;
    }
    const edited = { path, version, changeId, base, mirrored, summary: `version ${version}`, conflicts: [] };
    parts.push(await agent.report(edited));
    if (conflicts > 0)
      parts.push(
        `In ${conflicts} places another author changed the same words, or words beside them. The document contains both texts. Read these places and edit them.`,
      );
  }
  return parts.join("\n");
}

const DONE = {
  edit: "edited",
  create: "created",
  delete: "deleted",
  rename: "renamed to this path",
} as const;

function problem({ code, message, docPath, suggestion, details }: Answer["errors"][number]): string {
  const isNamed = docPath === undefined || message.includes(docPath);
  const lines = [`${code}: ${isNamed ? "" : `${docPath}: `}${inTools(message)}`];
  if (suggestion !== undefined) lines.push(remedyOf(code, suggestion));
  lines.push(...detailLines(details ?? {}));
  return lines.join("\n");
}
