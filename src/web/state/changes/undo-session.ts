import type { Result } from "../../../protocol/schemas/schemas.ts";
import { showError, showMessage } from "../base/messages.ts";
import { plural } from "../base/plural.ts";
import { theDaemon } from "../base/session.ts";

/** Returns what undoing everything of an agent's session does; undefined if it cannot be undone. */
export async function previewUndo(
  agent: string,
  session: string,
): Promise<Result<"preview.create"> | undefined> {
  try {
    return await theDaemon().preview.create({ method: "undo", params: { agent, session } });
  } catch (error) {
    showError("Could not undo the session", error);
    return undefined;
  }
}

/** Undoes exactly what a preview showed. */
export async function applyUndo({ patch_id, base_hash }: Result<"preview.create">): Promise<void> {
  try {
    const { files } = await theDaemon().preview.apply({ patch_id, base_hash });
    showMessage("good", `Undid the session in ${plural(files.length, "document")}. All other edits stay.`);
  } catch (error) {
    showError("Could not undo the session", error);
  }
}
