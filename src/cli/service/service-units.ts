import { createHash } from "node:crypto";
import { basename } from "node:path";

/** A file with which the system starts a command at login. */
interface ServiceUnit {
  readonly name: string;
  /** The path at which to save the text; `~` is the person's home. */
  readonly file: string;
  /** The commands that install the saved file. */
  readonly install: readonly [string, string];
  readonly text: string;
}

/** Returns a unit for systemd's user manager. Neither `root` nor `command` may contain control characters. */
export function systemdUnit(root: string, command: readonly string[]): ServiceUnit {
  const name = `spliced-${idOf(root)}.service`;
  const file = `~/.config/systemd/user/${name}`;
  const install = ["systemctl --user daemon-reload", `systemctl --user enable --now ${name}`] as const;
  const [program, ...args] = command;
  // The colon keeps systemd from replacing variables in the line.
  const line = [`:${program}`, ...args].map(systemdWord).join(" ");
  const text = `# Save this as ${file}, then:
#   ${install.join("\n#   ")}

[Unit]
Description=spliced (${root.replaceAll("%", "%%")})

[Service]
ExecStart=${line}
Restart=on-failure
RestartSec=5

[Install]
WantedBy=default.target
`;
  return { name, file, install, text };
}

/** Returns an agent for launchd. `command` may not contain control characters. */
export function launchdAgent(root: string, command: readonly string[]): ServiceUnit {
  const name = `spliced.${idOf(root)}`;
  const file = `~/Library/LaunchAgents/${name}.plist`;
  const install = [`plutil -lint ${file}`, `launchctl bootstrap gui/$(id -u) ${file}`] as const;
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Save this as ${file}, then:
  ${install.join("\n  ")}
-->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${name}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${xmlText(word)}</string>`).join("\n")}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
</dict>
</plist>
`;
  return { name, file, install, text };
}

/** Returns a part of a unit's name: the folder's name, and a digest of its path that sets it apart from others. */
function idOf(root: string): string {
  const name = basename(root)
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return `${name || "workspace"}-${createHash("sha256").update(root).digest("hex").slice(0, 6)}`;
}

/** Quotes one word of a command line. In quotes, systemd interprets only quotes, backslashes and `%`. */
function systemdWord(word: string): string {
  return `"${word.replace(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
