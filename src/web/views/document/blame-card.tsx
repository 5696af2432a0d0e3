import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/author.tsx";
import { Button } from "../../parts/button.tsx";
import { documentRoute, hrefOf } from "../../state/route.ts";
import { theDaemon } from "../../state/session.ts";
import { attempt, say } from "../../state/tell.ts";
import type { BlamedChange } from "./editor/blame.ts";

/** A change, and where in the window what is known of it is shown. */
export interface PointedAt {
  readonly change: BlamedChange;
  readonly top: number;
  readonly left: number;
  /** Asked for by a key: what can be done is reached by keys then. */
  readonly byKey: boolean;
}

interface BlameCardProps {
  readonly at: PointedAt;
  readonly path: string;
  readonly canUndo: boolean;
  /** The pointer is on it. */
  readonly onEnter: () => void;
  readonly onClose: (focusText: boolean) => void;
}

const WIDTH = 320;

/** Who made a change, when and why, and taking it back. */
export function BlameCard({ at, path, canUndo, onEnter, onClose }: BlameCardProps) {
  const { change, top, left, byKey } = at;
  const [asking, setAsking] = useState(false);
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (byKey) card.current!.querySelector<HTMLElement>("button, a")?.focus();
  }, [byKey]);
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!card.current?.contains(event.target as Node)) onClose(false);
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  });
  return (
    <div
      class="blame-card"
      ref={card}
      role="dialog"
      aria-label={`Change by ${change.author}`}
      style={{
        top: `${Math.min(top + 4, innerHeight - 180)}px`,
        left: `${Math.max(8, Math.min(left, innerWidth - WIDTH - 8))}px`,
        width: `${WIDTH}px`,
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose(true);
      }}
      onMouseEnter={onEnter}
      onMouseLeave={() => {
        if (!byKey && !asking) onClose(false);
      }}
    >
      <header>
        <Author author={change.author} /> <Ago time={change.time} />
      </header>
      <p class={change.message === undefined ? "quiet" : ""}>{change.message ?? "No message was given."}</p>
      {change.agent !== change.author && <p class="quiet blame-agent">{change.agent}</p>}
      {asking && (
        <p class="blame-ask">
          This takes back what this change did, and touches nothing else: what was typed since stays.
        </p>
      )}
      <footer>
        {canUndo && (
          <Button
            icon="undo"
            tone="danger"
            onClick={() => {
              if (!asking) return setAsking(true);
              onClose(true);
              void undo(change);
            }}
          >
            {asking ? "Undo it" : "Undo this change"}
          </Button>
        )}
        {asking ? (
          <Button onClick={() => setAsking(false)}>Keep it</Button>
        ) : (
          <a href={hrefOf(documentRoute(path, "timeline"))}>Timeline</a>
        )}
      </footer>
    </div>
  );
}

async function undo({ changeId, author }: BlamedChange): Promise<void> {
  const undone = await attempt("It could not be undone", () => theDaemon().undo({ changeId }));
  if (undone === undefined) return;
  say(
    "good",
    `The change of ${author} is undone.`,
    undone.conflicts.length > 0 ? "Where others changed the same text since, that stays." : undefined,
    {
      label: "Redo",
      run: () => void attempt("It could not be redone", () => theDaemon().redo({ changeId })),
    },
  );
}
