import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Returns whether an element has been in the window, or near it, since it was made. */
export function useInSight(element: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: "200px" },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return isSeen;
}
