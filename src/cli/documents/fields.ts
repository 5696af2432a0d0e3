import type { Command } from "commander";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { talk } from "../connection/session.ts";
import { jsonOf, parseKey } from "../terminal/arguments.ts";
import { agrees } from "../terminal/ask.ts";
import { CommandError, EXIT } from "../terminal/output.ts";
import { type EditOptions, editing, send } from "./edits.ts";

type Key = readonly (string | number)[];

interface SetOptions extends EditOptions {
  readonly string?: boolean;
  readonly create?: boolean;
}

/** Adds `set`, which sets a field of a structured document. */
export function fieldCommand(program: Command): void {
  editing(program.command("set"))
    .description("set one field of a TOML, JSON or YAML document and change nothing else")
    .argument("<path>", "the document")
    .argument("<key>", "the field, such as servers[0].port", parseKey)
    .argument("<value>", "the value in JSON; any other text is a string")
    .option("--string", "the value is a string even if it is JSON")
    .option("--create", "make the field if the document does not have it")
    .addHelpText("after", "\nExample:\n  $ spliced set pyproject.toml project.version 1.2.0")
    .action(async (path: string, key: Key, given: string, _options, command: Command) => {
      const options = command.optsWithGlobals<SetOptions>();
      if (!options.create) await checkField(options, path, key);
      const parsed = options.string ? undefined : jsonOf(given);
      return send(options, "edit.set", path, { key, value: parsed === undefined ? given : parsed });
    });
}

/** Asks before a field is made that the document does not have: its name may be a mistake. @throws CommandError */
function checkField(options: EditOptions, path: string, key: Key): Promise<void> {
  return talk(options, async ({ client, pathOf }) => {
    const document = await client.request("doc.read", { path: pathOf(path) });
    const known = await knownPart(document, key);
    if (known === undefined || known.length === key.length) return;
    const where = known.length === 0 ? path : `${spelled(known)} in ${path}`;
    const missing = `${where} has no field ${spelled(key.slice(known.length, known.length + 1))}`;
    if (await agrees(`${missing}. Make it?`)) return;
    throw new CommandError(EXIT.refused, missing, "to make the field, add: --create");
  });
}

/**
 * Returns the part of a key that a document has; undefined for a document without fields and for a key that leads into
 * a plain value, which the daemon refuses with its reason.
 */
async function knownPart({ path, text }: Result<"doc.read">, key: Key): Promise<Key | undefined> {
  const [{ formatOf }, { read }, { StructureFailure }] = await Promise.all([
    import("../../structured/formats.ts"),
    import("../../structured/set-field.ts"),
    import("../../structured/failure.ts"),
  ]);
  const format = formatOf(path);
  const document = format instanceof StructureFailure ? format : read(format, text);
  if (document instanceof StructureFailure) return undefined;
  let value: unknown = document.data;
  for (const [i, step] of key.entries()) {
    const inside: unknown =
      value instanceof Map ? value.get(step) : Array.isArray(value) ? value.at(Number(step)) : null;
    if (inside === null && !(value instanceof Map || Array.isArray(value))) return undefined;
    if (inside === undefined) return key.slice(0, i);
    value = inside;
  }
  return key;
}

function spelled(key: Key): string {
  return key
    .map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${step}`))
    .join("");
}
