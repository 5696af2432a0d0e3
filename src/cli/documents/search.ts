import { relative, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { type Common, talk } from "../connection/session.ts";
import { parseCount } from "../terminal/arguments.ts";
import { CommandError, EXIT, paint, print, printJson, remark } from "../terminal/output.ts";

interface SearchOptions extends Common {
  readonly regex?: boolean;
  readonly ignoreCase?: boolean;
  readonly context: number;
  readonly limit: number;
  readonly glob?: string;
}

type Page = Result<"search">;
type Match = Page["matches"][number];

/** The most matches that one request asks for. */
const PAGE = 1000;
const MOST_CONTEXT = 20;

/** Adds `search`, which finds lines of documents. */
export function searchCommand(program: Command): void {
  program
    .command("search")
    .description("find a text in the documents, with edits that their files do not have yet")
    .argument("<text>", "the text, or with --regex an RE2 regular expression")
    .argument("[glob]", 'only documents whose path matches, such as "src/**/*.ts"')
    .option("--regex", "search for a regular expression")
    .option("-i, --ignore-case", "ignore upper and lower case")
    .option("-C, --context <n>", "show this many lines around each match", parseContext, 0)
    .option("-n, --limit <n>", "show at most this many matching lines", parseCount, 1000)
    .addHelpText("after", '\nExample:\n  $ spliced search -i -C 2 "todo" "src/**"')
    .action((query: string, glob: string | undefined, _options, command: Command) =>
      search(query, { ...command.optsWithGlobals<SearchOptions>(), ...(glob !== undefined && { glob }) }),
    );
}

function parseContext(given: string): number {
  const lines = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (lines <= MOST_CONTEXT) return lines;
  throw new InvalidArgumentError(`Give a number from 0 to ${MOST_CONTEXT}.`);
}

/** Prints each answer as it comes; the answers continue where the one before ended. @throws CommandError */
async function search(query: string, options: SearchOptions): Promise<void> {
  if (query === "") {
    const remedy = "give a text to find; the documents are listed by: spliced ls";
    throw new CommandError(EXIT.usage, "argument '<text>' is empty", remedy);
  }
  const { regex = false, ignoreCase = false, context, limit, glob, json } = options;
  return talk(options, async ({ client, located }) => {
    const printer = new MatchPrinter(located.tree, context > 0);
    const matches: Match[] = [];
    const tooLong: string[] = [];
    let count = 0;
    let page: Page | undefined;
    while (page === undefined || (page.next !== null && count < limit)) {
      page = await client.request("search", {
        query,
        regex,
        ignoreCase,
        context,
        limit: Math.min(PAGE, limit - count),
        ...(glob !== undefined && { pattern: glob }),
        ...(page?.next && { after: page.next }),
      });
      count += page.matches.length;
      tooLong.push(...page.tooLong);
      if (json) matches.push(...page.matches);
      else for (const match of page.matches) printer.print(match);
    }
    printer.end();
    const { more } = page;
    if (json) return printJson({ matches, more, tooLong });
    for (const path of tooLong) remark(`${path} was not searched: the regex needs too many steps in it`);
    if (more) remark(`there may be more matches; for more than ${limit}, add: --limit ${10 * limit}`);
    else if (count === 0) remark("no document has a match");
  });
}

/** Prints matches and the lines around them, each line once. Paths are relative to the current folder. */
class MatchPrinter {
  readonly #root: string;
  readonly #separates: boolean;
  #path = "";
  /** The last printed line of this path. */
  #line = 0;
  /** The lines after the last match, which wait for the next match: it may be one of them. */
  #after: readonly string[] = [];

  constructor(root: string, separates: boolean) {
    this.#root = root;
    this.#separates = separates;
  }

  print({ path, line, text, before, after }: Match): void {
    const isNew = path !== this.#path;
    this.end(isNew ? undefined : line);
    const first = line - before.length;
    if (this.#separates && this.#path !== "" && (isNew || first > this.#line + 1)) print("--");
    if (isNew) this.#line = 0;
    this.#path = path;
    for (const [i, around] of before.entries())
      if (first + i > this.#line) this.#print(first + i, "-", around);
    this.#print(line, ":", text);
    this.#after = after;
  }

  /** Prints the lines after the last match, up to the line of the next one. */
  end(next = Number.POSITIVE_INFINITY): void {
    for (const around of this.#after) if (this.#line + 1 < next) this.#print(this.#line + 1, "-", around);
    this.#after = [];
  }

  #print(line: number, mark: ":" | "-", text: string): void {
    const path = relative(process.cwd(), resolve(this.#root, this.#path));
    print(`${paint("magenta", path)}${mark}${paint("green", String(line))}${mark}${text}`);
    this.#line = line;
  }
}
