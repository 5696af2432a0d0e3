import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { Protection } from "../../workspace/access/protection.ts";
import { AgentBounds } from "../../workspace/access/rights.ts";
import type { Config } from "./define-config.ts";

/** Returns the upper bound of the rights of agents. */
export function agentBounds(config: Config): AgentBounds {
  return new AgentBounds(config.agents.rules, config.private);
}

/** Returns the files that only `admin` may change: the setting's files, and the configuration, also behind a link. */
export function protectionIn(root: string, { protect }: Config, configFile: string | undefined): Protection {
  const files = configFile === undefined ? [] : [configFile, realpathSync(configFile)];
  return new Protection(
    protect,
    files.map((file) => relative(root, file)),
  );
}
