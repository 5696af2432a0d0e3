import { type Attempt, StructureFailure } from "./failure.ts";
import type { Format } from "./format.ts";
import { jsonFormat } from "./json/json.ts";
import { tomlFormat } from "./toml/toml.ts";
import { yamlFormat } from "./yaml/yaml.ts";

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ["toml", tomlFormat],
  ["json", jsonFormat("json")],
  ["jsonc", jsonFormat("jsonc")],
  ["yaml", yamlFormat],
  ["yml", yamlFormat],
]);

/** Files of JSON with comments and a comma after the last item, as their programs read them. */
const WITH_COMMENTS = [
  /(?:^|\/)(?:[tj]sconfig(?:\.[^/]+)?|tslint|api-extractor|\.?devcontainer|language-configuration)\.json$/i,
  /(?:^|\/)\.(?:eslintrc|babelrc|swcrc|jshintrc|jscsrc|hintrc)(?:\.json)?$/i,
  /(?:^|\/)\.vscode\/[^/]+\.json$|\.code-workspace$/i,
];

/** Returns the format of a document, by its name or the extension of its path. */
export function formatOf(path: string): Attempt<Format> {
  if (WITH_COMMENTS.some((names) => names.test(path))) return FORMATS.get("jsonc")!;
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const known = [...FORMATS.keys()].map((name) => `.${name}`).join(", ");
  return (
    FORMATS.get(extension) ??
    new StructureFailure(
      "unknown_format",
      `${path} has no fields to set; files of these types have: ${known}`,
      {
        suggestion: "Edit the text with edit.replace or edit.patch.",
      },
    )
  );
}
