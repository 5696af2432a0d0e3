import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/changes/author.tsx";
import { Diff } from "../../parts/changes/diff.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { attempt } from "../../state/base/messages.ts";
import { connected } from "../../state/base/session.ts";
import type { ChangeGroup } from "../../state/changes/changes.ts";
import { type Comparison, compareVersions } from "./compare.ts";
import { chooseLayout, isNarrow, type Layout, layout } from "./layout.ts";
import { confirmAndRestore } from "./restore.ts";
import { useCommit } from "./use-commit.ts";
import { type ComparedVersion, type ComparedVersions, GIT, type VersionChoice } from "./version-choice.ts";
import "../../parts/merged-text.css";

interface ComparisonViewProps {
  readonly path: string;
  readonly sides: ComparedVersions;
  readonly newest: ChangeGroup;
  readonly pick: Signal<VersionChoice>;
}

/** Shows the difference of two versions, with a button to restore one of them. */
export function ComparisonView({ path, sides, newest, pick }: ComparisonViewProps) {
  const { a, b } = sides;
  const now = newest.changes[0].version;
  const commit = useCommit(path);
  return (
    <section class="comparison" aria-label="Comparison">
      <header class="comparison-head">
        <VersionFacts name="A" side={a} now={now} />
        <span class="comparison-arrow" aria-hidden="true">
          →
        </span>
        <VersionFacts name="B" side={b} now={now} />
        <span class="spacer" />
        {commit.value !== undefined && a?.version !== GIT && (
          <Button
            label={`Compare with the newest commit of git, ${commit.value.slice(0, 8)}`}
            onClick={() => {
              pick.value = { a: GIT };
            }}
          >
            Compare with git
          </Button>
        )}
        {b.version !== now && (
          <Button
            onClick={() => {
              pick.value = { a: b.version };
            }}
          >
            Compare with current
          </Button>
        )}
        {b.version !== now && (
          <Button icon="undo" disabled={!connected.value} onClick={() => void confirmAndRestore(path, b)}>
            Restore B
          </Button>
        )}
        {b.version === now && a !== null && a.version !== GIT && (
          <Button icon="undo" disabled={!connected.value} onClick={() => void confirmAndRestore(path, a)}>
            Restore A
          </Button>
        )}
        {!isNarrow.value && (
          <Button
            pressed={layout.value === "split"}
            label="Side by side"
            onClick={() => {
              chooseLayout(layout.value === "split" ? "unified" : "split");
            }}
          >
            Side by side
          </Button>
        )}
      </header>
      <ComparedTexts path={path} a={a?.version} b={b.version} layout={layout.value} />
    </section>
  );
}

function VersionFacts({
  name,
  side,
  now,
}: {
  readonly name: string;
  readonly side: ComparedVersion | null;
  readonly now: string;
}) {
  const change = side?.group?.changes.find(({ version }) => version === side.version);
  return (
    <span class="side-facts">
      <span class="side-name">{name}</span>
      {side === null && <span class="quiet">not created yet</span>}
      {side?.version === GIT && <span class="quiet">git’s newest commit</span>}
      {side !== null && side.version !== GIT && change === undefined && (
        <span class="quiet">an older version</span>
      )}
      {change !== undefined && <Author author={change.author} machine={change.machine} />}
      {change !== undefined &&
        (side?.version === now ? <span class="quiet">current</span> : <Ago time={change.time} />)}
    </span>
  );
}

interface ComparedTextsProps {
  readonly path: string;
  readonly a: string | undefined;
  readonly b: string;
  readonly layout: Layout;
}

function ComparedTexts({ path, a, b, layout }: ComparedTextsProps) {
  const compared = useSignal<Comparison | undefined>(undefined);
  useEffect(() => {
    let isGone = false;
    void compareVersions(path, a, b).then((found) => {
      if (!isGone) compared.value = found;
    });
    return () => {
      isGone = true;
    };
  }, [path, a, b, compared]);
  const found = compared.value;
  if (found === undefined) return <Waiting place="comparison-note" />;
  switch (found.is) {
    case "failed":
      return <p class="comparison-note change-failed">Could not load the versions: {found.message}</p>;
    case "equal":
      return <p class="comparison-note quiet">{found.note}</p>;
    case "large":
      return (
        <div class="comparison-large">
          <Diff diff={found.diff} />
        </div>
      );
    case "texts":
      return <MergedTexts path={path} texts={found} layout={layout} />;
  }
}

interface MergedTextsProps {
  readonly path: string;
  readonly texts: { readonly a: string; readonly b: string };
  readonly layout: Layout;
}

function MergedTexts({ path, texts, layout }: MergedTextsProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let end = () => {};
    let isGone = false;
    void attempt("Could not show the versions", async () => {
      // Only this view needs the merge view, so it is loaded on first use.
      const { showMerge } = await import("./merge-view.ts");
      if (!isGone) end = showMerge(box.current!, path, texts, layout);
    });
    return () => {
      isGone = true;
      end();
    };
  }, [path, texts, layout]);
  return <div class="merged merged-text" ref={box} />;
}
