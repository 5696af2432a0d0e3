import type { ComponentChild } from "preact";
import { useRef } from "preact/hooks";
import { type Block, type Prose, proseOf } from "./prose.ts";
import type { Inline } from "./prose-inline.ts";
import "./prose.css";

/** Shows Markdown of an agent. All of its text is text: it makes no element and loads nothing. */
export function ProseView({ text }: { readonly text: string }) {
  const read = useRef<Prose | undefined>(undefined);
  const shown = useRef(new WeakMap<Block, ComponentChild>());
  read.current = proseOf(text, read.current);
  if (text === "") return null;
  return (
    <div class="prose">
      {read.current.blocks.map(({ from, block }) => {
        // The page leaves a part as it is while its element is the same.
        const before = shown.current.get(block);
        if (before !== undefined) return before;
        const element = <BlockView key={from} block={block} />;
        shown.current.set(block, element);
        return element;
      })}
    </div>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.is) {
    case "paragraph":
      return <p>{inline(block.parts)}</p>;
    case "heading":
      return <p class="prose-heading">{inline(block.parts)}</p>;
    case "code":
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case "rule":
      return <hr />;
    case "quote":
      return <blockquote>{blocks(block.blocks)}</blockquote>;
    case "list": {
      const items = block.items.map((item, i) => <li key={i}>{blocks(item)}</li>);
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case "table":
      return <Table rows={block.rows} />;
  }
}

function Table({ rows: [head = [], ...rows] }: Pick<Extract<Block, { is: "table" }>, "rows">) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, i) => (
            <th key={i}>{inline(cell)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {head.map((_, k) => (
              <td key={k}>{inline(row[k] ?? [])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function blocks(all: readonly Block[]): ComponentChild[] {
  return all.map((block, i) => <BlockView key={i} block={block} />);
}

function inline(parts: readonly Inline[]): ComponentChild[] {
  return parts.map((part, i) => {
    if (typeof part === "string") return part;
    switch (part.is) {
      case "code":
        return <code key={i}>{part.text}</code>;
      case "link":
        return (
          <a key={i} href={part.href} title={part.href} target="_blank" rel="noopener noreferrer">
            {inline(part.parts)}
          </a>
        );
      default: {
        const Mark = part.is;
        return <Mark key={i}>{inline(part.parts)}</Mark>;
      }
    }
  });
}
