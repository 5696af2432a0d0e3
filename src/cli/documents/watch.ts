import { type Command, InvalidArgumentError } from "commander";
import type { Notification, NotificationParams } from "../../protocol/schemas/schemas.ts";
import { type Common, follow } from "../connection/session.ts";
import { paint, print, printJson, remark, whoOf } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";
import { typed } from "../terminal/typed.ts";

/** The text of a line about a notification, after its name and path. */
const DETAILS = {
  "doc.created": ({ author }) => `by ${author}`,
  "doc.deleted": ({ author }) => `by ${author}`,
  "doc.renamed": ({ to, author }) => `→ ${to} by ${author}`,
  "doc.conflict": ({ superseded }) =>
    superseded === undefined
      ? "two authors changed the same words, or words beside each other; both texts stayed"
      : `a save removed edits by ${superseded.authors.join(", ")}; restore them with: ${typed("spliced undo")} ${superseded.changeId}`,
  "doc.rescued": ({ authors, changeId }) =>
    `an editor saved an older copy; edits by ${authors.join(", ")} were kept (remove them with: ${typed("spliced undo")} ${changeId})`,
  "mirror.blocked": ({ problem }) => problem.message,
  "mirror.recovered": () => "",
  "edit.rejected": ({ author, code }) => `an edit by ${author} was refused: ${code}`,
  "proposal.changed": ({ id, author, status, reviewer }) =>
    `${id} by ${author}: ${status}${reviewer === null ? "" : ` by ${reviewer}`}`,
} satisfies { readonly [N in Notification]?: (event: NotificationParams<N>) => string };

type Watched = keyof typeof DETAILS;

/** The kinds of events that a person can select, with the notifications of each. */
const KINDS: Readonly<Record<string, readonly (Watched | "doc.changed")[]>> = {
  edit: ["doc.changed"],
  create: ["doc.created"],
  delete: ["doc.deleted"],
  rename: ["doc.renamed"],
  conflict: ["doc.conflict", "doc.rescued"],
  refused: ["edit.rejected"],
  proposal: ["proposal.changed"],
  problem: ["mirror.blocked", "mirror.recovered"],
};

interface WatchOptions extends Common {
  readonly by?: string;
  readonly kind?: readonly string[];
}

/** Adds `watch`, which prints changes as they happen. */
export function watchCommand(program: Command): void {
  program
    .command("watch")
    .description("print every change as it happens, until you press ctrl-c")
    .argument("[glob]", 'only documents whose path matches, such as "notes/**"', "**")
    .option("--by <author>", "only events of this author; disk means saves to the files")
    .option("--kind <kinds>", `only these kinds of events: ${Object.keys(KINDS).join(", ")}`, parseKinds)
    .action((pattern: string, _options, command: Command) =>
      watch(pattern, command.optsWithGlobals<WatchOptions>()),
    );
}

function watch(pattern: string, { by, kind, ...options }: WatchOptions): Promise<void> {
  const kinds = new Set((kind ?? Object.keys(KINDS)).flatMap((name) => KINDS[name]!));
  return follow(options, async (client) => {
    const printEvent = (
      time: string,
      line: string,
      event: { readonly event: string; readonly author?: string },
    ) => {
      if (by !== undefined && event.author !== by) return;
      if (options.json) printJson(event, { indent: 0 });
      else print(`${paint("dim", localTime(time).slice(11))}  ${line}`);
    };
    const now = () => new Date().toISOString();
    if (kinds.has("doc.changed"))
      client.on("doc.changed", (event) =>
        printEvent(event.time, changeLine(event), { event: "doc.changed", ...event }),
      );
    const printEach = <N extends Watched>(name: N) =>
      client.on(name, (event) => {
        const details = (DETAILS[name] as (event: NotificationParams<N>) => string)(event);
        const { changeId } = event as { readonly changeId?: string };
        const id = changeId === undefined ? "" : `${paint("yellow", changeId)}  `;
        const line = `${id}${paint("yellow", name)} ${event.path} ${details}`.trimEnd();
        printEvent(now(), line, { event: name, ...event });
      });
    for (const name of Object.keys(DETAILS) as Watched[]) if (kinds.has(name)) printEach(name);
    client.on("resync", (event) => {
      const line = `${paint("yellow", "resync")} ${event.paths.join(" ")}`;
      printEvent(now(), line, { event: "resync", ...event });
    });
    const { matched } = await client.request("subscribe", { pattern });
    if (!options.json)
      remark(`watching ${matched} ${matched === 1 ? "file" : "files"}; press ctrl-c to stop`);
    let isEnded = false;
    process.once("SIGINT", () => {
      isEnded = true;
      void client.close();
    });
    await client.closed;
    if (!isEnded) throw client.reason;
  });
}

function changeLine(change: NotificationParams<"doc.changed">): string {
  const { path, changeId, message, splices } = change;
  const sizes = splices.map(({ from, to, insert }) => {
    const removed = to > from ? `-${to - from}` : "";
    return `${removed}${insert && ` +${JSON.stringify(insert.slice(0, 60))}`}`.trim();
  });
  const why = message === undefined ? "" : `  (${message})`;
  return `${paint("yellow", changeId)}  ${paint("cyan", whoOf(change))} ${paint("bold", path)} ${sizes.join(", ")}${why}`;
}

/** Reads kinds of events with commas between them; a repeated option adds to them. @throws InvalidArgumentError */
function parseKinds(given: string, before: readonly string[] = []): string[] {
  const kinds = given.split(",");
  const unknown = kinds.find((kind) => !Object.hasOwn(KINDS, kind));
  if (unknown === undefined) return [...before, ...kinds];
  throw new InvalidArgumentError(`Give ${Object.keys(KINDS).join(", ")}, with commas between them.`);
}
