import { type Attempt, StructureFailure } from "../failure.ts";

/** A heading of a view with the text and the sections below it. */
export interface Section {
  readonly title: string;
  /** The text up to the next heading, without empty lines around it. */
  readonly body: string;
  readonly children: readonly Section[];
  /** The 1-based line of the heading; 0 when it was not read from a text. */
  readonly line: number;
}

/** A Markdown document of nested headings, which begin at `##`. */
export interface Outline {
  /** The lines between the first `---` and the next. */
  readonly frontmatter: readonly string[] | undefined;
  readonly sections: readonly Section[];
}

const HEADING = /^(#+)(?:[ \t]+(.*?))?[ \t]*$/s;
/** Matches a line that opens a block of verbatim text. */
export const FENCE = /^(`{3,}|~{3,})/;

export function render({ frontmatter, sections }: Outline): string {
  const head = frontmatter === undefined ? [] : ["---", ...frontmatter, "---"];
  return `${[...head, ...sections.flatMap((section) => lines(section, 2))].join("\n")}\n`;
}

function lines({ title, body, children }: Section, level: number): string[] {
  const own = [`${"#".repeat(level)} ${title}`, ...(body === "" ? [] : [body])];
  return ["", ...own, ...children.flatMap((child) => lines(child, level + 1))];
}

/** Reads the output of `render`, possibly edited by a person. */
export function outline(markdown: string): Attempt<Outline> {
  const all = markdown.replaceAll("\r\n", "\n").split("\n");
  const end =
    all[0]?.trimEnd() === "---" ? all.findIndex((line, i) => i > 0 && line.trimEnd() === "---") : -1;
  if (all[0]?.trimEnd() === "---" && end < 0) return broken("the frontmatter has no closing ---", 1);
  const root: Open = { title: "", line: 0, level: 1, body: [], children: [] };
  const open: Open[] = [root];
  let fence: { readonly mark: string; readonly line: number } | undefined;
  for (const [i, line] of all.entries()) {
    if (i <= end) continue;
    const here = open.at(-1)!;
    const heading = fence === undefined ? HEADING.exec(line) : null;
    if (heading === null) {
      const mark = FENCE.exec(line)?.[1];
      if (fence === undefined && mark !== undefined) fence = { mark, line: i + 1 };
      else if (fence !== undefined && mark?.startsWith(fence.mark) && line.trimEnd() === mark)
        fence = undefined;
      here.body.push(line);
      continue;
    }
    const level = heading[1]!.length;
    const title = heading[2] ?? "";
    if (title === "") return broken("a heading without a title", i + 1);
    if (level === 1 || level > here.level + 1)
      return broken(`${heading[1]} ${title}: a heading here must have 2 to ${here.level + 1} #`, i + 1);
    open.length = level - 1;
    const section: Open = { title, line: i + 1, level, body: [], children: [] };
    open.at(-1)!.children.push(section);
    open.push(section);
  }
  if (fence !== undefined) return broken("the block that begins with ``` here is not closed", fence.line);
  const stray = root.body.findIndex((line) => line.trim() !== "");
  if (stray >= 0) return broken("text before the first ## heading has no key", end + 2 + stray);
  return { frontmatter: end < 0 ? undefined : all.slice(1, end), sections: root.children.map(closed) };
}

interface Open {
  readonly title: string;
  readonly line: number;
  readonly level: number;
  readonly body: string[];
  readonly children: Open[];
}

function closed({ title, line, body, children }: Open): Section {
  const from = body.findIndex((text) => text.trim() !== "");
  const to = body.findLastIndex((text) => text.trim() !== "") + 1;
  return {
    title,
    line,
    body: from < 0 ? "" : body.slice(from, to).join("\n"),
    children: children.map(closed),
  };
}

function broken(message: string, line: number): StructureFailure {
  return new StructureFailure("invalid_value", `the Markdown cannot be read: ${message}`, { line });
}
