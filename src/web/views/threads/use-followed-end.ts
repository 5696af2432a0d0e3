import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Distance in pixels from the end within which the reader counts as reading the end. */
const NEAR_END = 80;

/**
 * Keeps the end of a list in view while it grows, unless the reader has scrolled up. The list also grows without new
 * contents, as when a difference arrives or the browser lays it out. Then it stays where a reader has used it since.
 */
export function useFollowedEnd(contents: readonly unknown[], sent: number): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const isUsed = useRef(false);
  useEffect(() => {
    const current = list.current!;
    current.tabIndex = 0; // so that the keyboard scrolls it
    let top = 0;
    const scrolled = () => {
      const isNear = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END;
      // Growth leaves the top as it is, so only a reader moves it up.
      if (isNear || current.scrollTop < top) isAtEnd.current = isNear;
      top = current.scrollTop;
    };
    const used = () => {
      isUsed.current = true;
    };
    const listening = new AbortController();
    const { signal } = listening;
    current.addEventListener("scroll", scrolled, { passive: true, signal });
    for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"])
      current.addEventListener(kind, used, { passive: true, signal });
    return () => listening.abort();
  }, []);
  useLayoutEffect(() => {
    isAtEnd.current = true;
  }, [sent]);
  useLayoutEffect(() => {
    const current = list.current!;
    const toEnd = () => {
      if (isAtEnd.current) current.scrollTop = current.scrollHeight;
    };
    isUsed.current = false;
    toEnd();
    const growth = new ResizeObserver(() => {
      if (!isUsed.current) toEnd();
    });
    growth.observe(current);
    for (const child of current.children) growth.observe(child);
    return () => growth.disconnect();
  }, [...contents, sent]);
  return list;
}
