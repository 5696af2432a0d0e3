import { join } from "node:path";
import type { Reached } from "../../mirror/step.ts";
import { packageVersion } from "../../package.ts";
import { type Service, serve } from "../../protocol/service/service.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import type { Config } from "../config/define-config.ts";
import { agentBounds, protectionIn } from "../config/limits.ts";
import { openSettings } from "../config/settings-file.ts";
import { lanePorts } from "../machines/lane-ports.ts";
import { machinesOnDemand } from "../machines/machines-on-demand.ts";
import { Tokens } from "../tokens/tokens.ts";
import { openCaptures } from "./captures.ts";

interface ServiceOptions {
  readonly root: string;
  /** The folder `.spliced`. */
  readonly state: string;
  readonly config: Config;
  /** The configuration file; undefined when there is none. */
  readonly configFile: string | undefined;
  /** The owner's token. */
  readonly token: string;
  readonly log: Service["log"];
  readonly reached: Reached;
}

interface OpenService {
  readonly service: Service;
  readonly keys: Tokens;
  readonly machines: ReturnType<typeof machinesOnDemand>;
}

/** Opens the service of a workspace. The end of each part becomes a step of `teardown`. */
export function openService(
  workspace: Workspace,
  { root, state, config, configFile, token, log, reached }: ServiceOptions,
  teardown: (() => unknown)[],
): OpenService {
  const { report } = workspace.ports;
  const captures = openCaptures(state, config.capture.hours, report);
  teardown.push(() => captures?.close());
  const machines = machinesOnDemand(workspace, state);
  const keys = new Tokens(join(state, "tokens.json"), token, log, protectionIn(root, config, configFile));
  const service = serve(workspace, {
    machines,
    expireDays: config.proposals.expireDays,
    serverVersion: packageVersion(),
    maxMessageBytes: config.limits.maxMessageBytes,
    agents: agentBounds(config),
    settings: openSettings(join(state, "settings.json"), config),
    captures,
    promptsInHistory: config.promptsInHistory,
    log,
    lanes: lanePorts(keys, config, reached),
  });
  return { service, keys, machines };
}

/** Finishes what an earlier process left undone, and opens the lanes and the link to other machines. */
export async function resume(
  { service, machines }: Omit<OpenService, "keys">,
  teardown: (() => unknown)[],
): Promise<void> {
  await Promise.all([service.fileBatches.recover(), service.threads.answers.recover()]);
  teardown.push(() => service.lanes.close());
  service.lanes.start();
  await machines.open();
  teardown.push(
    () => machines.close(),
    () => service.seenMemory.settled(),
    () => service.threads.answers.close(),
  );
}
