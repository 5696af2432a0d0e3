import { authorStyle } from "../../../state/changes/author-colours.ts";

/** Returns an author's colours as the value of a style attribute. */
export function colours(author: string): string {
  return Object.entries(authorStyle(author))
    .map(([name, value]) => `${name}:${value}`)
    .join(";");
}
