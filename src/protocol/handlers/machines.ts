import type { MachinesStatus } from "../../link/machines.ts";
import { isRefusal } from "../../workspace/outcome/refusal.ts";
import type { machineMethods as schemas } from "../schemas/machines.ts";
import type { Result } from "../schemas.ts";
import type { Handlers } from "./handler.ts";

export const machineHandlers: Handlers<keyof typeof schemas> = {
  "machine.list": async ({ machines }) => listed(machines.status),

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

function listed(status: MachinesStatus): Result<"machine.list"> {
  const none = { workspace: null, broker: null, connected: false, since: null, waiting: 0, incoming: 0 };
  if (status.is === "alone" || status.is === "broken")
    return {
      ...none,
      status: status.is,
      reason: status.is === "broken" ? status.reason : null,
      full: false,
      machines: [],
      withheld: [],
    };
  const { workspace, broker, carrier, reason, since, waiting, incoming, isFull, machines, withheld } = status;
  return {
    status: status.is,
    reason: reason ?? null,
    workspace,
    broker,
    connected: carrier === "connected",
    since: new Date(since).toISOString(),
    waiting,
    incoming,
    full: isFull,
    machines: machines.map(({ lastSeen, ...machine }) => ({
      ...machine,
      lastSeen: lastSeen === undefined ? null : new Date(lastSeen).toISOString(),
    })),
    withheld: [...withheld],
  };
}
