import { useEffect, useState } from "preact/hooks";
import { CopyLine } from "../../parts/controls/copy-line.tsx";
import type { ThreadSummary } from "../../state/threads/thread-types.ts";

/** Milliseconds in which an agent that is there takes a thread. */
const PATIENCE_MS = 10_000;

/** Says that a thread waits and, if nobody takes it, how to start an agent that answers. */
export function Unanswered({ last }: Pick<ThreadSummary, "last">) {
  const [alone, setAlone] = useState(false);
  useEffect(() => {
    setAlone(false);
    const left = PATIENCE_MS - (Date.now() - Date.parse(last.time));
    const timer = setTimeout(() => setAlone(true), Math.min(Math.max(0, left), PATIENCE_MS));
    return () => clearTimeout(timer);
  }, [last.id]);
  return (
    <div class="unanswered" role="status">
      {alone ? (
        <>
          <p>
            No agent is there to answer. The message waits. In a terminal, in the workspace folder, start an
            agent:
          </p>
          <CopyLine text="npx spliced agent claude" />
        </>
      ) : (
        <p class="quiet">Waits for an answer …</p>
      )}
    </div>
  );
}
