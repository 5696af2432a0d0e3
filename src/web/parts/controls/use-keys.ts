import { useLayoutEffect, useRef } from "preact/hooks";

/** The action of each key, by the event's `key`; undefined if the key has no action now. */
type KeyActions = Readonly<Record<string, (() => void) | undefined>>;

const INPUTS = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]";

/** Runs actions on single keys while a view is shown, except while the person types into an input. */
export function useKeys(keys: KeyActions): void {
  const newest = useRef(keys);
  newest.current = keys;
  // An effect would run only after the next frame, so a key pressed before that would do nothing.
  useLayoutEffect(() => {
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
