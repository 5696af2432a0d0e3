import { type Command, Option } from "commander";
import { type Common, talk } from "../connection/session.ts";
import { parseLines, type View, viewOption } from "../terminal/arguments.ts";
import {
  CommandError,
  EXIT,
  paint,
  paintDiff,
  print,
  printDocument,
  printJson,
  printText,
  remark,
} from "../terminal/output.ts";

/** Adds the commands that read documents. */
export function readingCommands(program: Command): void {
  program
    .command("ls")
    .alias("list")
    .description("list the documents of this workspace")
    .argument("[glob]", 'only documents whose path matches, such as "**/*.md"')
    .option("--loaded", "only documents that the daemon has open")
    .action((pattern: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { loaded?: boolean }>();
      return talk(options, async ({ client }) => {
        const { docs } = await client.request("doc.list", {
          ...(pattern !== undefined && { pattern }),
          ...(options.loaded && { loaded: true }),
        });
        if (options.json) return printJson(docs);
        for (const doc of docs) {
          const marks = [
            ...(doc.kind === "text" ? [] : [doc.kind.replace("_", " ")]),
            ...(doc.dirty ? ["writing"] : []),
            ...(doc.loaded ? ["open"] : []),
          ].map((mark) => paint("dim", mark));
          print(`${String(doc.size).padStart(9)}  ${[doc.path, ...marks].join("  ")}`);
        }
        if (docs.length === 0)
          remark(pattern === undefined ? "there is no document" : `no document matches ${pattern}`);
      });
    });

  program
    .command("cat")
    .description("print a document, including edits that its file does not have yet")
    .argument("<path>", "the document")
    .option("-l, --lines <from-to>", "only these lines, such as 10-20", parseLines)
    .addOption(viewOption("markdown prints a .toml document as Markdown"))
    .action((path: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { lines?: [number, number]; view?: View }>();
      return talk(options, async ({ client, pathOf }) => {
        const { lines, view } = options;
        const read = await client.request("doc.read", {
          path: pathOf(path),
          ...(lines && { lines }),
          ...(view && { view }),
        });
        if (options.json) printJson(read);
        else printDocument(read.text);
      });
    });

  program
    .command("diff")
    .description("show the differences to git's newest commit, an older version or the file")
    .argument("<path>", "the document")
    .option("--from <version>", "the older version, from spliced history")
    .option("--to <version>", "the newer version, from spliced history")
    .addOption(new Option("--git", "compare with git's newest commit").conflicts(["from", "to"]))
    .addHelpText("after", DIFF_HELP)
    .action((path: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { from?: string; to?: string; git?: boolean }>();
      return talk(options, async ({ client, pathOf }) => {
        const { from, to, git } = options;
        if (git) {
          const { path: at, text } = await client.request("doc.read", { path: pathOf(path) });
          const { commit, text: before } = await client.request("doc.committed", { path: at });
          if (commit === null)
            throw new CommandError(EXIT.refused, "there is no commit of git to compare with", NO_COMMIT);
          const { unifiedDiff } = await import("../../text/diff/unified.ts");
          const names = { from: before === null ? "/dev/null" : `a/${at}`, to: `b/${at}` };
          const diff = unifiedDiff(before ?? "", text, names);
          if (options.json) return printJson({ diff });
          return diff === "" ? remark(`${at} is as in git's newest commit`) : printText(paintDiff(diff));
        }
        const result = await client.request("doc.diff", {
          path: pathOf(path),
          ...(from && { from }),
          ...(to && { to }),
        });
        if (options.json) printJson(result);
        else if (result.diff.includes("\n@@ ")) printText(paintDiff(result.diff));
        else remark(from === undefined && to === undefined ? `${path}: ${SYNCED}` : "the versions are equal");
      });
    });
}

const NO_COMMIT = "for earlier versions, use --from <version>";
const SYNCED = "the file has all edits; for earlier versions, use --from <version> or --git";

const DIFF_HELP = `
Without options it shows the edits that the file does not have yet. There are rarely any.

Examples:
  $ spliced diff notes.md --git
  $ spliced diff notes.md --from 3-h2k9wz`;
