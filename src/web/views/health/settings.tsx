import { useEffect } from "preact/hooks";
import { changeSetting, daemonSettings, refreshSettings } from "../../state/base/settings.ts";

const SETTINGS = [
  {
    name: "patchMode",
    title: "Patch mode",
    text: "Agents get the tool “patch_document”, for edits as diffs. A change counts for agents that connect after it.",
  },
  {
    name: "legacyOps",
    title: "Edits at the cursor",
    text: "Older agents may insert, replace and delete at a cursor or a selection. A change counts at once.",
  },
] as const;

/** Shows the daemon's settings that a person may change. */
export function Settings() {
  useEffect(() => void refreshSettings(), []);
  const now = daemonSettings.value;
  if (now === undefined) return null;
  const { capture, configured } = now;
  return (
    <section class="settings" aria-label="Settings">
      <h2>Settings</h2>
      {SETTINGS.map(({ name, title, text }) => (
        <label key={name} class="setting">
          <input
            type="checkbox"
            checked={now[name]}
            onChange={(event) => {
              const box = event.currentTarget;
              void changeSetting(name, box.checked).then(() => {
                // A refused change shows the setting as it is.
                box.checked = daemonSettings.peek()?.[name] ?? box.checked;
              });
            }}
          />
          <span>
            {title}
            <span class="quiet">
              {text}
              {now[name] !== configured[name] &&
                ` The configuration says ${configured[name] ? "on" : "off"}.`}
            </span>
          </span>
        </label>
      ))}
      <p class="quiet">
        {capture === null
          ? "Capture of agents’ edits is off. capture.hours in daemon.config.ts turns it on from the next start."
          : "Capture of agents’ edits is on. capture.hours in daemon.config.ts turns it off from the next start."}
      </p>
    </section>
  );
}
