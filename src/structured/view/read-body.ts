import { quote } from "../../text/patch/patch-failure.ts";
import { type Data, isList, Stamp } from "../data.ts";
import { type Attempt, StructureFailure } from "../failure.ts";
import { readValue } from "../toml/toml.ts";
import {
  inCode,
  inFence,
  itemKind,
  listItems,
  NOT_SET,
  type NotationKind,
  notationKindOf,
} from "./notation.ts";

/**
 * Returns the data of an edited body. A field keeps its kind: plain text is read as the kind of its current value. A
 * new field becomes text or a list. Undefined when the body is empty or marks the field as not set.
 */
export function readViewBody(body: string, old: Data | undefined, line: number): Attempt<Data | undefined> {
  if (body === "" || body === NOT_SET) return undefined;
  const code = inCode(body);
  if (code !== undefined) return inToml(code, line);
  const text = inFence(body, "text");
  if (text !== undefined) return text;
  const items = listItems(body);
  const kind = old === undefined ? (items ? "list" : "text") : notationKindOf(old);
  if (kind === "list")
    return items === undefined
      ? expected("a list, each item after `- `", body, line)
      : list(items, old, line);
  return items === undefined
    ? plain(body, kind, old, line)
    : expected(`${NAMES[kind]}, not a list`, body, line);
}

const NAMES: Readonly<Record<Exclude<NotationKind, "list">, string>> = {
  text: "text",
  number: "a number",
  boolean: "Yes or No",
  date: "a date or time, as it is in TOML",
  table: "a table",
};

function list(items: readonly string[], old: Data | undefined, line: number): Attempt<Data> {
  const before = isList(old) ? old : [];
  const kind = itemKind(before);
  const [like] = before;
  const read: Data[] = [];
  for (const item of items) {
    const code = inCode(item);
    const data = code === undefined ? plain(item, kind, like, line) : inToml(code, line);
    if (data instanceof StructureFailure) return data;
    read.push(data);
  }
  return read;
}

function plain(body: string, kind: NotationKind, old: Data | undefined, line: number): Attempt<Data> {
  if (kind === "text") return body;
  if (kind === "boolean") {
    const match = /^(?:(yes|true)|no|false)$/i.exec(body);
    return match === null ? expected(NAMES.boolean, body, line) : match[1] !== undefined;
  }
  const data = body.includes("\n") ? undefined : readValue(body);
  if (kind === "date" && data instanceof Stamp) return data;
  if (kind === "number" && typeof data === "number") return data;
  if (kind === "number" && typeof data === "bigint")
    return typeof old === "number" ? asFloat(data, line) : data;
  if (data instanceof StructureFailure && data.reason === "invalid_value")
    return new StructureFailure(data.reason, data.message, {
      line,
      ...(data.suggestion !== undefined && { suggestion: data.suggestion }),
    });
  return expected(NAMES[kind === "list" ? "table" : kind], body, line);
}

/** A float without a fraction stays a float. */
function asFloat(whole: bigint, line: number): Attempt<Data> {
  if (BigInt(Number(whole)) === whole) return Number(whole);
  return new StructureFailure("invalid_value", `a float of TOML would change ${whole}`, {
    line,
    suggestion: "Give it with fewer digits, or as text.",
  });
}

function inToml(code: string, line: number): Attempt<Data> {
  const data = readValue(code);
  if (!(data instanceof StructureFailure)) return data;
  return new StructureFailure(
    "invalid_value",
    `${JSON.stringify(code)} is in backticks but is not a TOML value: ${data.message}`,
    {
      line,
      suggestion:
        "Backticks around a whole field mean TOML. Put text that contains backticks between lines of ```text and ```.",
    },
  );
}

function expected(kind: string, body: string, line: number): StructureFailure {
  return new StructureFailure("invalid_value", `this field is ${kind}, but the view has ${quote(body)}`, {
    line,
    suggestion:
      "To change its kind, write the value in TOML between backticks, or text between lines of ```text and ```. To remove the field, remove its heading.",
  });
}
