import { authorStyle } from "../../../state/authors.ts";

/** An author's colours as the text of a style attribute. */
export function colours(author: string): string {
  return Object.entries(authorStyle(author))
    .map(([name, value]) => `${name}:${value}`)
    .join(";");
}
