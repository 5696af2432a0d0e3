import { spelledOnce } from "../../paths/glob.ts";
import { anyGlob } from "../../paths/glob-set.ts";

/**
 * Files that other programs obey without being asked when a person opens the folder, enters it, commits in it or
 * starts an agent in it. An agent that may write such a file can make the person's programs act for it.
 * docs/decisions/17-protected-files.md gives the reason for each.
 */
export const PROTECTED: readonly string[] = [
  // git and the hooks that it runs at a commit
  "**/.git/**",
  "**/.husky/**",
  "**/.githooks/**",
  "**/.pre-commit-config.yaml",
  "**/lefthook.yml",
  "**/.lefthook.yml",
  // editors: tasks, launch settings and extensions
  "**/.vscode/**",
  "**/*.code-workspace",
  "**/.idea/**",
  "**/.zed/**",
  "**/.devcontainer/**",
  "**/.devcontainer.json",
  // agents: servers to start, hooks, permissions
  "**/.mcp.json",
  "**/.claude/**",
  "**/.cursor/**",
  "**/.windsurf/**",
  "**/.codex/**",
  "**/.gemini/**",
  "**/.kiro/**",
  "**/.roo/**",
  "**/.continue/**",
  "**/.opencode/**",
  "**/opencode.json",
  "**/opencode.jsonc",
  "**/.qwen/**",
  "**/.kilo/**",
  "**/.kilocode/**",
  "**/kilo.json",
  "**/kilo.jsonc",
  "**/.github/mcp.json",
  // shells that run a file of each folder they enter
  "**/.envrc",
  // the files that the daemon covers
  "**/.gitignore",
  "**/.splicedignore",
];

/** The daemon's own files: they decide about rights, and the configuration is code. No setting opens them. */
const OWN_FILES = /(^|\/)(\.spliced|daemon\.config\.[^/]+)(\/|$)/;

/** The reason why a token below `admin` may only read a path: a file of the daemon's own, or the setting `protect`. */
export type ProtectedBy = "own" | "setting";

/** Decides which paths only a token with `admin` may change. It ignores case and Unicode form. */
export class Protection {
  readonly #configuration: ReadonlySet<string>;
  readonly #matchesSetting: (path: string) => boolean;

  /**
   * `globs` are the setting `protect`; `configuration` are the paths of the configuration file and of the targets of
   * its links.
   */
  constructor(globs: readonly string[] = PROTECTED, configuration: readonly string[] = []) {
    this.#configuration = new Set(configuration.map(spelledOnce));
    this.#matchesSetting = anyGlob(globs.map(spelledOnce));
  }

  /** Returns the reason why a path is protected; undefined if it is not. */
  protectedBy(path: string): ProtectedBy | undefined {
    const spelled = spelledOnce(path);
    if (OWN_FILES.test(spelled) || this.#configuration.has(spelled)) return "own";
    return this.#matchesSetting(spelled) ? "setting" : undefined;
  }
}
