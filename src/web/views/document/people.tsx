import { useComputed } from "@preact/signals";
import { Author, AuthorMark } from "../../parts/changes/author.tsx";
import { now } from "../../state/base/clock.ts";
import { authorStyle } from "../../state/changes/author-colours.ts";
import { authorName, whoOf } from "../../state/changes/authors.ts";
import type { DocumentFeeds } from "./document-feeds.ts";
import { RECENT_MS } from "./recent-authors.ts";

/** Shows who else views the document and, faded, its recent authors. */
export function PeopleHere({ presence, authors }: Pick<DocumentFeeds, "presence" | "authors">) {
  const here = useComputed(() => [...presence.others.value.values()]);
  const recentAuthors = useComputed(() => {
    const names = new Set(here.value.map(({ name }) => name));
    const recent = [...authors.authors.value].filter(([, time]) => now.value - time < RECENT_MS);
    return recent.flatMap(([author]) => (names.has(author) ? [] : [author]));
  });
  if (here.value.length === 0 && recentAuthors.value.length === 0) return null;
  return (
    <ul class="people" aria-label="Who is here">
      {here.value.map(({ session, name, machine }) => (
        <li
          key={session}
          class="person"
          style={authorStyle(name)}
          title={`${whoOf({ author: name, machine })} is viewing this document`}
        >
          <Author author={name} machine={machine} />
        </li>
      ))}
      {recentAuthors.value.slice(0, 5).map((author) => (
        <li key={author} class="person recent" title={`${authorName(author)} changed this document recently`}>
          <AuthorMark author={author} />
          <span class="visually-hidden">{authorName(author)} changed this document recently</span>
        </li>
      ))}
    </ul>
  );
}
