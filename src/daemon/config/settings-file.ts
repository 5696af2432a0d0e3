import { Settings, type Switches } from "../../protocol/service/settings.ts";
import { writeOwn } from "../../state/own.ts";
import { readSealed, sealed } from "../../state/seal.ts";

/** Returns the settings of a daemon: the configuration's, and over them a person's choices on the page. */
export function openSettings(file: string, configured: Switches): Settings {
  return new Settings(configured, chosenIn(file), (chosen) =>
    writeOwn(file, sealed(file, chosen), { flushed: true }),
  );
}

/** Returns the settings that a person chose; none for a damaged file, or one of another user. */
function chosenIn(file: string): Partial<Switches> {
  try {
    const read = readSealed(file);
    const content = read?.genuine ? (read.content as Record<string, unknown> | null) : null;
    const { patchMode, legacyOps } = content ?? {};
    return {
      ...(typeof patchMode === "boolean" && { patchMode }),
      ...(typeof legacyOps === "boolean" && { legacyOps }),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return {}; // a damaged file costs the choice and no more
    throw error;
  }
}
