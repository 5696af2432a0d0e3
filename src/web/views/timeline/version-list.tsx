import type { Signal } from "@preact/signals";
import { Ago } from "../../parts/ago.tsx";
import { PatchMark } from "../../parts/changes/change-group.tsx";
import { OlderChanges } from "../../parts/changes/older-changes.tsx";
import { authorStyle } from "../../state/changes/author-colours.ts";
import { whoOf } from "../../state/changes/authors.ts";
import { type ChangeGroup, groupTitle, isPatch } from "../../state/changes/changes.ts";
import type { ChangeStream } from "../../state/changes/stream.ts";
import type { ComparedVersions, VersionChoice } from "./version-choice.ts";

interface VersionListProps {
  readonly groups: readonly ChangeGroup[];
  readonly pick: Signal<VersionChoice>;
  readonly sides: ComparedVersions | undefined;
  readonly stream: ChangeStream;
  readonly each: Signal<boolean>;
}

/** Lists the versions, newest first. Enter shows the changes of one; the keys `a` and `b` choose two to compare. */
export function VersionList({ groups, pick, sides, stream, each }: VersionListProps) {
  const onKey = (event: KeyboardEvent) => {
    const items = [...document.querySelectorAll<HTMLElement>(".version-open")];
    const at = items.indexOf(event.target as HTMLElement);
    const version = groups[at]?.changes[0].version;
    if (version === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown" || event.key === "j") items[at + 1]?.focus();
    else if (event.key === "ArrowUp" || event.key === "k") items[at - 1]?.focus();
    else if (event.key === "a") pick.value = { ...pick.value, a: version };
    else if (event.key === "b") pick.value = { ...pick.value, b: version };
    else return;
    event.preventDefault();
  };
  return (
    <aside class="version-list" aria-label="Versions, newest first">
      <div class="version-list-head">
        <h2>Versions</h2>
        <label class="version-list-option" title="Otherwise consecutive edits share one row">
          <input
            type="checkbox"
            checked={each.value}
            onChange={(event) => {
              each.value = event.currentTarget.checked;
            }}
          />{" "}
          Show every edit
        </label>
      </div>
      <ol onKeyDown={onKey}>
        {groups.map((group) => (
          <VersionRow key={group.key} group={group} pick={pick} sides={sides} />
        ))}
      </ol>
      <OlderChanges stream={stream}>
        <p class="quiet">This is the oldest version.</p>
      </OlderChanges>
    </aside>
  );
}

function VersionRow({ group, pick, sides }: VersionRowProps) {
  const [newest] = group.changes;
  const isA = sides?.a?.group === group;
  const isB = sides?.b.group === group;
  const set = (side: "a" | "b") => () => {
    pick.value = { ...pick.value, [side]: newest.version };
  };
  return (
    <li
      class={`version${isA || isB ? " chosen" : ""}${group.changes.every(({ undone }) => undone) ? " undone" : ""}`}
      style={authorStyle(newest.author)}
    >
      <button
        type="button"
        class="version-open"
        aria-current={isB ? "true" : undefined}
        title="Show its changes (Enter), or compare it (a, b)"
        onClick={() => {
          pick.value = { b: newest.version };
        }}
      >
        <span class="version-who">{whoOf(newest)}</span> <Ago time={newest.time} />
        {group.changes.every(isPatch) && <PatchMark changes={group.changes} />}
        <span class="version-what">{groupTitle(group)}</span>
      </button>
      <span class="version-sides">
        <SideButton name="A" pressed={isA} onClick={set("a")} />
        <SideButton name="B" pressed={isB} onClick={set("b")} />
      </span>
    </li>
  );
}

interface VersionRowProps {
  readonly group: ChangeGroup;
  readonly pick: Signal<VersionChoice>;
  readonly sides: ComparedVersions | undefined;
}

function SideButton(props: {
  readonly name: "A" | "B";
  readonly pressed: boolean;
  readonly onClick: () => void;
}) {
  const { name, pressed, onClick } = props;
  return (
    <button
      type="button"
      class="side"
      aria-pressed={pressed}
      title={`Compare ${name === "A" ? "from" : "to"} this version (${name.toLowerCase()})`}
      onClick={onClick}
    >
      {name}
    </button>
  );
}
