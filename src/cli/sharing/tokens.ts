import { statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { findWorkspace } from "../../client/locate.ts";
import type { Common } from "../connection/session.ts";
import { collect } from "../terminal/arguments.ts";
import { CommandError, EXIT, paint, print, printJson, remark } from "../terminal/output.ts";

/** Adds the commands that manage tokens. They work whether or not the daemon runs. */
export function tokenCommands(program: Command): void {
  const token = program
    .command("token")
    .description("create, list and revoke tokens, which limit the rights of agents")
    .addHelpText("after", HELP);

  token
    .command("add")
    .description("create a token and print it; spliced cannot print it again")
    .argument("<name>", "the agent's name, which the log and the history show")
    .requiredOption(
      "--allow <glob=level>",
      "a rule; repeat the option for more rules, of which the first that matches decides",
      collect,
    )
    .addHelpText("after", HELP)
    .action((name: string, _options, command: Command) =>
      add(name, command.optsWithGlobals<Common & { allow: string[] }>()),
    );

  token
    .command("list")
    .alias("ls")
    .description("list the names and rules of all tokens")
    .action((_options, command: Command) => list(command.optsWithGlobals<Common>()));

  token
    .command("revoke")
    .aliases(["rm", "remove"])
    .description("revoke a token and close its connections")
    .argument("<name>", "the name of the token")
    .action((name: string, _options, command: Command) => revoke(name, command.optsWithGlobals<Common>()));
}

const HELP = `
A rule is <glob>=<level>. The first rule whose glob matches a path decides; a path that no rule matches is not allowed.
Put rules that forbid first. \`*\` matches within one folder, \`**\` across folders.

Each level includes the levels above it:
  none      nothing; the token cannot even see that the document exists
  read      read the document and follow its changes
  propose   propose edits for a person to approve
  append    add text at the end; other edits become proposals
  write     edit, create, move and delete
  admin     change protected files (.vscode, .mcp.json …); with **=admin, also manage the whole workspace

After a level, add what happens to an edit that conflicts with a save:
  :merge    both texts stay (the default)
  :disk     the save stays
  :agent    the edit stays
  :ask      the edit is refused
ReadOnly is short for read, ReadWrite for write:disk, Admin for admin:agent, Human and Partner for write:ask.

The owner's token, in .spliced/daemon.json, allows everything. Give it to nobody. docs/permissions.md lists the
protected files, and docs/security.md says which limits of a token hold.

Examples:
  $ spliced token add reader   --allow 'docs/**=read'
  $ spliced token add reviewer --allow 'private/**=none' --allow '**/*.md=propose' --allow '**=read'
  $ spliced token add journal  --allow 'log/*.md=append'
  $ spliced token add writer   --allow 'notes/**=write:ask' --allow '**=read'
  $ spliced token revoke writer`;

async function add(
  name: string,
  { allow, json }: Common & { readonly allow: readonly string[] },
): Promise<void> {
  const { root, file } = workspace();
  const { formatRule, parseRule, unreachableRule } = await import("../../daemon/tokens/token-rules.ts");
  const rules = allow.map((text) => {
    const rule = parseRule(text);
    if (typeof rule === "string") throw new CommandError(EXIT.usage, rule);
    if (statSync(join(root, rule.glob), { throwIfNoEntry: false })?.isDirectory())
      throw new CommandError(
        EXIT.usage,
        `${rule.glob} is a folder; write ${rule.glob}/** for the documents in it`,
      );
    return rule;
  });
  const unused = unreachableRule(rules);
  if (unused !== undefined)
    throw new CommandError(
      EXIT.usage,
      `${formatRule(unused)} has no effect, because ** before it matches every path`,
      "put the rule for ** last",
    );
  const { addToken } = await import("../../daemon/tokens/token-file.ts");
  const token = await addToken(file, name, rules);
  const allowed = rules.map(formatRule);
  if (json) return printJson({ name, token, allow: allowed });
  remark(`${paint("green", "added", process.stderr)} ${name}  ${allowed.join("  ")}`);
  remark("This is the token, printed only once. Send it as Authorization: Bearer …");
  print(token);
}

async function list({ json }: Common): Promise<void> {
  const { file } = workspace();
  const { readTokens } = await import("../../daemon/tokens/token-file.ts");
  const { formatRule } = await import("../../daemon/tokens/token-rules.ts");
  const tokens = readTokens(file).map(({ name, createdAt, rules }) => ({
    name,
    createdAt,
    allow: rules.map(formatRule),
  }));
  if (json) return printJson(tokens);
  if (tokens.length === 0) print("no tokens except the owner's, which is in .spliced/daemon.json");
  for (const { name, createdAt, allow } of tokens)
    print(`${paint("bold", name.padEnd(16))} ${paint("dim", createdAt.slice(0, 10))}  ${allow.join("  ")}`);
}

async function revoke(name: string, { json }: Common): Promise<void> {
  const { file } = workspace();
  const { revokeToken } = await import("../../daemon/tokens/token-file.ts");
  await revokeToken(file, name);
  if (json) printJson({ revoked: name });
  else print(`${paint("green", "revoked")} ${name}`);
}

/** Returns the workspace that the current folder is in, and its file of tokens. @throws CommandError */
function workspace(): { root: string; file: string } {
  const root = findWorkspace(process.cwd());
  if (root === undefined)
    throw new CommandError(
      EXIT.noDaemon,
      "this folder is not in a workspace",
      "make it one with: spliced start",
    );
  return { root, file: join(root, ".spliced", "tokens.json") };
}
