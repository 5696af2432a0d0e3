import { authorName, authorStyle } from "../state/authors.ts";

/** Shows an author: a mark in the author's colour, and the name. */
export function Author({ author }: { readonly author: string }) {
  return (
    <span class="author" style={authorStyle(author)}>
      <AuthorMark author={author} />
      <span class="author-name">{authorName(author)}</span>
    </span>
  );
}

export function AuthorMark({ author }: { readonly author: string }) {
  return (
    <span class="author-mark" style={authorStyle(author)} title={authorName(author)}>
      {[...authorName(author)][0]?.toUpperCase()}
    </span>
  );
}
