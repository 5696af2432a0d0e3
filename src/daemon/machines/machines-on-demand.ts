import { lstatSync } from "node:fs";
import type { Machines } from "../../link/machines.ts";
import type { SharedFolder } from "../../protocol/service/service.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { linkFileIn } from "./link-file.ts";

/** Returns the sharing of a folder with other machines. A folder that works alone loads it at the first request. */
export function machinesOnDemand(
  workspace: Workspace,
  state: string,
): SharedFolder & { open(): Promise<void>; close(): Promise<void> } {
  let loading: Promise<Machines> | undefined;
  let loaded: Machines | undefined;
  const load = () => {
    loading ??= import("./machines.ts").then(({ machinesOf }) => {
      loaded = machinesOf(workspace, state);
      return loaded;
    });
    return loading;
  };
  return {
    get status() {
      return loaded?.status ?? { is: "alone" };
    },
    async open() {
      if (lstatSync(linkFileIn(state), { throwIfNoEntry: false }) !== undefined) (await load()).open();
    },
    share: async (broker, rules, expires) => (await load()).share(broker, rules, expires),
    remove: async (machine) => (await load()).remove(machine),
    leave: async () => (await load()).leave(),
    close: async () => (await loading)?.close(),
  };
}
