import type { Command } from "commander";
import { parseLines, type View, viewOption } from "./arguments.ts";
import { paint, paintDiff, print, printDocument, printJson, printText } from "./output.ts";
import { type Common, talk } from "./session.ts";

/** Adds the commands that read documents. */
export function readingCommands(program: Command): void {
  program
    .command("ls")
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
    .description("show the edits that a file does not have yet, or the difference of two versions")
    .argument("<path>", "the document")
    .option("--from <version>", "the older version, from spliced history")
    .option("--to <version>", "the newer version, from spliced history")
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
