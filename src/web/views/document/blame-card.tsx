import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/changes/author.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { askToConfirm } from "../../state/base/confirm.ts";
import { documentRoute, hrefOf } from "../../state/base/route.ts";
import { whoOf } from "../../state/changes/authors.ts";
import { undoChange } from "../../state/changes/undo.ts";
import type { BlamedChange } from "./editor/blame.ts";

/** A change, and the place in the window where its card is shown. */
export interface BlamePoint {
  readonly change: BlamedChange;
  readonly top: number;
  readonly left: number;
  /** Whether a key opened the card; it then takes the focus. */
  readonly byKey: boolean;
}

interface BlameCardProps {
  readonly at: BlamePoint;
  readonly path: string;
  readonly canUndo: boolean;
  /** The pointer has entered the card. */
  readonly onEnter: () => void;
  readonly onClose: (focusText: boolean) => void;
}

const WIDTH = 320;
/** The greatest height of the card, in pixels, as messages are short. */
const HEIGHT = 190;

/** Shows the author, time and message of a change, with undo. */
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
      aria-label={`Change by ${whoOf(change)}`}
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
        <Author author={change.author} machine={change.machine} /> <Ago time={change.time} />
      </header>
      {change.message !== undefined && <p>{change.message}</p>}
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

/** Undoes a change after the person has confirmed. */
async function confirmAndUndo(path: string, change: BlamedChange): Promise<void> {
  const sure = await askToConfirm({
    title: `Undo this change by ${whoOf(change)}?`,
    text: "This undoes only this change. Later edits stay.",
    yes: "Undo change",
  });
  if (sure) await undoChange({ ...change, path });
}
