import { z } from "zod";
import { LEVELS } from "../../workspace/access/rights.ts";
import { glob, method, text } from "./common.ts";

const broker = text
  .min(1)
  .max(2048)
  .describe("Address of the NATS server with JetStream, such as `nats://localhost:4222`.");

const machine = z.object({
  machine: z.string().describe("Id of the machine."),
  name: z.string(),
  isSelf: z.boolean().describe("True for the machine that answers."),
  lastSeen: z
    .string()
    .nullable()
    .describe("When it was last heard, ISO 8601; null if never since the start."),
  isConnected: z.boolean(),
  behind: z.int().describe("Messages of this machine that it has not told to have."),
  level: z.enum(LEVELS).describe("The highest level that it has on any path."),
});

const machines = z.object({
  status: z
    .enum(["alone", "broken", "joining", "shared"])
    .describe("`alone`: not shared. `broken`: the folder's link cannot be used, and it works alone."),
  reason: z
    .string()
    .nullable()
    .describe("Why the link is broken, or why the NATS server is away or refuses messages; null otherwise."),
  workspace: z.string().nullable().describe("Id of the shared workspace."),
  broker: z.string().nullable().describe("Address of the NATS server, without secrets."),
  connected: z.boolean().describe("True while the NATS server can be reached."),
  since: z.string().nullable().describe("Since when it can or cannot be reached, ISO 8601."),
  waiting: z.int().describe("Messages that wait for the NATS server."),
  waitingSince: z
    .string()
    .nullable()
    .describe("When the oldest of them was made, ISO 8601; null without one."),
  incoming: z.int().describe("Messages of other machines that wait for others."),
  full: z.boolean().describe("True while so much waits that further changes stay in this machine's journal."),
  machines: z.array(machine),
  withheld: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .describe("Documents of other machines that this one does not have, and that the caller may read."),
  ignored: z
    .array(z.string())
    .describe(
      "Documents of which the others ignore changes of this machine, whose level does not allow them; those that the caller may read.",
    ),
});

/** Methods about the machines that share the workspace. */
export const machineMethods = {
  "machine.list": method(
    "Lists the machines that share the workspace, and the numbers of waiting messages.",
    "read",
    () => z.strictObject({}),
    () => machines,
  ),
  "machine.remove": method(
    "Removes a machine from the shared workspace: what it sends later does not count, and it cannot read what others send.",
    "admin",
    () =>
      z.strictObject({
        machine: text.min(1).max(100).describe("Id of the machine, or its name if no other one has it."),
      }),
    () => z.object({}),
    "all",
  ),
  "workspace.share": method(
    "Shares the workspace with other machines, and returns the line with which one joins.",
    "admin",
    () =>
      z.strictObject({
        broker: broker.optional(),
        environment: z
          .record(z.string().regex(/^SPLICED_NATS_[A-Z]+$/), z.string())
          .optional()
          .describe(
            "Variables for the credentials of this machine at the NATS server, as docs/machines.md lists them.",
          ),
        rules: z
          .array(z.strictObject({ glob, level: z.enum(LEVELS) }))
          .min(1)
          .max(100)
          .optional()
          .describe("What machines that join with the line may do. Default: write, everywhere."),
        expires: z.iso.datetime({ offset: true }).optional().describe("When the line ends to work."),
      }),
    () =>
      z.object({
        line: z.string().describe("The share line. Each holder of it can read the workspace."),
        isNew: z.boolean().describe("True if the workspace was not shared before."),
      }),
    "all",
  ),
  "workspace.leave": method(
    "Ends the sharing of this folder. Its files and its history stay.",
    "admin",
    () => z.strictObject({}),
    () => z.object({}),
    "all",
  ),
};
