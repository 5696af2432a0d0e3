import { type Data, isMap } from "../structured/data.ts";
import { StructureFailure } from "../structured/failure.ts";
import { formatOf } from "../structured/formats.ts";
import { editTo, read } from "../structured/set-field.ts";

/** The error for settings that cannot be changed; the message has the reason and the remedy. */
export class SettingsProblem extends Error {
  override readonly name = "SettingsProblem";
}

export type Settings = ReadonlyMap<string, Data>;

/** A settings file, as errors name it, and the remedy for a person. */
export interface SettingsFile {
  readonly file: string;
  readonly remedy: string;
}

/**
 * Returns the text of a settings file with other settings, and everything else as it was. `text` is undefined if there
 * is no file. JSON may have comments. @throws SettingsProblem
 */
export function editSettings(
  { file, remedy }: SettingsFile,
  text: string | undefined,
  change: (settings: Settings) => Data,
): string {
  const isToml = file.endsWith(".toml");
  const empty = isToml ? "" : "{\n}\n";
  const given = text === undefined || text.trim() === "" ? empty : text;
  const format = formatOf(isToml ? file : "settings.jsonc");
  if (format instanceof StructureFailure) throw settingsProblem({ file, remedy }, reasonOf(format));
  const document = read(format, given);
  if (document instanceof StructureFailure) throw settingsProblem({ file, remedy }, reasonOf(document));
  if (!isMap(document.data)) throw settingsProblem({ file, remedy }, "the settings are no object");
  const done = editTo(format, given, document, change(document.data));
  if (done instanceof StructureFailure) throw settingsProblem({ file, remedy }, reasonOf(done));
  return done.text;
}

export function settingsProblem({ file, remedy }: SettingsFile, reason: string): SettingsProblem {
  return new SettingsProblem(`${file} was not changed: ${reason}. Correct the file, or ${remedy}`);
}

function reasonOf({ message, line }: StructureFailure): string {
  return line === undefined ? message : `${message} (line ${line})`;
}
