import { authorStyle } from "../state/author-colours.ts";
import { authorInitials, authorName } from "../state/authors.ts";

/** Shows an author: a mark in the author's colour, and the name. */
export function Author({ author }: { readonly author: string }) {
  return (
    <span class="author" style={authorStyle(author)}>
      <AuthorMark author={author} />
      <span class="author-name">{authorName(author)}</span>
    </span>
  );
}

/** Shows an author's letters in their colour. The name has to be beside it, as screen readers skip the mark. */
export function AuthorMark({ author }: { readonly author: string }) {
  return (
    <span
      class="author-mark"
      style={authorStyle(author)}
      title={authorName(author)}
      data-letters={authorInitials(author)}
      aria-hidden="true"
    />
  );
}
