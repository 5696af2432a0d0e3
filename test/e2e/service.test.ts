import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DAEMON_ARGS } from "../../src/cli/connection/background.ts";
import { launchdAgent, systemdUnit } from "../../src/cli/service/service-units.ts";
import { further } from "../helpers/further.ts";
import { cli } from "./cli.ts";
import { BIN } from "./daemon.ts";
import { makeFolder } from "./folder.ts";

const ODD = `a 50%s $HOME \${X} "q" 'p' \\b & <x> ; é`;

/** Returns whether systemd can check a unit, and prints a note if it cannot. */
function withSystemd(): boolean {
  const found = spawnSync("systemd-analyze", ["--version"]).status === 0;
  if (!found) console.warn("systemd-analyze is not installed: no unit is shown to systemd");
  return found;
}

/** Returns systemd's complaints about a unit; "" when there are none. */
function complaints(text: string): string {
  const folder = makeFolder({ "spliced-test.service": text });
  const ran = spawnSync(
    "systemd-analyze",
    ["verify", "--user", "--man=no", folder.at("spliced-test.service")],
    {
      encoding: "utf8",
      env: { ...process.env, XDG_RUNTIME_DIR: folder.root, HOME: folder.root },
    },
  );
  return ran.status === 0 ? ran.stderr : `${ran.status}: ${ran.stderr}`;
}

/** Returns the words of a launchd agent's command line, read by a second XML parser. */
function programArguments(plist: string): string[] {
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">" };
  const [, array] = /<key>ProgramArguments<\/key>\s*<array>([\s\S]*?)<\/array>/.exec(plist)!;
  return [...array!.matchAll(/<string>([^<]*)<\/string>/g)].map(([, text]) =>
    text!.replace(/&(\w+);/g, (_all, name: string) => entities[name]!),
  );
}

describe.skipIf(!withSystemd())("a unit for systemd", () => {
  further("[PK3, PK23] passes systemd's check, whatever the folder's name", async () => {
    const { root, write } = makeFolder();
    write(`${ODD}/a.md`, "");
    const ran = await cli(root, ["service", ODD, "--systemd"]);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("Restart=on-failure") });
    expect(complaints(ran.out)).toBe("");
  });

  test("[PK3, PK23] names the program, whatever its path", () => {
    // systemd allows no quotes or backslashes in a program's path.
    const odd = ODD.replaceAll(/["'\\]/g, "");
    const folder = makeFolder({ [`${odd}/program`]: "#!/bin/sh\n" });
    const program = folder.at(`${odd}/program`);
    const { text } = systemdUnit("/notes", [program, "run"]);
    expect(complaints(text)).toMatch(/is not executable|No such file|Permission denied/);
    chmodSync(program, 0o755);
    expect(complaints(text)).toBe("");
  });
});

describe("spliced service", () => {
  test("[PK3, MY2] names node, the script and the folder by their absolute paths, and how to install it", async () => {
    const { root } = makeFolder();
    const { code, out, err } = await cli(root, ["service", "--systemd"]);
    expect(code).toBe(0);
    expect(out).toContain(
      `ExecStart=":${process.execPath}" ${DAEMON_ARGS.map((arg) => `"${arg}"`).join(" ")} "${BIN}" "run" "${root}"\n`,
    );
    const name = /~\/\.config\/systemd\/user\/(spliced-[\w-]+\.service)/.exec(out)![1]!;
    for (const text of [out, err]) {
      expect(text).toContain("systemctl --user daemon-reload\n");
      expect(text).toContain(`systemctl --user enable --now ${name}\n`);
    }
  });

  test("[PK3, PK23] for launchd prints XML with every path intact", async () => {
    const { root, write, at } = makeFolder();
    write(`${ODD}/a.md`, "");
    const { code, out } = await cli(root, ["service", ODD, "--launchd"]);
    expect(code).toBe(0);
    expect(programArguments(out)).toEqual([process.execPath, ...DAEMON_ARGS, BIN, "run", at(ODD)]);
    expect(out).toMatch(
      /launchctl bootstrap gui\/\$\(id -u\) ~\/Library\/LaunchAgents\/spliced\.[\w-]+\.plist\n/,
    );
    expect(balanced(out)).toBe(true);
  });

  test("[PK22] writes no file", async () => {
    const home = makeFolder();
    const { root } = makeFolder({ "a.md": "" });
    for (const kind of ["--systemd", "--launchd"])
      expect((await cli(root, ["service", kind], { env: { HOME: home.root } })).code).toBe(0);
    expect([readdirSync(home.root), readdirSync(root)]).toEqual([[], ["a.md"]]);
  });

  test("[PK3] --json prints the same, by default for this system", async () => {
    const { root } = makeFolder();
    const [asked, unasked] = await Promise.all(
      [["--systemd"], []].map((more) => cli(root, ["service", "--json", ...more])),
    );
    const unit = JSON.parse(asked!.out) as Record<string, string>;
    expect(unit).toEqual({
      for: "systemd",
      ...systemdUnit(root, [process.execPath, ...DAEMON_ARGS, BIN, "run", root]),
    });
    const own = process.platform === "darwin" ? "launchd" : "systemd";
    expect(JSON.parse(unasked!.out)).toMatchObject({ for: own });
  });

  test("[PK3] folders with the same name have different units", () => {
    const names = ["/a/notes", "/b/notes", "/b/-- notes"].map((root) => launchdAgent(root, ["x"]).name);
    expect(new Set(names).size).toBe(3);
    expect(names.every((name) => /^spliced\.notes-[0-9a-f]{6}$/.test(name))).toBe(true);
  });

  test("[PK13] refuses a line break in a path, and both kinds at once", async () => {
    const { root, write } = makeFolder();
    write("a\nb/a.md", "");
    const ran = await cli(root, ["service", "a\nb", "--systemd"]);
    expect(ran).toMatchObject({ code: 1, out: "", err: expect.stringContaining("control character") });
    expect(await cli(root, ["service", "--systemd", "--launchd"])).toMatchObject({ code: 2, out: "" });
    expect(await cli(root, ["service", "nowhere"])).toMatchObject({ code: 2, out: "" });
  });
});

/** Returns whether every opened element is closed, in order. */
function balanced(xml: string): boolean {
  const open: string[] = [];
  const bare = xml.replace(/<!--(?:(?!--)[\s\S])*-->|<[?!][^>]*>/g, "");
  for (const [, end, name, self] of bare.matchAll(/<(\/?)([a-z]+)(?:\s[^>]*?)?(\/?)>/g)) {
    if (end === "" && self === "") open.push(name!);
    else if (end !== "" && open.pop() !== name) return false;
  }
  return open.length === 0 && !bare.replace(/<[^<>]*>/g, "").includes("<");
}
