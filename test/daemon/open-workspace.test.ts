import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/daemon/config/config.ts";
import type { DaemonLog } from "../../src/daemon/log/log.ts";
import { openWorkspace } from "../../src/daemon/parts/open-workspace.ts";
import { runInReverse } from "../../src/daemon/process/teardown.ts";
import { NO_RULES } from "../../src/paths/outer-rules.ts";
import { openState } from "../../src/state/folder.ts";
import { folderWith } from "../helpers/hostile.ts";

test("[IG35] a daemon that stops knows its ignored files until the workspace is closed", async () => {
  const root = folderWith({ "logs/.gitignore": "*.log\n" });
  const { config } = await loadConfig(root);
  const silent = { log: { warn: () => undefined } } as unknown as DaemonLog;
  const opening = { root, state: openState(root), config, outer: NO_RULES, log: silent };
  const teardown: (() => unknown)[] = [];
  const { workspace } = openWorkspace(
    { ...opening, reached: () => undefined, isElsewhere: () => false },
    teardown,
  );
  const close = workspace.close.bind(workspace);
  let isIgnored: boolean | undefined;
  workspace.close = () => {
    isIgnored = workspace.ports.ignored.skips(join("logs", "a.log"), false);
    return close();
  };
  await runInReverse(teardown);
  expect(isIgnored).toBe(true);
});
