import { describe, expect, test } from "vitest";
import { SettingsProblem } from "../../src/hooks/edit-settings.ts";
import type { HookClient } from "../../src/hooks/input.ts";
import { withHooks, withoutHooks } from "../../src/hooks/settings.ts";

const COMMAND = ["/usr/bin/node", "/opt/my tools/spliced.js"];
const PLAIN = { through: false };

const SAMPLES: readonly [name: string, text: string][] = [
  ["an empty object", "{}\n"],
  ["other settings", '{\n  "model": "opus",\n  "permissions": { "allow": ["Bash(ls:*)"] }\n}\n'],
  [
    "comments and tabs",
    '// mine\n{\n\t"model": "opus", // the best\n\t/* why */\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
  ],
  [
    "hooks of others, in both lists",
    `{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "lint.sh" }] } // mine
    ],
    "Notification": [{ "hooks": [{ "type": "command", "command": "beep" }] }]
  },
  "theme": "dark"
}
`,
  ],
  ["line breaks of Windows", '{\r\n  "model": "opus"\r\n}\r\n'],
  ["a comma at the end", '{\n  "model": "opus",\n}\n'],
  ["no line break at the end", '{"model":"opus"}'],
];
const CLIENTS: readonly Exclude<HookClient, "opencode">[] = ["claude", "codex", "gemini"];

const commandsIn = (text: string) =>
  [...text.matchAll(/"command": ?"((?:[^"\\]|\\.)*)"/g)].map(([, command]) => JSON.parse(`"${command}"`));

describe("an agent's settings", () => {
  for (const client of CLIENTS)
    for (const [name, text] of SAMPLES)
      test(`[HK5] ${client}: installing and removing hooks leaves ${name} as it was`, () => {
        const installed = withHooks(client, text, COMMAND, PLAIN);
        expect(installed).not.toBe(text);
        for (const line of text.split(/\r?\n/).filter((line) => line.includes("//")))
          expect(installed).toContain(line.slice(line.indexOf("//")).trim());
        expect(withoutHooks(client, installed, COMMAND) ?? "{}\n").toBe(text);
      });

  test("[HK5] each event gets one group, and installing again changes nothing", () => {
    const once = withHooks("claude", "{}\n", COMMAND, PLAIN);
    expect(withHooks("claude", once, COMMAND, PLAIN)).toBe(once);
    const { hooks } = JSON.parse(once);
    expect(Object.keys(hooks)).toEqual(["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]);
    expect(hooks.PreToolUse[0].matcher).toContain("Edit");
    expect(new Set(commandsIn(once))).toEqual(
      new Set(["/usr/bin/node '/opt/my tools/spliced.js' hook claude"]),
    );
  });

  test("[HK5] installing again with other options or from another place replaces the hooks", () => {
    const once = withHooks("claude", undefined, COMMAND, PLAIN);
    const moved = withHooks("claude", once, ["/bin/node", "/new/spliced.js"], { through: true });
    expect(new Set(commandsIn(moved))).toEqual(new Set(["/bin/node /new/spliced.js hook claude --through"]));
  });

  test("[HK5] a file that had nothing else goes", () => {
    expect(withoutHooks("gemini", withHooks("gemini", undefined, COMMAND, PLAIN), COMMAND)).toBeUndefined();
    expect(withoutHooks("gemini", "{}\n", COMMAND)).toBe("{}\n");
  });

  for (const [name, text] of [
    ["no JSON", "{ hooks: "],
    ["a list", "[]"],
    ["hooks that are no object", '{"hooks": 3}'],
    ["an event that is no list", '{"hooks": {"PreToolUse": {}}}'],
    ["a key twice", '{"a": 1, "a": 2}'],
  ] as const)
    test(`[HK6] settings with ${name} stay, and the message says what to do`, () => {
      expect(() => withHooks("claude", text, COMMAND, PLAIN)).toThrow(SettingsProblem);
      expect(() => withHooks("claude", text, COMMAND, PLAIN)).toThrow(/was not changed.*--print claude/);
    });

  test("[HK7] opencode gets a plugin file, which goes again unless somebody changed it", () => {
    const plugin = withHooks("opencode", undefined, COMMAND, PLAIN);
    expect(plugin).toContain('["/usr/bin/node","/opt/my tools/spliced.js","hook","opencode"]');
    expect(withoutHooks("opencode", plugin, ["/other/node", "spliced"])).toBeUndefined();
    expect(() => withoutHooks("opencode", `${plugin}// more\n`, COMMAND)).toThrow(SettingsProblem);
  });
});
