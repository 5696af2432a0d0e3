import { useEffect, useRef } from "preact/hooks";

/** What each key does, by the event's `key`; undefined where it does nothing at present. */
export type KeyActions = Readonly<Record<string, (() => void) | undefined>>;

const INPUTS = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]";

/** Lets single keys do things while a view is shown, except where they are typed into something. */
export function useKeys(keys: KeyActions): void {
  const newest = useRef(keys);
  newest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(INPUTS) !== null) return;
      const act = newest.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
