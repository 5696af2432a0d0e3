import { createHash } from "node:crypto";
import { basename } from "node:path";

/** What makes a system start something at login: the text, where it belongs, and what then installs it. */
export interface ServiceUnit {
  readonly name: string;
  /** The file to put it into; `~` is the person's home. */
  readonly file: string;
  readonly install: readonly [string, string];
  readonly text: string;
}

/** A unit for systemd's user manager that runs `command` for a workspace. Nothing in it holds control characters. */
export function systemdUnit(root: string, command: readonly string[]): ServiceUnit {
  const name = `spliced-${idOf(root)}.service`;
  const file = `~/.config/systemd/user/${name}`;
  const install = ["systemctl --user daemon-reload", `systemctl --user enable --now ${name}`] as const;
  const [program, ...args] = command;
  // The colon: nothing in the line is a variable.
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

/** An agent for launchd that runs `command` for a workspace. Nothing in it holds control characters. */
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

/** A workspace as a unit's name may hold it: what its folder is called, and what tells it from another called so. */
function idOf(root: string): string {
  const called = basename(root)
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return `${called || "workspace"}-${createHash("sha256").update(root).digest("hex").slice(0, 6)}`;
}

/** One word of a command line, in which only quotes, backslashes and `%` mean something. */
function systemdWord(word: string): string {
  return `"${word.replace(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
