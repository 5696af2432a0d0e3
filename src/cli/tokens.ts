import { statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { findWorkspace } from "../client/index.ts";
import { CommandError, EXIT, paint, print, printJson, remark } from "./output.ts";
import type { Common } from "./session.ts";

/** Commands that say who else may use the workspace, and for what. They work whether or not the daemon runs. */
export function tokenCommands(program: Command): void {
  const token = program
    .command("token")
    .description("give agents tokens of their own, which allow only what you say")
    .addHelpText("after", HELP);

  token
    .command("add")
    .description("make a token and print it, this once")
    .argument("<name>", "whose it is; the log and the authors of changes show it")
    .requiredOption(
      "--allow <glob=level>",
      "what it allows; again for more, the first that matches wins",
      collect,
    )
    .addHelpText("after", HELP)
    .action((name: string, _options, command: Command) =>
      add(name, command.optsWithGlobals<Common & { allow: string[] }>()),
    );

  token
    .command("list")
    .description("list the tokens and what they allow; what they are is kept nowhere")
    .action((_options, command: Command) => list(command.optsWithGlobals<Common>()));

  token
    .command("revoke")
    .description("end a token; its connections are closed")
    .argument("<name>")
    .action((name: string, _options, command: Command) => revoke(name, command.optsWithGlobals<Common>()));
}

const HELP = `
Rules are tried in their order and the first whose glob matches a path decides; where none does, nothing is
allowed. Put what you forbid first. \`*\` stays within a folder, \`**\` does not.

Levels, each with those before it:
  none      not even that the document exists
  read      read it, and be told of changes
  propose   propose edits for a person to approve
  append    add at its end
  write     edit, make, move and delete
  admin     change protected files (.vscode, .mcp.json …), and, where it is allowed on all of the
            workspace, what concerns all of it

A level may be followed by what becomes of an edit in conflict with a save: :merge (both stay, the default),
:disk (the save stands), :agent (the edit stands), :ask (the edit is refused). ReadOnly, ReadWrite (write:disk),
Admin (admin:agent), Human and Partner (write:ask) may be written, too.

The owner's token, in .spliced/daemon.json, allows everything; give it to nobody. docs/permissions.md has the
protected files, docs/security.md what is promised of a token.

Examples:
  $ spliced token add reader   --allow 'docs/**=read'
  $ spliced token add reviewer --allow 'private/**=none' --allow '**/*.md=propose' --allow '**=read'
  $ spliced token add journal  --allow 'log/*.md=append'
  $ spliced token add writer   --allow 'notes/**=write:ask' --allow '**=read'
  $ spliced token revoke writer`;

function collect(rule: string, before: readonly string[] = []): string[] {
  return [...before, rule];
}

async function add(
  name: string,
  { allow, json }: Common & { readonly allow: readonly string[] },
): Promise<void> {
  const { root, file } = workspace();
  const { idleRule, parseRule, showRule } = await import("../daemon/token-rules.ts");
  const rules = allow.map((text) => {
    const rule = parseRule(text);
    if (typeof rule === "string") throw new CommandError(EXIT.usage, rule);
    if (statSync(join(root, rule.glob), { throwIfNoEntry: false })?.isDirectory())
      throw new CommandError(
        EXIT.usage,
        `${rule.glob} is a folder; what is in it is written ${rule.glob}/**`,
      );
    return rule;
  });
  const idle = idleRule(rules);
  if (idle !== undefined)
    throw new CommandError(
      EXIT.usage,
      `${showRule(idle)} is never tried: ** ahead of it matches every path`,
      "Put the rule for ** last.",
    );
  const { addToken } = await import("../daemon/token-file.ts");
  const token = await addToken(file, name, rules);
  const shown = rules.map(showRule);
  if (json) return printJson({ name, token, allow: shown });
  remark(`${paint("green", "added", process.stderr)} ${name}  ${shown.join("  ")}`);
  remark("This is the token, shown this once; send it as Authorization: Bearer …");
  print(token);
}

async function list({ json }: Common): Promise<void> {
  const { file } = workspace();
  const { readTokens } = await import("../daemon/token-file.ts");
  const { showRule } = await import("../daemon/token-rules.ts");
  const shown = readTokens(file).map(({ name, createdAt, rules }) => ({
    name,
    createdAt,
    allow: rules.map(showRule),
  }));
  if (json) return printJson(shown);
  if (shown.length === 0) print("no tokens but the owner's, which is in .spliced/daemon.json");
  for (const { name, createdAt, allow } of shown)
    print(`${paint("bold", name.padEnd(16))} ${paint("dim", createdAt.slice(0, 10))}  ${allow.join("  ")}`);
}

async function revoke(name: string, { json }: Common): Promise<void> {
  const { file } = workspace();
  const { revokeToken } = await import("../daemon/token-file.ts");
  await revokeToken(file, name);
  if (json) printJson({ revoked: name });
  else print(`${paint("green", "revoked")} ${name}`);
}

/** The workspace that the current folder is in, served or not, and where it keeps its tokens. */
function workspace(): { root: string; file: string } {
  const root = findWorkspace(process.cwd());
  if (root === undefined)
    throw new CommandError(
      EXIT.noDaemon,
      "this folder is in no workspace yet",
      "make it one with: spliced start",
    );
  return { root, file: join(root, ".spliced", "tokens.json") };
}
