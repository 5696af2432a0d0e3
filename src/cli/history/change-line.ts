import type { Result } from "../../protocol/schemas/schemas.ts";
import { paint, whoOf } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";

/** The most changes in which a command looks for another one. */
export const NEWEST = 1000;

/** The agent of rescues. */
const RESCUER = "spliced";
/** The characters of a session that a line shows; `undo --session` takes the beginning of one. */
const SESSION_CHARS = 12;

type ListedChange = Result<"history.list">["changes"][number];

/** Returns the line that shows a change of the history. */
export function changeLine({
  changeId,
  time,
  path,
  author,
  agent,
  machine,
  added,
  removed,
  message,
  undone,
  undoes,
  version,
  kind,
  from,
  to,
  certainty,
  edits,
  lacked,
  session,
}: ListedChange): string {
  const notes = [
    ...(edits === undefined ? [] : [`${edits} edits`]),
    ...(certainty === "likely" ? ["likely"] : []),
    ...(session === undefined ? [] : [`session ${session.slice(0, SESSION_CHARS)}`]),
    ...(undoes === undefined ? [] : [`undoes ${undoes}`]),
    ...(undone ? ["undone"] : []),
    // The message of a rescue names the authors already.
    ...(lacked === undefined || agent === RESCUER ? [] : [`removed edits of ${lacked.authors.join(", ")}`]),
    ...(message === undefined ? [] : [message]),
  ].join("; ");
  const sizes = `${paint("green", `+${added}`)} ${paint("red", `-${removed}`)}`;
  const done = {
    edit: sizes,
    create: paint("green", "created"),
    delete: paint("red", "deleted"),
    rename: `renamed ${from} → ${to}`,
  }[kind];
  const when = paint("dim", localTime(time));
  return `${when}  ${paint("yellow", changeId)}  ${path} ${version}  ${paint("cyan", whoOf({ author, machine }))}  ${done}  ${notes}`.trimEnd();
}
