import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { logOf } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const CAPTURING = 'export default { capture: { hours: 2 }, log: { level: "debug" } };\n';

test("[ME30, ME13, ME10] edits of agents are captured on disk while the setting is on, and never elsewhere", async () => {
  const folder = makeFolder({ "a.md": "one\n", "daemon.config.ts": CAPTURING });
  const daemon = await serveFolder(folder.root);
  const agent = await daemon.connect({ name: "writer" });
  const person = await daemon.connect({ name: "ada", role: "person" });
  await agent.request("edit.append", { path: "a.md", text: "marked by the agent\n" });
  await expect(
    agent.request("edit.replace", { path: "a.md", old: "marked, but missing", new: "x" }),
  ).rejects.toThrow();
  await person.request("edit.append", { path: "a.md", text: "marked by the person\n" });
  const at = folder.at(".spliced/captures");
  const captures = await until(
    "both are written",
    () => readdirSync(at).map((name) => JSON.parse(readFileSync(`${at}/${name}`, "utf8"))),
    (all) => all.length === 2,
  );
  const byMethod = captures!.sort((one, two) => one.method.localeCompare(two.method));
  expect(byMethod).toMatchObject([
    {
      method: "edit.append",
      agent: "owner/writer",
      params: { text: "marked by the agent\n" },
      outcome: "ok",
    },
    { method: "edit.replace", params: { old: "marked, but missing" }, outcome: { code: "NO_MATCH" } },
  ]);
  const log = await until(
    "the log names both",
    () => logOf(folder.root),
    (text) => byMethod.every(({ request }) => text.includes(request)),
  );
  expect(log).not.toContain("marked");
  const configured = { patchMode: true, legacyOps: true };
  expect(await agent.request("settings.get", {})).toEqual({
    ...configured,
    configured,
    capture: { hours: 2, folder: ".spliced/captures" },
  });
  await daemon.stop();

  folder.write("daemon.config.ts", "export default {};\n");
  const off = await serveFolder(folder.root);
  const later = await off.connect({ name: "writer" });
  await later.request("edit.append", { path: "a.md", text: "more\n" });
  expect(await later.request("settings.get", {})).toMatchObject({ capture: null });
  expect(existsSync(at)).toBe(false);
});
