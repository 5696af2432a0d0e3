import { computed, useSignal } from "@preact/signals";
import { CopyLine } from "../../parts/controls/copy-line.tsx";
import { documentsByPath } from "../../state/documents/documents.ts";

const CLIENTS = [
  { id: "claude", name: "Claude Code" },
  { id: "cursor", name: "Cursor" },
  { id: "vscode", name: "VS Code" },
  { id: "codex", name: "Codex" },
] as const;

/** Shows how to connect an agent, and two commands to try without one. */
export function ConnectAgent({ open = false }: { readonly open?: boolean }) {
  const client = useSignal<(typeof CLIENTS)[number]>(CLIENTS[0]);
  const { id } = client.value;
  return (
    <details class="connect card" open={open}>
      <summary>
        <h2>Connect an agent</h2>
      </summary>
      <div class="connect-body">
        <fieldset class="connect-clients" aria-label="Which agent">
          {CLIENTS.map((each) => (
            <button
              type="button"
              key={each.id}
              aria-pressed={each.id === id}
              onClick={() => {
                client.value = each;
              }}
            >
              {each.name}
            </button>
          ))}
        </fieldset>
        <p>Run this in a terminal, in the workspace folder:</p>
        <CopyLine text={`npx spliced mcp --install ${id}`} />
        <p class="quiet">
          Then start the agent in that folder. Its edits appear here, next to the saves of your editor.
        </p>
        <p>Or try it without an agent:</p>
        <CopyLine
          text={`npx spliced --agent tester append ${shellWord(example.value)} "Hello from an agent."`}
        />
        <CopyLine text="npx spliced --agent tester undo" />
      </div>
    </details>
  );
}

const PROSE = /\.(?:md|markdown|txt)$/i;
const HIDDEN = /(?:^|\/)\./;

/** The path for an example that adds a line: a text for people, never a hidden file such as `.env`. */
const example = computed(() => {
  for (const { kind, path } of documentsByPath.value?.values() ?? [])
    if (kind === "text" && PROSE.test(path) && !HIDDEN.test(path)) return path;
  return "notes.md";
});

/** Returns a path quoted for a shell. */
function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
