import type { Command } from "commander";
import type { Notification, NotificationParams } from "../protocol/schemas.ts";
import { paint, print, printJson, remark } from "./output.ts";
import { type Common, follow } from "./session.ts";

/** The text of a line about a notification, after its name and path. */
const DETAILS = {
  "doc.created": ({ author }) => `by ${author}`,
  "doc.deleted": ({ author }) => `by ${author}`,
  "doc.renamed": ({ to, author }) => `→ ${to} by ${author}`,
  "doc.conflict": ({ superseded }) =>
    superseded === undefined
      ? "two authors changed the same words, or words beside each other; both texts stayed"
      : `a save removed edits by ${superseded.authors.join(", ")}; restore them with: spliced undo ${superseded.changeId}`,
  "doc.rescued": ({ authors, changeId }) =>
    `an editor saved an older copy; edits by ${authors.join(", ")} were kept (remove them with: spliced undo ${changeId})`,
  "mirror.blocked": ({ problem }) => problem.message,
  "mirror.recovered": () => "",
  "edit.rejected": ({ author, code }) => `an edit by ${author} was refused: ${code}`,
  "proposal.changed": ({ id, author, status, reviewer }) =>
    `${id} by ${author}: ${status}${reviewer === null ? "" : ` by ${reviewer}`}`,
} satisfies { readonly [N in Notification]?: (event: NotificationParams<N>) => string };

type Watched = keyof typeof DETAILS;

/** Adds `watch`, which prints changes as they happen. */
export function watchCommand(program: Command): void {
  program
    .command("watch")
    .description("print every change as it happens, until you press ctrl-c")
    .argument("[glob]", 'only documents whose path matches, such as "notes/**"', "**")
    .action((pattern: string, _options, command: Command) =>
      watch(pattern, command.optsWithGlobals<Common>()),
    );
}

function watch(pattern: string, options: Common): Promise<void> {
  return follow(options, async (client) => {
    const printEvent = (line: string, event: object) =>
      options.json ? printJson(event, { indent: 0 }) : print(line);
    client.on("doc.changed", (event) => {
      const { author, path, splices } = event;
      const sizes = splices.map(({ from, to, insert }) => {
        const removed = to > from ? `-${to - from}` : "";
        return `${removed}${insert && ` +${JSON.stringify(insert.slice(0, 60))}`}`;
      });
      printEvent(`${paint("cyan", author)} ${paint("bold", path)} ${sizes.join(", ").trim()}`, {
        event: "doc.changed",
        ...event,
      });
    });
    const printEach = <N extends Watched>(kind: N) =>
      client.on(kind, (event) => {
        const details = (DETAILS[kind] as (event: NotificationParams<N>) => string)(event);
        printEvent(`${paint("yellow", kind)} ${event.path} ${details}`.trimEnd(), { event: kind, ...event });
      });
    for (const kind of Object.keys(DETAILS) as Watched[]) printEach(kind);
    client.on("resync", (event) =>
      printEvent(`${paint("yellow", "resync")} ${event.paths.join(" ")}`, { event: "resync", ...event }),
    );
    const { matched } = await client.request("subscribe", { pattern });
    if (!options.json)
      remark(`watching ${matched} ${matched === 1 ? "file" : "files"}; press ctrl-c to stop`);
    process.once("SIGINT", () => void client.close());
    await client.closed;
  });
}
