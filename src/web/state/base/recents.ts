import { effect, signal } from "@preact/signals";
import { route } from "./route.ts";
import { storedStrings } from "./stored-list.ts";

const RECENTS_KEY = "spliced.recents";
const MOST_RECENTS = 8;

/** The paths of the documents that this browser showed last, newest first. */
export const recents = signal<readonly string[]>(storedStrings(localStorage, RECENTS_KEY));

effect(() => {
  if (route.value.view !== "document") return;
  const { path } = route.value;
  const others = recents.peek().filter((each) => each !== path);
  recents.value = [path, ...others].slice(0, MOST_RECENTS);
  localStorage.setItem(RECENTS_KEY, JSON.stringify(recents.value));
});
