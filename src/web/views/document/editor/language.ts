import { LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** A document this long (in characters) is shown without what costs time by its length. */
export const LONG = 1_000_000;

const PROSE = /\.(md|mdx|markdown|txt|rst|adoc|tex)$/i;

/** What the editor knows of a file by its name; the parser is loaded when it is first needed. */
export async function languageOf(path: string): Promise<Extension> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const description = LanguageDescription.matchFilename(languages, name);
  return description === null ? [] : description.load();
}

/** Prose is wrapped; code keeps its lines. */
export function wrappingOf(path: string): Extension {
  return PROSE.test(path) ? EditorView.lineWrapping : [];
}

/** What one step of indentation is in a text, by its first indented lines. */
export function indentationOf(text: string): string {
  const steps = [...text.slice(0, 20_000).matchAll(/\n(\t| {2,8})(?=\S)/g)].map(([, step]) => step!);
  if (steps.some((step) => step === "\t")) return "\t";
  return steps.reduce((least, step) => (step.length < least.length ? step : least), steps[0] ?? "  ");
}
