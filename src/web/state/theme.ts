import { computed, effect, signal } from "@preact/signals";

export type Theme = "light" | "dark";

const THEME_KEY = "spliced.theme";
const device = matchMedia("(prefers-color-scheme: dark)");

/** The colours that a person chose in this browser; undefined where they are the device's. */
const chosen = signal(readChoice());
const deviceIsDark = signal(device.matches);
device.addEventListener("change", () => {
  deviceIsDark.value = device.matches;
});

export const theme = computed<Theme>(() => chosen.value ?? (deviceIsDark.value ? "dark" : "light"));

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});

/** Chooses the other colours, and keeps to them. */
export function switchTheme(): void {
  chosen.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(THEME_KEY, chosen.value);
}

function readChoice(): Theme | undefined {
  const kept = localStorage.getItem(THEME_KEY);
  return kept === "light" || kept === "dark" ? kept : undefined;
}
