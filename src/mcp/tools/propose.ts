import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Params } from "../../protocol/schemas.ts";
import { hunksOf } from "../answer-text.ts";
import type { SeenVersion } from "../seen-versions.ts";
import { defineTool } from "../tool.ts";
import { pathArgument } from "./arguments.ts";

const FORMS = ["replace", "append", "text", "patch"] as const;

const schema = z.strictObject({
  path: pathArgument,
  replace: z
    .strictObject({ old: z.string().min(1), new: z.string() })
    .optional()
    .describe("The first occurrence of `old`, copied exactly, by `new`."),
  append: z.string().min(1).optional().describe("Whole lines at the end."),
  text: z.string().optional().describe("The whole text."),
  patch: z.string().min(1).optional().describe("A unified diff."),
  reasoning: z.string().max(10_000).optional().describe("Why, for whoever decides."),
  confidence: z.enum(["low", "medium", "high"]).optional(),
});

export const proposeTool = defineTool({
  name: "propose",
  description:
    "Proposes an edit of one document: give one of replace, append, text and patch. Nothing changes until a person " +
    "approves it; until then it follows the document as others edit it.",
  reads: false,
  schema: schema.refine((given) => FORMS.filter((form) => given[form] !== undefined).length === 1, {
    error: "give one of replace, append, text and patch",
  }),
  example: {
    path: "notes.md",
    replace: { old: "Monday", new: "Tuesday" },
    reasoning: "Ada is away on Monday.",
  },
  async run(agent, args) {
    const { sight, now } = await agent.seen.current(args.path);
    const { reasoning, confidence } = args;
    const made = await agent.caller.request("proposal.create", {
      path: now.path,
      ...contentOf(args, sight, () => agent.wholeVersion(sight)),
      opId: randomUUID(),
      ...(reasoning !== undefined && { reasoning }),
      ...(confidence !== undefined && { confidence }),
    });
    const said = `${made.path}: proposed as ${made.id}, ${made.status}; a person decides, as with: spliced approve ${made.id}`;
    return `${said}\n${hunksOf(made.diff)}`.trimEnd();
  },
});

type Content = Pick<
  Params<"proposal.create">,
  "operation" | "old_content" | "proposed_value" | "patch" | "version"
>;

function contentOf(
  { replace, append, text, patch }: z.infer<typeof schema>,
  { version }: SeenVersion,
  whole: () => string,
): Content {
  if (replace !== undefined)
    return { operation: "replace", old_content: replace.old, proposed_value: replace.new, version };
  if (patch !== undefined) return { operation: "patch", patch, version };
  if (text !== undefined) return { operation: "full_replace", proposed_value: text, version: whole() };
  return { operation: "append", proposed_value: append!, version };
}
