import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps<T> {
  readonly rows: readonly T[];
  /** The height of each row, in pixels. */
  readonly rowHeight: number;
  readonly keyOf: (row: T) => string;
  readonly children: (row: T, index: number) => ComponentChildren;
  /** Index of the row to scroll into view when the index changes. */
  readonly scrollTo?: number | undefined;
}

/** Rows drawn above and below the visible ones, so that scrolling shows no gap. */
const MARGIN = 8;

/** A list of any length. The page contains only its visible rows. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { rows, rowHeight, keyOf, children, scrollTo } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);

  useEffect(() => {
    const element = box.current!;
    if (scrollTo === undefined || scrollTo < 0) return;
    const top = scrollTo * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  }, [scrollTo, rowHeight]);

  const from = Math.max(0, Math.floor(view.top / rowHeight) - MARGIN);
  const to = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + MARGIN);
  return (
    <div class="virtual-list" ref={box}>
      <div style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(from, to).map((row, i) => (
          <div
            key={keyOf(row)}
            class="virtual-row"
            style={{ height: `${rowHeight}px`, top: `${(from + i) * rowHeight}px` }}
          >
            {children(row, from + i)}
          </div>
        ))}
      </div>
    </div>
  );
}
