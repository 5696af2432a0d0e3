import { useEffect, useRef } from "preact/hooks";

/** Runs an action on Alt and a letter while a view is shown, wherever the focus is. */
export function useAltKey(letter: string, act: () => void): void {
  const newest = useRef(act);
  newest.current = act;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isKey = event.code === `Key${letter.toUpperCase()}`;
      if (!isKey || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      newest.current();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
