import { useSignal } from "@preact/signals";
import { CopyLine } from "../../parts/copy-line.tsx";
import { documentsByPath } from "../../state/documents.ts";

const CLIENTS = [
  { id: "claude", name: "Claude Code", to: "> .mcp.json" },
  { id: "cursor", name: "Cursor", to: "> .cursor/mcp.json" },
  { id: "vscode", name: "VS Code", to: "> .vscode/mcp.json" },
  { id: "codex", name: "Codex", to: ">> ~/.codex/config.toml" },
] as const;

/** How an agent is connected, and two lines to try without one. */
export function ConnectAgent({ open = false }: { readonly open?: boolean }) {
  const client = useSignal<(typeof CLIENTS)[number]>(CLIENTS[0]);
  const { id, to } = client.value;
  const text = [...(documentsByPath.value?.values() ?? [])].find(({ kind }) => kind === "text");
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
        <p>In a terminal, in this workspace:</p>
        <CopyLine text={`npx spliced mcp --print-config ${id} ${to}`} />
        <p class="quiet">
          Then start the agent there. Its edits show here as they are made, beside what you save in your
          editor.
        </p>
        <p>Or try it without one:</p>
        <CopyLine
          text={`npx spliced --agent tester append ${shellWord(text?.path ?? "notes.md")} "Hello from an agent."`}
        />
        <CopyLine text="npx spliced --agent tester undo" />
      </div>
    </details>
  );
}

/** A path as a shell takes it. */
function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
