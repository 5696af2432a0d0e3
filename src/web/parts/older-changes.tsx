import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ChangeStream } from "../state/stream.ts";
import { Button } from "./button.tsx";
import "./older-changes.css";

/**
 * The end of what is loaded of a stream: when it comes into view, older changes are asked for, until there are many;
 * what is filtered here may never fill the view.
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
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!more || loading || stream.isFull) return;
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && void stream.loadOlder(), {
      rootMargin: "600px",
    });
    seen.observe(end.current!);
    return () => seen.disconnect();
  }, [stream, more, loading]);
  return (
    <div class="older" ref={end}>
      {loading && <p class="quiet">Loading …</p>}
      {!loading && stream.changes.value === undefined && (
        <Button onClick={() => void stream.reload()}>The history could not be read: try again</Button>
      )}
      {!loading && more && <Button onClick={() => void stream.loadOlder()}>Older changes</Button>}
      {!loading && !more && stream.changes.value !== undefined && children}
    </div>
  );
}
