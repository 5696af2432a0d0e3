import { z } from "zod";
import { newOpId } from "../../client/repeats.ts";
import { PROPOSAL_NAMES } from "../../protocol/params/parameter-names.ts";
import type { Params } from "../../protocol/schemas/schemas.ts";
import { hunksOf } from "../answer-text.ts";
import { defineTool } from "../tool.ts";
import { pathArgument } from "./arguments.ts";

const FORMS = ["replace", "append", "text", "patch", "strategy"] as const;

const schema = z.strictObject({
  path: pathArgument,
  replace: z.strictObject({ old: z.string().min(1), new: z.string() }).optional(),
  append: z.string().min(1).optional().describe("Lines for the end."),
  text: z.string().optional(),
  patch: z.string().min(1).optional(),
  reasoning: z.string().max(10_000).optional(),
  confidence: z.enum(["low", "medium", "high"]).optional(),
  field: z.string().max(200).optional().meta({ unlisted: true }),
  source_query: z.string().max(10_000).optional().meta({ unlisted: true }),
  strategy: z.enum(["append", "replace", "full_replace"]).optional().meta({ unlisted: true }),
  content: z.string().optional().meta({ unlisted: true }),
  old_content: z.string().min(1).optional().meta({ unlisted: true }),
});

export const proposeTool = defineTool({
  name: "propose_edit",
  formerly: "propose",
  title: "Propose an edit",
  description:
    "Proposes an edit of one document, with one of replace, append, text (the whole text) and patch. It is made " +
    "once a person approves it.",
  reads: false,
  schema: schema
    .refine((given) => FORMS.filter((form) => given[form] !== undefined).length === 1, {
      error: "Give exactly one of replace, append, text and patch.",
    })
    .refine(({ strategy, content }) => (strategy === undefined) === (content === undefined), {
      error: "Give strategy and content together.",
    })
    .refine(({ strategy, old_content }) => (strategy === "replace") === (old_content !== undefined), {
      error: "Give old_content with strategy: replace, and only there.",
    }),
  // The parameters of proposal.create, for programs that know the protocol.
  otherNames: { names: { ...PROPOSAL_NAMES.names, operation: "strategy", proposed_value: "content" } },
  example: {
    path: "notes.md",
    replace: { old: "Monday", new: "Tuesday" },
    reasoning: "Ada is away on Monday.",
  },
  async run(agent, args) {
    const { path, reasoning, confidence, field, source_query } = args;
    const created = await agent.caller.request("proposal.create", {
      path,
      ...contentOf(args),
      ...agent.answeredMessage,
      opId: newOpId(),
      ...(reasoning !== undefined && { reasoning }),
      ...(confidence !== undefined && { confidence }),
      ...(field !== undefined && { field }),
      ...(source_query !== undefined && { source_query }),
    });
    const { id, status, diff } = created;
    const report = `${created.path}: proposed as ${id}, ${status}. A person can approve it with: spliced approve ${id}`;
    return `${report}\n${hunksOf(diff)}`.trimEnd();
  },
});

type Content = Pick<Params<"proposal.create">, "operation" | "old_content" | "proposed_value" | "patch">;

function contentOf({ replace, append, text, patch, ...named }: z.infer<typeof schema>): Content {
  const { strategy: operation, content: proposed_value, old_content } = named;
  if (operation !== undefined)
    return { operation, proposed_value, ...(old_content !== undefined && { old_content }) };
  if (replace !== undefined)
    return { operation: "replace", old_content: replace.old, proposed_value: replace.new };
  if (patch !== undefined) return { operation: "patch", patch };
  if (text !== undefined) return { operation: "full_replace", proposed_value: text };
  return { operation: "append", proposed_value: append! };
}
