/** The path of each icon on a 16 × 16 grid. */
const STROKES = {
  activity: "M1.5 8.5h3l2-6 3 11 2-5h3",
  alert: "M8 2 14.5 13.5h-13zM8 6.5v3M8 11.6v.1",
  blame: "M2 3.5h5M2 8h8M2 12.5h6M13 3v10",
  chat: "M2 3h12v8H8l-3.5 3v-3H2z",
  check: "m3 8.5 3.5 3.5L13 4.5",
  chevron: "m6 4 4 4-4 4",
  clock: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 4.5V8l2.5 1.5",
  close: "m4 4 8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  file: "M4 1.8h5l3.5 3.5v9H4zM9 1.8v3.5h3.5",
  folder: "M1.8 4.2V12.8h12.4V5.2H8L6.5 3.2h-4.7z",
  health: "M8 13.8S2 10.3 2 6.2a3.1 3.1 0 0 1 6-1.1 3.1 3.1 0 0 1 6 1.1c0 4.1-6 7.6-6 7.6z",
  home: "M2 7.5 8 2.5l6 5M3.8 6.2v7.3h8.4V6.2",
  menu: "M2 4h12M2 8h12M2 12h12",
  more: "M3 7.6a.4.4 0 1 0 0 .8.4.4 0 0 0 0-.8zM8 7.6a.4.4 0 1 0 0 .8.4.4 0 0 0 0-.8zM13 7.6a.4.4 0 1 0 0 .8.4.4 0 0 0 0-.8z",
  moon: "M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5a5.8 5.8 0 1 0 7 7z",
  patch: "M8 2v6M5 5h6M5 12.5h6M2 2v12M14 2v12",
  pen: "m10.8 2.7 2.5 2.5-8 8-3.1.6.6-3.1z",
  plus: "M8 3v10M3 8h10",
  proposal: "M3 2.5h10v8H7.5l-3 3v-3H3zM5.5 5.5h5M5.5 7.7h3",
  redo: "M13 6H6a3.5 3.5 0 0 0 0 7h3M13 6l-3-3M13 6l-3 3",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  undo: "M3 6h7a3.5 3.5 0 0 1 0 7H7M3 6l3-3M3 6l3 3",
} as const;

export type IconName = keyof typeof STROKES;

/** Draws an icon. The text or label beside it has to carry the meaning, as screen readers skip the icon. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={STROKES[name]} />
    </svg>
  );
}
