import type { MachinesStatus } from "../../link/machines.ts";
import type { Rights } from "../../workspace/access/rights.ts";
import { isRefusal } from "../../workspace/outcome/refusal.ts";
import type { machineMethods as schemas } from "../schemas/machines.ts";
import type { Result } from "../schemas/schemas.ts";
import type { Handlers } from "./handler.ts";

export const machineHandlers: Handlers<keyof typeof schemas> = {
  "machine.list": async ({ machines }, { actor }) => listedMachines(machines.status, actor.rights),

  async "machine.remove"({ machines }, _requester, { machine }) {
    const refused = await machines.remove(machine);
    return refused ?? {};
  },

  async "workspace.share"({ machines }, _requester, { broker, environment = {}, rules, expires }) {
    const until = expires === undefined ? undefined : Date.parse(expires);
    const at = broker === undefined ? undefined : { broker, environment };
    const shared = await machines.share(at, rules ?? [{ glob: "**", level: "write" }], until);
    return isRefusal(shared) ? shared : { ...shared };
  },

  async "workspace.leave"({ machines }) {
    const refused = await machines.leave();
    return refused ?? {};
  },
};

/** Returns the machines for a caller with these rights, as `machine.list` answers. */
export function listedMachines(status: MachinesStatus, rights: Rights): Result<"machine.list"> {
  const none = { workspace: null, broker: null, connected: false, since: null, incoming: 0 };
  if (status.is === "alone" || status.is === "broken")
    return {
      ...none,
      status: status.is,
      reason: status.is === "broken" ? status.reason : null,
      waiting: 0,
      waitingSince: null,
      full: false,
      machines: [],
      withheld: [],
      ignored: [],
    };
  const { workspace, broker, carrier, reason, refusal, since, incoming, isFull, machines, withheld } = status;
  return {
    status: status.is,
    reason: reason ?? refusal ?? null,
    workspace,
    broker,
    connected: carrier === "connected",
    since: isoTime(since),
    waiting: status.waiting,
    waitingSince: isoTime(status.waitingSince),
    incoming,
    full: isFull,
    machines: machines.map(({ lastSeen, ...machine }) => ({
      ...machine,
      lastSeen: isoTime(lastSeen),
    })),
    withheld: withheld.filter(({ path }) => rights.allows(path, "read")),
    ignored: status.ignored.filter((path) => rights.allows(path, "read")),
  };
}

function isoTime(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
