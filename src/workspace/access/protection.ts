import { folded, matcher } from "../../paths/glob.ts";

/**
 * Files that decide what other programs run or what the daemon shows, once somebody opens the folder, enters it,
 * commits in it or starts an agent in it. No command that names the file is needed for that, so whoever may write
 * one acts for the person. docs/decisions/17-protected-files.md has the reasons for each.
 */
export const PROTECTED: readonly string[] = [
  // git, and what it runs at a commit
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
  // agents: servers to start, hooks, and what they may do unasked
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
  // shells that look into each folder they enter
  "**/.envrc",
  // what is covered at all
  "**/.gitignore",
];

/** The daemon's own: they decide who may do what here, and a configuration is run as code. No setting opens them. */
const OWN = /(^|\/)(\.spliced|daemon\.config\.[^/]+)(\/|$)/;

/** Why a path is closed to tokens below `admin`: as the daemon's own, or by the setting `protect`. */
export type ProtectedBy = "own" | "setting";

/** Which paths only a token with `admin` may change. Spelling does not help: case and Unicode form are lost. */
export class Protection {
  readonly #configuration: ReadonlySet<string>;
  readonly #named: (path: string) => boolean;

  /** `globs` is the setting; `configuration` are paths of further files that the configuration came from. */
  constructor(globs: readonly string[] = PROTECTED, configuration: readonly string[] = []) {
    this.#configuration = new Set(configuration.map(plain));
    this.#named = anyOf(globs.map(plain));
  }

  protectedBy(path: string): ProtectedBy | undefined {
    const spelled = plain(path);
    if (OWN.test(spelled) || this.#configuration.has(spelled)) return "own";
    return this.#named(spelled) ? "setting" : undefined;
  }
}

/** A test for all globs at once: a listing asks it of each file, so the plain names among them are looked up. */
function anyOf(globs: readonly string[]): (path: string) => boolean {
  const names = new Set<string>();
  const folders = new Set<string>();
  const others: ((path: string) => boolean)[] = [];
  for (const glob of globs) {
    const [, name, inside] = /^\*\*\/([^/*?[\]{}()!+@\\]+)(\/\*\*)?$/.exec(glob) ?? [];
    if (name === undefined) others.push(matcher(glob));
    else (inside === undefined ? names : folders).add(name);
  }
  return (path) => {
    const parts = path.split("/");
    return (
      names.has(parts.at(-1)!) ||
      parts.some((part) => folders.has(part)) ||
      others.some((match) => match(path))
    );
  };
}

/** One spelling for all that a file system may take for the same name; some ignore characters that nobody sees. */
function plain(path: string): string {
  return folded(path.replace(/\p{Default_Ignorable_Code_Point}/gu, ""));
}
