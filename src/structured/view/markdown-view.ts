import { type Attempt, StructureFailure } from "../failure.ts";
import { read } from "../set-field.ts";
import { tomlFormat } from "../toml/toml.ts";
import { fence } from "./notation.ts";
import { render } from "./sections.ts";
import { sectionsOf, viewText } from "./view-text.ts";

/** Returns true when a document has a Markdown view. */
export function hasView(path: string): boolean {
  return /\.toml$/i.test(path);
}

/**
 * Returns a TOML document as Markdown: a section for each key. A value that is unclear in Markdown keeps its TOML
 * spelling.
 */
export function markdownView(text: string, path: string): Attempt<string> {
  const document = read(tomlFormat, text);
  if (!(document instanceof StructureFailure))
    return render({
      frontmatter: [blockLine(path)],
      sections: [...sectionsOf(viewText(text)).values()].flat(),
    });
  if (document.reason === "too_large") return document;
  return `---\n${blockLine(path)}\n${INVALID}\n---\n\n${fence(text, "toml")}\n`;
}

export const INVALID = "error: invalid_toml";

/** Returns the line that names the document: its file name without the extension. */
export function blockLine(path: string): string {
  const label = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  return `block: ${/^\S(?:.*\S)?$/.test(label) ? label : JSON.stringify(label)}`;
}
