import { z } from "zod";
import type { Tool } from "./tool.ts";
import { mcpTools } from "./tools.ts";

/** The tools' reference, in Markdown, made from what clients are told of them. */
export function mcpReference(): string {
  return [INTRODUCTION, ...mcpTools.flatMap(section)].join("\n");
}

const INTRODUCTION = `# MCP

Made from the tools by \`npm run docs\`; not written by hand.

## Connecting

\`\`\`
spliced mcp --print-config claude > .mcp.json          # Claude Code, in your project
spliced mcp --print-config cursor > .cursor/mcp.json   # Cursor
spliced mcp --print-config vscode > .vscode/mcp.json   # VS Code
spliced mcp --print-config codex >> ~/.codex/config.toml
\`\`\`

The client then runs \`spliced mcp <folder>\` and talks to it over standard input and output. The workspace's daemon
is found, or started in the background when none runs, and found or started again when it goes away. Edits are
shown under the name that the client gives itself (\`claude-code\`, \`cursor\` …), or under \`--agent <name>\` or
\`SPLICED_AGENT\`. With a token of \`spliced token add\` in \`SPLICED_TOKEN\` the agent may do what that one allows
([permissions.md](permissions.md)).

Over HTTP, the daemon's port answers MCP (Streamable HTTP) at \`/mcp\`, with the token of
\`<workspace>/.spliced/daemon.json\`, or one of \`spliced token add\`, in the header \`Authorization: Bearer …\`. A
session that rests for an hour ends.

## What to know

- A session remembers what it was shown of each document. Edits are made from that version and merged with what
  others did since; the answer shows what was applied, and what they changed.
- A document that was not read is edited as it is now.
- Calls of one session are done in the order in which they were sent.
- Refusals are answers with \`isError\`: a code, what is there, and what to do.

## Resources

Each text document is a resource, \`spliced://doc/{+path}\`. Subscribers are told of updates; a client that listed
the resources is told when there are others.

## Tools
`;

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function section({ name, description, schema, example }: Tool): string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" }) as Schema;
  const rows = Object.entries(properties).map(
    ([argument, about]) =>
      `| \`${argument}\`${required.includes(argument) ? "" : "?"} | ${typeOf(about)} | ${about.description ?? ""} |`,
  );
  return [
    `### \`${name}\``,
    "",
    description,
    "",
    "| argument | type | |",
    "|---|---|---|",
    ...rows,
    "",
    "```json",
    JSON.stringify(example),
    "```",
    "",
  ];
}

function typeOf({ type, enum: values, anyOf, items, properties }: Schema): string {
  if (properties !== undefined) return `{${Object.keys(properties).join(", ")}}`;
  if (values !== undefined) return values.map((value) => `"${value}"`).join(" or ");
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  return items === undefined ? (type ?? "any") : `array of ${typeOf(items)}`;
}
