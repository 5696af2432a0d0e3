import type { Command } from "commander";
import { type View, viewOption } from "./arguments.ts";
import { paint, paintDiff, print, printDocument, printJson, printText } from "./output.ts";
import { type Common, talk } from "./session.ts";

/** Commands that read. */
export function readingCommands(program: Command): void {
  program
    .command("ls")
    .description("list the documents of this workspace")
    .argument("[glob]", 'which ones, as "**/*.md"')
    .option("--loaded", "only those that are open in the daemon")
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
            doc.kind === "text" ? "" : doc.kind,
            doc.dirty ? "writing" : "",
            doc.loaded ? "open" : "",
          ];
          print(
            `${String(doc.size).padStart(9)}  ${doc.path}  ${paint("dim", marks.filter(Boolean).join(" "))}`.trimEnd(),
          );
        }
      });
    });

  program
    .command("cat")
    .description("print a document as it is now, edits that are not on disk yet included")
    .argument("<path>")
    .option("-l, --lines <from-to>", "only these lines, as 10-20")
    .addOption(viewOption("the Markdown view of a .toml document"))
    .action((path: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { lines?: string; view?: View }>();
      return talk(options, async ({ client, pathOf }) => {
        const lines = options.lines === undefined ? undefined : parseLines(options.lines, command);
        const read = await client.request("doc.read", {
          path: pathOf(path),
          ...(lines && { lines }),
          ...(options.view && { view: options.view }),
        });
        if (options.json) printJson(read);
        else printDocument(read.text);
      });
    });

  program
    .command("diff")
    .description("show what memory holds and the file does not, or the difference of two versions")
    .argument("<path>")
    .option("--from <version>", "an older version")
    .option("--to <version>", "a newer one")
    .action((path: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { from?: string; to?: string }>();
      return talk(options, async ({ client, pathOf }) => {
        const { from, to } = options;
        const result = await client.request("doc.diff", {
          path: pathOf(path),
          ...(from && { from }),
          ...(to && { to }),
        });
        if (options.json) printJson(result);
        else printText(paintDiff(result.diff));
      });
    });
}

function parseLines(given: string, command: Command): [number, number] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(given);
  if (match === null) command.error("error: --lines takes a number or a range, as 10-20");
  return [Number(match![1]), Number(match![2] ?? match![1])];
}
