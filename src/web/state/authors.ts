/** The daemon's name for the author of saves of the file. */
const DISK = "disk";
/** The daemon's name for the author of rescues. */
const RESCUER = "spliced";

/** Returns the name that the page shows for an author. */
export function authorName(author: string): string {
  if (author === DISK) return "editor (disk)";
  return author === RESCUER ? "spliced (rescue)" : author;
}

/** Returns an author's hue in degrees; the same name always has the same hue. */
function hueOf(author: string): number {
  let hash = 2166136261;
  for (const character of author) hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619);
  return ((hash >>> 0) % 24) * 15;
}

/** Returns an author's colours for a style attribute. CSS derives them from `--hue`; saves of the file are grey. */
export function authorStyle(author: string): Record<string, string | number> {
  return author === DISK ? { "--hue": 250, "--author-chroma": 0.02 } : { "--hue": hueOf(author) };
}
