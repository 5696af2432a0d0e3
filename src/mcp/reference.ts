import { shortSchema } from "./describe-tool.ts";
import type { Tool } from "./tool.ts";
import { mcpTools } from "./tools.ts";

/** Returns the reference of the tools in Markdown, from the descriptions that clients get. */
export function mcpReference(): string {
  return [INTRODUCTION, ...mcpTools.flatMap(section)].join("\n");
}

const INTRODUCTION = `# MCP

\`npm run docs\` generates this page from the tools. Do not edit it.

## Connecting

\`\`\`
spliced mcp --install claude      # in your project; or cursor, vscode, codex, gemini, opencode, qwen, copilot, kilo
\`\`\`

The command shows what it changes in the client's configuration, and asks. It keeps everything else in the file. The
file names no path of your machine, so that you can commit it:

| client | file in the project |
|---|---|
| \`claude\` (Claude Code) | \`.mcp.json\` |
| \`cursor\` | \`.cursor/mcp.json\` |
| \`vscode\` (VS Code) | \`.vscode/mcp.json\` |
| \`codex\` | \`.codex/config.toml\`, which Codex reads in projects that you trust |
| \`gemini\` (Gemini CLI) | \`.gemini/settings.json\` |
| \`opencode\` | \`opencode.json\` |
| \`qwen\` (Qwen Code) | \`.qwen/settings.json\` |
| \`copilot\` (GitHub Copilot CLI) | \`.mcp.json\`, which Copilot reads in folders that you trust |
| \`kilo\` (Kilo Code) | \`kilo.json\` |

\`spliced mcp --print-config <client>\` prints the configuration instead, and \`http\` in place of a client prints one for
MCP over HTTP. \`spliced mcp --uninstall <client>\` takes the server out of the file again.

The client then runs \`npx --no-install spliced mcp\` and uses its standard input and output. npx runs the spliced that is
installed in the project or globally. It never downloads a package of that name. \`spliced mcp\` finds the workspace's
daemon, or starts one in the background. If that daemon ends, the next call finds or starts another.

An agent may work in a git worktree inside the workspace, such as those in \`.claude/worktrees\`. Such a worktree is a
workspace of its own. \`spliced mcp\` serves it by a daemon of its own, which ends after the worktree is removed. To see the
edits of all agents at once, give each a [lane](lanes.md) instead.

The history shows edits under the name that the client gives itself (\`claude-code\`, \`cursor\` …). \`--agent <name>\`
or \`SPLICED_AGENT\` sets another name. To limit the agent's permissions, put a token of \`spliced token add\` into
\`SPLICED_TOKEN\` ([permissions.md](permissions.md)).

The daemon also serves MCP over HTTP (Streamable HTTP), at \`/mcp\` on its port. Send a token in the header
\`Authorization: Bearer …\`: the one in \`<workspace>/.spliced/daemon.json\`, or one of \`spliced token add\`. A session
ends after an hour without requests.

One process answers each version of MCP from 2024-10-07 to 2026-07-28. Clients of 2026-07-28 have no session over HTTP:
what they have seen belongs to their token and name. Two such clients of one token and name have to pass \`version\` with
a whole text. Give each client a token of its own to tell their edits apart for sure.

## How it works

- A session remembers the version of each document that it saw. Its edits start from that version, and the daemon
  merges them with the changes that others made since. The answer shows the edit and the changes of others.
- If the session has not read a document, a replacement or a patch starts from the newest version. The daemon refuses a
  position or a whole text (\`VERSION_REQUIRED\`).
- The daemon runs the calls of one session in the order in which the client sent them.
- A refusal is an answer with \`isError\`: a code, the reason, and what to do next.

## Resources

Each text document is a resource, \`spliced://doc/{+path}\`. A client that subscribes to a resource is notified of its
updates. A client that has listed the resources is notified when the list changes. Clients of 2026-07-28 name both in
\`subscriptions/listen\`.

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

function section({ name, formerly, formerForm, description, schema, example }: Tool): string[] {
  const { properties = {}, required = [] } = shortSchema(schema) as Schema;
  const former =
    formerly === undefined
      ? ""
      : ` Its former name \`${formerly}\` is still answered${formerForm ? `, and there also takes this: \`${JSON.stringify(formerForm.tool.example)}\`` : ""}.`;
  const rows = Object.entries(properties).map(
    ([argument, about]) =>
      `| \`${argument}\`${required.includes(argument) ? "" : "?"} | ${typeOf(about)} | ${about.description ?? ""} |`,
  );
  return [
    `### \`${name}\``,
    "",
    `${description}${former}`,
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
