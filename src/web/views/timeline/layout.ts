import { computed, signal } from "@preact/signals";

export type Layout = "unified" | "split";

const LAYOUT_KEY = "spliced.compare";
const chosen = signal<Layout>(localStorage.getItem(LAYOUT_KEY) === "split" ? "split" : "unified");
const narrow = matchMedia("(max-width: 760px)");
/** Whether the window is too narrow for two texts side by side. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => {
  isNarrow.value = narrow.matches;
});

/** The layout that the person chose in this browser; always unified in a narrow window. */
export const layout = computed<Layout>(() => (isNarrow.value ? "unified" : chosen.value));

export function chooseLayout(next: Layout): void {
  chosen.value = next;
  localStorage.setItem(LAYOUT_KEY, next);
}
