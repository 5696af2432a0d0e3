import { type Data, fromJson, isList, isMap, type Json } from "../structured/data.ts";
import { editSettings, type Settings, type SettingsProblem, settingsProblem } from "./edit-settings.ts";
import type { HookClient } from "./input.ts";
import { pluginText } from "./opencode-plugin.ts";

/** An agent's hooks in its settings. The commands of hooks are shell commands. */
interface HookSettings {
  /** The settings file, relative to the project. */
  readonly file: string;
  readonly groups: Readonly<Record<string, { readonly matcher?: string; readonly hooks: readonly Json[] }>>;
}

/** The program and the arguments that run spliced. */
export type SplicedCommand = readonly string[];

const FILES: Readonly<Record<HookClient, string>> = {
  claude: ".claude/settings.local.json",
  codex: ".codex/hooks.json",
  gemini: ".gemini/settings.json",
  opencode: ".opencode/plugin/spliced.js",
};

/** Returns the file of an agent's project settings that has its hooks. */
export function settingsFile(client: HookClient): string {
  return FILES[client];
}

/**
 * Returns the text of an agent's settings with spliced's hooks, and everything else as it was. `text` is the present
 * text; undefined if there is no file. @throws SettingsProblem
 */
export function withHooks(
  client: HookClient,
  text: string | undefined,
  command: SplicedCommand,
  options: { readonly through: boolean },
): string {
  if (client === "opencode") return pluginText(command);
  return edited(client, text, (settings) => {
    const hooks = without(hooksOf(client, settings));
    for (const [event, group] of Object.entries(groupsFor(client, command, options))) {
      const groups = hooks.get(event) ?? [];
      if (!isList(groups)) throw problem(client, `hooks.${event} is no list`);
      hooks.set(event, [...groups, fromJson(group as Json) as Data]);
    }
    return new Map(settings).set("hooks", hooks);
  });
}

/**
 * Returns the text of an agent's settings without spliced's hooks; undefined if the file has no other settings, so that
 * the caller should remove it. @throws SettingsProblem
 */
export function withoutHooks(client: HookClient, text: string, command: SplicedCommand): string | undefined {
  if (client === "opencode") {
    if (text === pluginText(commandIn(text) ?? command)) return undefined;
    throw problem(client, "the plugin differs from spliced's own; remove the file by hand");
  }
  const left = edited(client, text, (settings) => {
    const hooks = without(hooksOf(client, settings));
    const all = new Map(settings);
    if (hooks.size > 0) all.set("hooks", hooks);
    else all.delete("hooks");
    return all;
  });
  return /^\s*\{\s*\}\s*$/.test(left) && !/^\s*\{\s*\}\s*$/.test(text) ? undefined : left;
}

/** Returns the hooks alone, for people who add them by hand. */
export function hooksAlone(
  client: HookClient,
  command: SplicedCommand,
  options: { readonly through: boolean },
): string {
  return withHooks(client, undefined, command, options);
}

function edited(client: HookClient, text: string | undefined, change: (settings: Settings) => Data): string {
  return editSettings(fileOf(client), text, change);
}

function hooksOf(client: HookClient, settings: Settings): Settings {
  const hooks = settings.get("hooks") ?? new Map<string, Data>();
  if (!isMap(hooks)) throw problem(client, "`hooks` is no object");
  return hooks;
}

/** Returns hooks without spliced's own, and without lists and groups that had only these. */
function without(hooks: Settings): Map<string, Data> {
  const left = new Map<string, Data>();
  for (const [event, groups] of hooks) {
    const others = isList(groups) ? groups.flatMap(withoutOwn) : groups;
    if (!isList(groups) || !isList(others) || others.length > 0 || groups.length === 0)
      left.set(event, others);
  }
  return left;
}

function withoutOwn(group: Data): readonly Data[] {
  const commands = isMap(group) ? group.get("hooks") : undefined;
  if (!isMap(group) || !isList(commands)) return [group];
  const others = commands.filter((one) => !isOwn(one));
  if (others.length === commands.length) return [group];
  return others.length === 0 ? [] : [new Map(group).set("hooks", others)];
}

function isOwn(hook: Data): boolean {
  const command = isMap(hook) ? hook.get("command") : undefined;
  return typeof command === "string" && /spliced\S* hook (claude|codex|gemini)( --through)?$/.test(command);
}

function groupsFor(
  client: Exclude<HookClient, "opencode">,
  command: SplicedCommand,
  { through }: { readonly through: boolean },
): HookSettings["groups"] {
  const words = [...command, "hook", client, ...(through ? ["--through"] : [])];
  // Gemini CLI counts in milliseconds, the others in seconds.
  const timeout = client === "gemini" ? 10_000 : 10;
  const hooks = [{ type: "command", command: words.map(quoted).join(" "), timeout }];
  switch (client) {
    case "claude": {
      const tools = { matcher: "Edit|MultiEdit|Write|NotebookEdit|Read|Bash", hooks };
      return { UserPromptSubmit: { hooks }, PreToolUse: tools, PostToolUse: tools, Stop: { hooks } };
    }
    case "codex": {
      const tools = { matcher: "apply_patch|Edit|Write|Bash", hooks };
      return { UserPromptSubmit: { hooks }, PreToolUse: tools, PostToolUse: tools, Stop: { hooks } };
    }
    case "gemini": {
      const tools = { matcher: "write_file|replace|read_file|run_shell_command", hooks };
      return { BeforeAgent: { hooks }, BeforeTool: tools, AfterTool: tools, AfterAgent: { hooks } };
    }
  }
}

/** Returns a word as a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the command in a plugin that an earlier installation made. */
function commandIn(plugin: string): SplicedCommand | undefined {
  const line = /^const COMMAND = (\[.*\]);$/m.exec(plugin)?.[1];
  try {
    const words = line === undefined ? undefined : (JSON.parse(line) as string[]);
    return words?.slice(0, -2);
  } catch {
    return undefined;
  }
}

function problem(client: HookClient, reason: string): SettingsProblem {
  return settingsProblem(fileOf(client), reason);
}

function fileOf(client: HookClient): { file: string; remedy: string } {
  return {
    file: FILES[client],
    remedy: `add the hooks by hand from: spliced hook --print ${client}`,
  };
}
