import { LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Length in characters from which a document has no syntax colours. */
export const LONG = 1_000_000;

const PROSE = /\.(md|mdx|markdown|txt|rst|adoc|tex)$/i;

/** Returns the language support for a file's name. The parser is loaded on first use. */
export async function languageOf(path: string): Promise<Extension> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const description = LanguageDescription.matchFilename(languages, name);
  if (description?.name === "Markdown") {
    const { markdown, markdownLanguage } = await import("@codemirror/lang-markdown");
    // The default is CommonMark, in which the box of a done task is a link.
    return markdown({ base: markdownLanguage, codeLanguages: languages });
  }
  return description === null ? [] : description.load();
}

/** Returns line wrapping for prose, and none for code. */
export function wrappingOf(path: string): Extension {
  return PROSE.test(path) ? EditorView.lineWrapping : [];
}

/** Returns one step of indentation, as the first indented lines of a text have it. */
export function indentationOf(text: string): string {
  const steps = [...text.slice(0, 20_000).matchAll(/\n(\t| {2,8})(?=\S)/g)].map(([, step]) => step!);
  if (steps.some((step) => step === "\t")) return "\t";
  return steps.reduce((least, step) => (step.length < least.length ? step : least), steps[0] ?? "  ");
}
