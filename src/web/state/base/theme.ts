import { computed, effect, signal } from "@preact/signals";

type Theme = "light" | "dark";

const THEME_KEY = "spliced.theme";
const device = matchMedia("(prefers-color-scheme: dark)");

/** The theme that the person chose in this browser; undefined if the device's theme applies. */
const chosen = signal(readChoice());
const deviceIsDark = signal(device.matches);
device.addEventListener("change", () => {
  deviceIsDark.value = device.matches;
});

export const theme = computed<Theme>(() => chosen.value ?? (deviceIsDark.value ? "dark" : "light"));

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});

/** Switches to the other theme and remembers it in this browser. */
export function switchTheme(): void {
  chosen.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(THEME_KEY, chosen.value);
}

function readChoice(): Theme | undefined {
  const stored = localStorage.getItem(THEME_KEY);
  return stored === "light" || stored === "dark" ? stored : undefined;
}
