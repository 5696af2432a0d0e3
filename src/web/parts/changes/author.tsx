import { authorStyle } from "../../state/changes/author-colours.ts";
import { authorInitials, authorName, whoOf } from "../../state/changes/authors.ts";

interface AuthorProps {
  readonly author: string;
  /** The other machine where the author did it. */
  readonly machine?: string | undefined;
}

/** Shows an author: a mark in the author's colour, and the name. */
export function Author({ author, machine }: AuthorProps) {
  return (
    <span class="author" style={authorStyle(author)}>
      <AuthorMark author={author} />
      <span class="author-name">{whoOf({ author, machine })}</span>
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
