import { type Attack, type Ground, MB, request } from "../attack.ts";
import { lines, many } from "../texts.ts";

const name = "long.md";
const letters = ({ scaled }: Ground) => ({ [name]: "a ".repeat(scaled(3.5 * MB)) });
const prose = ({ scaled }: Ground) => ({ [name]: lines(scaled(15 * MB), 1) });
const numbered = ({ scaled }: Ground) => ({ [name]: many(scaled(100_000), (i) => `line ${i}\n`) });
const toml = ({ scaled }: Ground) => ({
  "long.toml": many(scaled(16_000), (i) => `[section${i}]\nname = "number ${i}"\ntext = "some words"\n`),
});

/** Returns the attack of an edit that names its base, as an edit of the whole text or by position must. */
function informed(
  name: string,
  method: string,
  of: string,
  params: (ground: Ground) => object,
  files: (ground: Ground) => Record<string, string>,
): Attack {
  return {
    name,
    level: "write",
    files,
    async prepare(scene) {
      const one = await scene.attacker("write");
      const path = scene.at(of);
      const opened = await one.ask("doc.open", { path });
      const sent = JSON.stringify({ path, version: opened?.result?.["version"], ...params(scene) });
      return () => one.verdict(method, sent);
    },
  };
}

/** Many edits, large edits, and edits of old versions. */
export const edits: readonly Attack[] = [
  request(
    "replace-all",
    "propose",
    "edit.replace",
    ({ at }) => ({ path: at(name), old: "a", new: "b", occurrence: "all" }),
    letters,
  ),
  request(
    "replace-far",
    "propose",
    "edit.replace",
    ({ at }) => ({ path: at(name), old: "a", new: "b", occurrence: 99_999_999 }),
    letters,
  ),
  informed(
    "splices",
    "edit.splice",
    name,
    ({ scaled }) => ({
      splices: Array.from({ length: scaled(500_000) }, (_, i) => ({
        from: i * 4,
        to: i * 4 + 1,
        insert: "b",
      })),
    }),
    letters,
  ),
  request(
    "patch-hunks",
    "write",
    "edit.patch",
    ({ scaled, at }) => ({
      path: at(name),
      patch: many(scaled(MB), (i) => `@@ -${i + 1} +${i + 1} @@\n-a\n+b\n`),
    }),
    ({ scaled }) => ({ [name]: "a\n".repeat(scaled(MB)) }),
  ),
  request(
    "patch-nowhere",
    "write",
    "edit.patch",
    ({ scaled, at }) => ({
      path: at(name),
      patch: many(scaled(MB), () => "@@ -1 +1 @@\n-nowhere\n+there\n"),
      match: "tolerant",
    }),
    numbered,
  ),
  informed(
    "lines-changed",
    "edit.lines",
    name,
    ({ scaled }) => ({
      changes: Array.from({ length: scaled(50_000) }, (_, i) => ({
        operation: "replace",
        startLine: 2 * i + 1,
        endLine: 2 * i + 1,
        expectedOriginalLines: [`line ${2 * i}`],
        newLines: [`Line ${2 * i}`],
      })),
    }),
    numbered,
  ),
  request(
    "yaml-set",
    "propose",
    "edit.set",
    ({ scaled, at }) => ({ path: at("long.yaml"), key: [`key${scaled(90_000) - 1}`], value: "other" }),
    ({ scaled }) => ({ "long.yaml": many(scaled(90_000), (i) => `key${i}: value ${i}\n`) }),
  ),
  request("toml-view", "read", "doc.read", ({ at }) => ({ path: at("long.toml"), view: "markdown" }), toml),
  {
    name: "toml-view-edit",
    level: "propose",
    files: toml,
    async prepare({ attacker, at }) {
      const one = await attacker("propose");
      const seen = await one.ask("doc.read", { path: at("long.toml"), view: "markdown" });
      const { text, version } = seen?.result ?? {};
      const edited = String(text).replace("some words", "other words");
      return () =>
        one.verdict("edit.write", { path: at("long.toml"), view: "markdown", text: edited, version });
    },
  },
  informed(
    "write-different",
    "edit.write",
    name,
    ({ scaled }) => ({ text: lines(scaled(15 * MB), 2) }),
    prose,
  ),
  informed(
    "write-letters",
    "edit.write",
    name,
    ({ scaled }) => ({ text: "0".repeat(scaled(15 * MB)) }),
    letters,
  ),
];
