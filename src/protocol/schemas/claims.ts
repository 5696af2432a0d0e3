import { z } from "zod";
import { time } from "./change.ts";
import { id, method, name, path, sha256, text, version } from "./common.ts";

const agent = name.describe("Name of the agent. Its changes get the identity `<token>/<name>`.");
const session = name.optional().describe("Session of the agent, as the agent names it.");
const call = name.optional().describe("Tool call, as the agent names it.");
/** Longest prompt that a request may have, in UTF-16 units; the history shows 80. */
const MOST_PROMPT = 100_000;
const quiet = z.boolean().optional().describe("True to leave the news for a later request.");
const news = z
  .array(z.string())
  .describe("Sentences for the agent about its own saves that met edits of others; each comes once.");

/** The methods by which agents claim the saves that they make themselves. */
export const claims = {
  "claim.open": method(
    "Says that a tool of an agent runs from now on. A save of the file meanwhile is the agent's.",
    "write",
    () =>
      z.strictObject({
        agent,
        session,
        call,
        tool: name.optional().describe("Name of the tool, for the log."),
        path: path
          .optional()
          .describe("File that the tool edits. Without it, any file: the credit is then `likely`."),
        sha256: sha256
          .optional()
          .describe(
            "SHA-256 of the bytes that the tool will write. The credit of other bytes is then `likely`.",
          ),
        message: text.max(MOST_PROMPT).optional().describe("Why; the history shows the first 80 characters."),
      }),
    () => z.object({ claimId: z.string() }),
  ),
  "claim.close": method(
    "Says that a tool has ended: closes one claim, or the claims of a call, a session or an agent.",
    "none",
    () =>
      z
        .strictObject({
          claimId: id.optional(),
          agent: agent.optional(),
          session,
          call,
          wait: z
            .boolean()
            .optional()
            .describe(
              "True to get the answer once the daemon has taken in what tools did to files until now, or after 30 s.",
            ),
          quiet,
        })
        .refine(({ claimId, agent }) => (claimId === undefined) !== (agent === undefined), {
          error: "give a claimId alone, or an agent",
        }),
    () => z.object({ closed: z.int().describe("Number of claims that were open."), news }),
  ),
  "claim.turn": method(
    "Begins a turn of an agent's session: closes its claims. The prompt becomes the message of its next saves if the setting `promptsInHistory` allows that.",
    "none",
    () => z.strictObject({ agent, session, prompt: text.max(MOST_PROMPT).optional(), quiet }),
    () => z.object({ news }),
  ),
  "claim.read": method(
    "Notes that an agent has read a whole file with a tool of its own. A save that it makes from there has this version as its base.",
    "read",
    () => z.strictObject({ agent, session, path, sha256: sha256.optional() }),
    () => z.object({}),
  ),
  "claim.last": method(
    "Returns an agent's last reading of a document with its own tools, or its last save.",
    "read",
    () => z.strictObject({ agent, session, path }),
    () =>
      z.object({
        read: z
          .object({
            sha256: sha256.nullable().describe("Null if the agent named none."),
            version: version.nullable().describe("Version with these bytes; null if there is none."),
            time,
            session: z.string().optional(),
          })
          .nullable()
          .describe("Null if the agent read nothing."),
      }),
  ),
  "claim.news": method(
    "Returns the news about its own saves that the agent of this connection has not received yet.",
    "none",
    () => z.strictObject({}),
    () => z.object({ news }),
  ),
};
