/** The daemon's own names for authors: what came from the file, and what it gave back by itself. */
const DISK = "disk";
const RESCUER = "spliced";

/** How an author is called to a person. */
export function authorName(author: string): string {
  if (author === DISK) return "editor (disk)";
  return author === RESCUER ? "rescue" : author;
}

/** The hue, in degrees, that an author has wherever they show; the same name has the same everywhere. */
function hueOf(author: string): number {
  let hash = 2166136261;
  for (const character of author) hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619);
  return ((hash >>> 0) % 24) * 15;
}

/** For a style attribute: CSS takes an author's colours from `--hue`, and has none for what came from disk. */
export function authorStyle(author: string): Record<string, string | number> {
  return author === DISK ? { "--hue": 250, "--author-chroma": 0.02 } : { "--hue": hueOf(author) };
}
