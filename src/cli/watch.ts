import type { Command } from "commander";
import type { Notification, NotificationParams } from "../protocol/schemas.ts";
import { paint, print, printJson, remark } from "./output.ts";
import { type Common, talk } from "./session.ts";

/** How each kind of news is told to a person, after its name and path. */
const WORDS = {
  "doc.created": () => "",
  "doc.deleted": () => "",
  "doc.renamed": ({ to }) => `→ ${to}`,
  "doc.conflict": ({ superseded }) =>
    superseded === undefined
      ? "both sides changed the same characters; both texts stayed"
      : `a save took out what ${superseded.authors.join(", ")} wrote; spliced undo ${superseded.changeId} brings it back`,
  "doc.rescued": ({ authors, changeId }) =>
    `a save lacked what ${authors.join(", ")} wrote; it was given back (spliced undo ${changeId} lets the save stand)`,
  "mirror.blocked": ({ problem }) => problem.message,
  "mirror.recovered": () => "",
  "edit.rejected": ({ author, code }) => `${author}’s edit did not fit: ${code}`,
  "proposal.changed": ({ id, author, status, reviewer }) =>
    `${id} by ${author}: ${status}${reviewer === null ? "" : ` by ${reviewer}`}`,
} satisfies { readonly [N in Notification]?: (event: NotificationParams<N>) => string };

type Told = keyof typeof WORDS;

/** The command that looks on. */
export function watchCommand(program: Command): void {
  program
    .command("watch")
    .description("print every change as it happens, until interrupted")
    .argument("[glob]", 'which documents, as "notes/**"; all without one', "**")
    .action((pattern: string, _options, command: Command) =>
      watch(pattern, command.optsWithGlobals<Common>()),
    );
}

function watch(pattern: string, options: Common): Promise<void> {
  return talk(options, async ({ client }) => {
    const say = (line: string, event: object) =>
      options.json ? printJson(event, { indent: 0 }) : print(line);
    client.on("doc.changed", (event) => {
      const { author, path, splices } = event;
      const sizes = splices.map(({ from, to, insert }) => {
        const taken = to > from ? `-${to - from}` : "";
        return `${taken}${insert && ` +${JSON.stringify(insert.slice(0, 60))}`}`;
      });
      say(`${paint("cyan", author)} ${paint("bold", path)} ${sizes.join(", ").trim()}`, {
        event: "doc.changed",
        ...event,
      });
    });
    const tell = <N extends Told>(kind: N) =>
      client.on(kind, (event) => {
        const words = (WORDS[kind] as (event: NotificationParams<N>) => string)(event);
        say(`${paint("yellow", kind)} ${event.path} ${words}`.trimEnd(), { event: kind, ...event });
      });
    for (const kind of Object.keys(WORDS) as Told[]) tell(kind);
    client.on("resync", (event) =>
      say(`${paint("yellow", "resync")} ${event.paths.join(" ")}`, { event: "resync", ...event }),
    );
    const { matched, opened } = await client.request("subscribe", { pattern });
    if (!options.json) remark(`watching ${opened} of ${matched} documents; ctrl-c ends`);
    process.once("SIGINT", () => void client.close());
    await client.closed;
  });
}
