import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/author.tsx";
import { Button } from "../../parts/button.tsx";
import { authorName } from "../../state/authors.ts";
import { askToConfirm } from "../../state/confirm.ts";
import { documentRoute, hrefOf } from "../../state/route.ts";
import { undoChange } from "../../state/undo.ts";
import type { BlamedChange } from "./editor/blame.ts";

/** A change, and where in the window what is known of it is shown. */
export interface BlamePoint {
  readonly change: BlamedChange;
  readonly top: number;
  readonly left: number;
  /** Asked for by a key: what can be done is reached by keys then. */
  readonly byKey: boolean;
}

interface BlameCardProps {
  readonly at: BlamePoint;
  readonly path: string;
  readonly canUndo: boolean;
  /** The pointer is on it. */
  readonly onEnter: () => void;
  readonly onClose: (focusText: boolean) => void;
}

const WIDTH = 320;
/** What it takes at most, as messages are short. */
const HEIGHT = 190;

/** Who made a change, when and why, and taking it back. */
export function BlameCard({ at, path, canUndo, onEnter, onClose }: BlameCardProps) {
  const { change, top, left, byKey } = at;
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
        top: `${Math.min(top, innerHeight - HEIGHT)}px`,
        left: `${Math.max(8, Math.min(left, innerWidth - WIDTH - 8))}px`,
        width: `${WIDTH}px`,
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose(true);
      }}
      onMouseEnter={onEnter}
      onMouseLeave={() => {
        if (!byKey) onClose(false);
      }}
    >
      <header>
        <Author author={change.author} /> <Ago time={change.time} />
      </header>
      <p class={change.message === undefined ? "quiet" : ""}>{change.message ?? "No message was given."}</p>
      {change.agent !== change.author && <p class="quiet blame-agent">{change.agent}</p>}
      <footer>
        {canUndo && (
          <Button
            icon="undo"
            onClick={() => {
              onClose(true);
              void confirmAndUndo(path, change);
            }}
          >
            Undo this change
          </Button>
        )}
        <a href={hrefOf(documentRoute(path, "timeline"))}>Timeline</a>
      </footer>
    </div>
  );
}

/** Takes a change back, once it was said what that touches. */
async function confirmAndUndo(path: string, { changeId, author }: BlamedChange): Promise<void> {
  const yes = await askToConfirm({
    title: `Undo this change of ${authorName(author)}?`,
    text: "It takes back what this change did and touches nothing else: what was typed since stays.",
    yes: "Undo it",
  });
  if (yes) await undoChange({ changeId, path, author });
}
