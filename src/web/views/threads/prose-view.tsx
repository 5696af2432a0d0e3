import { type ComponentChild, h } from "preact";
import { useMemo } from "preact/hooks";
import { type Prose, type ProseElement, proseOf } from "./prose.ts";
import "./prose.css";

/** Shows Markdown of an agent. All of its text is text: it makes no element and loads nothing. */
export function ProseView({ text }: { readonly text: string }) {
  const parts = useMemo(() => proseOf(text), [text]);
  return text === "" ? null : <div class="prose">{shown(parts)}</div>;
}

function shown(parts: readonly Prose[]): ComponentChild[] {
  return parts.map((part, i) => (typeof part === "string" ? part : <Element key={i} part={part} />));
}

function Element({ part }: { readonly part: ProseElement }) {
  const parts = shown(part.parts);
  switch (part.tag) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return <p class="prose-heading">{parts}</p>;
    case "ol":
      return <ol start={part.start}>{parts}</ol>;
    case "a":
      return (
        <a href={part.href} title={part.href} target="_blank" rel="noopener noreferrer">
          {parts}
        </a>
      );
    default:
      return h(part.tag, null, parts);
  }
}
