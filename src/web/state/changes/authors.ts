/** The daemon's name for the author of saves of the file. */
export const DISK = "disk";
/** The daemon's name for the author of rescues. */
const RESCUER = "spliced";

/** Returns the name that the page shows for an author. */
export function authorName(author: string): string {
  if (author === DISK) return "editor (disk)";
  return author === RESCUER ? "spliced (rescue)" : author;
}

/** Returns the name of the author of a change, with the machine where it was made if that is another one. */
export function whoOf({
  author,
  machine,
}: {
  readonly author: string;
  readonly machine?: string | undefined;
}): string {
  return machine === undefined ? authorName(author) : `${authorName(author)} on ${machine}`;
}

/** Returns two letters of an author's name: of its first two words, or of its only one. */
export function authorInitials(author: string): string {
  const words = authorName(author).match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = "", second] = words.map((word) => [...word]);
  const letters = second === undefined ? [...first].slice(0, 2) : [first[0], second[0]];
  const [head = "?", tail = ""] = letters;
  return head.toUpperCase() + (second === undefined ? tail : tail.toUpperCase());
}
