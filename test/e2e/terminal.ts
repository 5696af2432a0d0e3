import { execFileSync, spawnSync } from "node:child_process";
import { atEnd } from "./cleanup.ts";
import { makeFolder } from "./folder.ts";
import { until } from "./until.ts";

/** Each look at a screen runs a program. */
const LOOK_EVERY_MS = 50;

/** A program in a new terminal, which the test uses as a person does: by its screen and its keys. */
export interface Terminal {
  /** Types a text. */
  type(text: string): void;
  /** Presses keys by tmux's names, such as `C-s`, `Enter`, `M-x`. */
  press(...keys: string[]): void;
  screen(): string;
  /** Waits until the screen shows a text. */
  shows(text: string): Promise<string>;
  /** Waits until the program has ended. */
  ends(): Promise<unknown>;
}

/** Returns true where a program and tmux are installed; prints a note where they are not. */
export function inTerminal(program: string): boolean {
  const missing = [program, "tmux"].filter((name) => spawnSync("which", [name]).status !== 0);
  if (missing.length > 0)
    console.warn(`${missing.join(" and ")} not installed: the tests of ${program} are left out`);
  return missing.length === 0;
}

/** Starts a program in a terminal of 100 by 30 characters; it ends with the test file at the latest. */
export function openTerminal(cwd: string, command: readonly string[]): Terminal {
  const socket = makeFolder().at("tmux");
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], {
      env: { ...process.env, LC_ALL: "C.UTF-8", TERM: "xterm-256color", TMUX: "" },
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
  tmux("new-session", "-d", "-x", "100", "-y", "30", "-c", cwd, ...command);
  atEnd(() => spawnSync("tmux", ["-S", socket, "kill-server"]));
  const screen = () => tmux("capture-pane", "-p");
  return {
    type: (text) => void tmux("send-keys", "-l", text),
    press: (...keys) => void tmux("send-keys", ...keys),
    screen,
    shows: (text) =>
      until(
        `the screen shows ${JSON.stringify(text)}`,
        screen,
        (seen) => seen.includes(text),
        undefined,
        LOOK_EVERY_MS,
      ),
    ends: () =>
      until(
        "the program ends",
        () => spawnSync("tmux", ["-S", socket, "has-session"]).status !== 0,
        Boolean,
        undefined,
        LOOK_EVERY_MS,
      ),
  };
}
