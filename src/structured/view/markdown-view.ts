import { type Attempt, StructureFailure } from "../failure.ts";
import { read } from "../set-field.ts";
import { tomlFormat } from "../toml/toml.ts";
import { fence } from "./notation.ts";
import { render } from "./sections.ts";
import { sectionsOf, shown } from "./shown.ts";

/** Whether a document has a Markdown view. */
export function hasView(path: string): boolean {
  return /\.toml$/i.test(path);
}

/** A document of TOML as Markdown: a section for each key, what is unclear in Markdown in TOML's own spelling. */
export function markdownView(text: string, path: string): Attempt<string> {
  const document = read(tomlFormat, text);
  if (!(document instanceof StructureFailure))
    return render({ frontmatter: [blockLine(path)], sections: [...sectionsOf(shown(text)).values()].flat() });
  if (document.reason === "too_large") return document;
  return `---\n${blockLine(path)}\n${INVALID}\n---\n\n${fence(text, "toml")}\n`;
}

export const INVALID = "error: invalid_toml";

/** Names the document: its file's name without the extension. */
export function blockLine(path: string): string {
  const label = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  return `block: ${/^\S(?:.*\S)?$/.test(label) ? label : JSON.stringify(label)}`;
}
