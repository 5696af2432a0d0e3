import { randomUUID } from "node:crypto";
import { z } from "zod";
import { lineChange, replacement } from "../../protocol/schemas/edits.ts";
import type { Params, Result } from "../../protocol/schemas.ts";
import type { Agent } from "../agent.ts";
import { defineTool } from "../tool.ts";
import { ToolFailure } from "../tool-failure.ts";
import { message, pathArgument } from "./arguments.ts";

const FORMS = ["replace", "patch", "text", "changes"] as const;

const file = z
  .strictObject({
    path: pathArgument,
    replace: z.strictObject(replacement).omit({ regex: true }).optional().describe("As edit does it."),
    patch: z.string().min(1).optional().describe("A unified diff of this one document."),
    text: z.string().optional().describe("The whole text."),
    changes: z
      .array(lineChange)
      .min(1)
      .optional()
      .describe("Whole lines by number, top to bottom, with what stands there now."),
  })
  .refine((given) => FORMS.filter((form) => given[form] !== undefined).length === 1, {
    error: "give one of replace, patch, text and changes",
  });

export const batchTool = defineTool({
  name: "batch",
  description:
    "Edits several documents as one: all of them, or none. Each is given once, with one of replace, patch, text and " +
    "changes, made from what you read and merged with what others changed since. undo takes it back as one.",
  reads: false,
  schema: z.strictObject({
    files: z.array(file).min(1).max(100),
    label: z.string().max(1000).optional().describe("What the batch is about."),
    message,
  }),
  example: {
    files: [
      { path: "notes.md", replace: { old: "Monday", new: "Tuesday" } },
      { path: "plans/week.md", patch: "@@ -3 +3 @@\n-- call Ada on Monday\n+- call Ada on Tuesday\n" },
    ],
    message: "meeting moved",
  },
  async run(agent, { files, label, message }) {
    const sent = [];
    for (const { path, ...edit } of files) {
      const { sight, now } = await agent.seen.current(path);
      const version = edit.text === undefined ? sight.version : agent.wholeVersion(sight);
      sent.push({ docPath: now.path, version, ...edit });
    }
    const params = {
      files: sent,
      onStale: "merge",
      opId: randomUUID(),
      ...(label !== undefined && { batchLabel: label }),
      ...(message !== undefined && { message }),
    } as Params<"batch.apply">;
    return answer(agent, await agent.caller.request("batch.apply", params));
  },
});

type Answer = Result<"batch.apply">;

async function answer(agent: Agent, { result, errors }: Answer): Promise<string> {
  if (result === undefined) throw new ToolFailure(errors.map(problem).join("\n"));
  const { batchId, files } = result;
  if (batchId !== null) agent.remember({ batchId });
  const count = files.length === 1 ? "1 document" : `${files.length} documents`;
  const said = [`${count} changed as one, batchId ${batchId}`];
  for (const { path, version, changeId, mirrored, conflicts = 0 } of files) {
    const edited = { path, version, changeId, mirrored, summary: `version ${version}`, conflicts: [] };
    said.push(await agent.report(edited, agent.seen.at(path)));
    if (conflicts > 0)
      said.push(
        `In ${conflicts} places others changed the same characters; both texts stay. Read and settle it.`,
      );
  }
  return said.join("\n");
}

function problem({ code, message, docPath, suggestion, details }: Answer["errors"][number]): string {
  const lines = [`${code}: ${docPath === undefined ? "" : `${docPath}: `}${message}`];
  if (suggestion !== undefined) lines.push(suggestion);
  if (details !== undefined) lines.push(`details: ${JSON.stringify(details).slice(0, 2000)}`);
  return lines.join("\n");
}
