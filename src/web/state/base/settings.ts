import { effect, signal } from "@preact/signals";
import type { Result } from "../../../protocol/schemas/schemas.ts";
import { attempt } from "./messages.ts";
import { connected, theDaemon } from "./session.ts";

type DaemonSettings = Result<"settings.get">;

/** The settings of the daemon; undefined until it has answered. */
export const daemonSettings = signal<DaemonSettings | undefined>(undefined);

// A daemon that started again may have other settings.
effect(() => {
  if (connected.value) void refreshSettings();
});

export async function refreshSettings(): Promise<void> {
  const settings = await attempt("Could not load the settings", () =>
    theDaemon().request("settings.get", {}),
  );
  if (settings !== undefined) daemonSettings.value = settings;
}

/** Changes a setting of the daemon and shows its answer. */
export async function changeSetting(name: keyof DaemonSettings["configured"], value: boolean): Promise<void> {
  const settings = await attempt("Could not change the setting", () =>
    // A value as the configuration has it follows the configuration again.
    theDaemon().request("settings.set", {
      [name]: daemonSettings.peek()?.configured[name] === value ? null : value,
    }),
  );
  if (settings !== undefined) daemonSettings.value = settings;
}
