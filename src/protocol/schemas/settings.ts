import { z } from "zod";
import { method } from "./common.ts";

const patchMode = z
  .boolean()
  .describe("True when agents that connect over MCP get the tool `patch_document`.");
const legacyOps = z.boolean().describe("True when the daemon serves edit.legacy.");
const settingsNow = z.object({
  patchMode,
  legacyOps,
  configured: z.object({ patchMode, legacyOps }).describe("The values of the configuration."),
  capture: z
    .object({
      hours: z.number().describe("Hours after which the daemon deletes a captured request."),
      folder: z.string().describe("Folder of the captured requests, relative to the workspace."),
    })
    .nullable()
    .describe("The capture of agents' edits with their text on this disk; null while it is off."),
});

/** Methods about the settings that a person can change while the daemon runs. */
export const settings = {
  "settings.get": method(
    "Returns the daemon's settings.",
    "none",
    () => z.strictObject({}),
    () => settingsNow,
  ),
  "settings.set": method(
    "Changes settings, also for later starts. `legacyOps` counts at once, `patchMode` for agents that connect later.",
    "admin",
    () =>
      z.strictObject({
        patchMode: z
          .boolean()
          .nullable()
          .optional()
          .describe("Null restores the value of the configuration."),
        legacyOps: z
          .boolean()
          .nullable()
          .optional()
          .describe("Null restores the value of the configuration."),
      }),
    () => settingsNow,
    "all",
  ),
};
