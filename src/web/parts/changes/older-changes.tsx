import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ChangeStream } from "../../state/changes/stream.ts";
import { Button } from "../controls/button.tsx";
import { Waiting } from "../waiting.tsx";
import "./older-changes.css";

/**
 * Shows the end of the loaded part of a stream, and loads older changes once it is in view. Loading stops at the
 * stream's limit, as a filtered list may never fill the view. After a failure it waits for the person.
 */
export function OlderChanges({
  stream,
  children,
}: {
  readonly stream: ChangeStream;
  readonly children?: ComponentChildren;
}) {
  const more = stream.hasOlder.value;
  const loading = stream.loading.value;
  const isRefused = stream.isRefused.value;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!more || loading || isRefused || stream.isFull) return;
    // A busy browser reports several movements at once, oldest first.
    const observer = new IntersectionObserver(
      (entries) => entries.at(-1)?.isIntersecting && void stream.loadOlder(),
      { rootMargin: "600px" },
    );
    observer.observe(end.current!);
    return () => observer.disconnect();
  }, [stream, more, loading, isRefused]);
  return (
    <div class="older" ref={end}>
      {loading && <Waiting />}
      {!loading && stream.changes.value === undefined && (
        <Button onClick={() => void stream.reload()}>Could not load the history. Try again</Button>
      )}
      {!loading && more && <Button onClick={() => void stream.loadOlder()}>Show older changes</Button>}
      {!loading && !more && stream.changes.value !== undefined && children}
    </div>
  );
}
