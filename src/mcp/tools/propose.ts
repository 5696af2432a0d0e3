import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Params } from "../../protocol/schemas.ts";
import { hunksOf } from "../answer-text.ts";
import { defineTool } from "../tool.ts";
import { pathArgument } from "./arguments.ts";

const FORMS = ["replace", "append", "text", "patch"] as const;

const schema = z.strictObject({
  path: pathArgument,
  replace: z
    .strictObject({ old: z.string().min(1), new: z.string() })
    .optional()
    .describe("Replaces the first occurrence of `old`, copied exactly, by `new`."),
  append: z.string().min(1).optional().describe("Whole lines to add at the end."),
  text: z.string().optional().describe("The whole text."),
  patch: z.string().min(1).optional().describe("A unified diff."),
  reasoning: z.string().max(10_000).optional().describe("The reason, for the person who decides."),
  confidence: z.enum(["low", "medium", "high"]).optional(),
});

export const proposeTool = defineTool({
  name: "propose",
  description:
    "Proposes an edit of one document. Give one of replace, append, text and patch. The document changes once a " +
    "person approves the proposal. Until then the proposal adapts to edits of others.",
  reads: false,
  schema: schema.refine((given) => FORMS.filter((form) => given[form] !== undefined).length === 1, {
    error: "Give exactly one of replace, append, text and patch.",
  }),
  example: {
    path: "notes.md",
    replace: { old: "Monday", new: "Tuesday" },
    reasoning: "Ada is away on Monday.",
  },
  async run(agent, args) {
    const { path, reasoning, confidence } = args;
    const created = await agent.caller.request("proposal.create", {
      path,
      ...contentOf(args),
      opId: randomUUID(),
      ...(reasoning !== undefined && { reasoning }),
      ...(confidence !== undefined && { confidence }),
    });
    const { id, status, diff } = created;
    const report = `${created.path}: proposed as ${id}, ${status}. A person can approve it with: spliced approve ${id}`;
    return `${report}\n${hunksOf(diff)}`.trimEnd();
  },
});

type Content = Pick<Params<"proposal.create">, "operation" | "old_content" | "proposed_value" | "patch">;

function contentOf({ replace, append, text, patch }: z.infer<typeof schema>): Content {
  if (replace !== undefined)
    return { operation: "replace", old_content: replace.old, proposed_value: replace.new };
  if (patch !== undefined) return { operation: "patch", patch };
  if (text !== undefined) return { operation: "full_replace", proposed_value: text };
  return { operation: "append", proposed_value: append! };
}
