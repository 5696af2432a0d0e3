import { type Attack, MB, request, type Scene } from "../attack.ts";
import { lines, many } from "../texts.ts";

type Scaled = Scene["scaled"];

const path = "long.md";
const letters = (scaled: Scaled) => ({ [path]: "a ".repeat(scaled(3.5 * MB)) });
const prose = (scaled: Scaled) => ({ [path]: lines(scaled(15 * MB), 1) });
const numbered = (scaled: Scaled) => ({ [path]: many(scaled(100_000), (i) => `line ${i}\n`) });
const toml = (scaled: Scaled) => ({
  "long.toml": many(scaled(16_000), (i) => `[section${i}]\nname = "number ${i}"\ntext = "some words"\n`),
});

/** An edit that names what it was made from, as one of the whole text or by position has to. */
function informed(
  name: string,
  method: string,
  of: string,
  params: (scaled: Scaled) => object,
  files: (scaled: Scaled) => Record<string, string>,
): Attack {
  return {
    name,
    level: "propose",
    files,
    async prepare({ attacker, scaled }) {
      const one = await attacker("propose");
      const opened = await one.ask("doc.open", { path: of });
      const sent = { path: of, version: opened?.result?.["version"], ...params(scaled) };
      return () => one.verdict(method, sent);
    },
  };
}

/** Edits that are many, large, or far away. */
export const edits: readonly Attack[] = [
  request(
    "replace-all",
    "propose",
    "edit.replace",
    () => ({ path, old: "a", new: "b", occurrence: "all" }),
    letters,
  ),
  request(
    "replace-far",
    "propose",
    "edit.replace",
    () => ({ path, old: "a", new: "b", occurrence: 99_999_999 }),
    letters,
  ),
  informed(
    "splices",
    "edit.splice",
    path,
    (scaled) => ({
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
    "propose",
    "edit.patch",
    (scaled) => ({
      path,
      patch: many(scaled(MB), (i) => `@@ -${i + 1} +${i + 1} @@\n-line ${i}\n+Line ${i}\n`),
    }),
    numbered,
  ),
  request(
    "patch-nowhere",
    "propose",
    "edit.patch",
    (scaled) => ({
      path,
      patch: many(scaled(MB), () => "@@ -1 +1 @@\n-nowhere\n+there\n"),
      match: "tolerant",
    }),
    numbered,
  ),
  informed(
    "lines-changed",
    "edit.lines",
    path,
    (scaled) => ({
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
    (scaled) => ({ path: "long.yaml", key: [`key${scaled(90_000) - 1}`], value: "other" }),
    (scaled) => ({ "long.yaml": many(scaled(90_000), (i) => `key${i}: value ${i}\n`) }),
  ),
  request("toml-view", "read", "doc.read", () => ({ path: "long.toml", view: "markdown" }), toml),
  {
    name: "toml-view-edit",
    level: "propose",
    files: toml,
    async prepare({ attacker }) {
      const one = await attacker("propose");
      const seen = await one.ask("doc.read", { path: "long.toml", view: "markdown" });
      const { text, version } = seen?.result ?? {};
      const edited = String(text).replace("some words", "other words");
      return () => one.verdict("edit.write", { path: "long.toml", view: "markdown", text: edited, version });
    },
  },
  informed("write-different", "edit.write", path, (scaled) => ({ text: lines(scaled(15 * MB), 2) }), prose),
  informed("write-letters", "edit.write", path, (scaled) => ({ text: "0".repeat(scaled(15 * MB)) }), letters),
];
