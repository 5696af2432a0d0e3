import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { now } from "../../state/base/clock.ts";
import {
  type ChangeGroup,
  dayHeading,
  daysOf,
  type HistoryChange,
  isSameGroup,
} from "../../state/changes/changes.ts";
import { ChangeGroupCard } from "./change-group.tsx";
import "./changes-by-day.css";

/** Shows changes by day, newest first. The keys `j` and `k` move to the next and the previous one, `u` undoes. */
export function ChangesByDay({ changes }: { readonly changes: readonly HistoryChange[] }) {
  const cardOf = useCards();
  return (
    <section class="changes" aria-label="Changes, newest first" onKeyDown={byKey}>
      {daysOf(changes).map(({ key, groups }) => (
        <section key={key} aria-label={dayHeading(key, now.value)}>
          <h2 class="day">{dayHeading(key, now.value)}</h2>
          {groups.map(cardOf)}
        </section>
      ))}
    </section>
  );
}

/** Returns a function that makes the card of a group. A group that stays the same has one card, which renders once. */
function useCards(): (group: ChangeGroup) => VNode {
  const before = useRef<ReadonlyMap<string, Card>>(new Map());
  const now = new Map<string, Card>();
  const known = before.current;
  before.current = now;
  return (group) => {
    const last = known.get(group.key);
    const card =
      last !== undefined && isSameGroup(last.group, group)
        ? last
        : { group, element: <ChangeGroupCard key={group.key} group={group} /> };
    now.set(group.key, card);
    return card.element;
  };
}

interface Card {
  readonly group: ChangeGroup;
  readonly element: VNode;
}

function byKey(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(".change-open")];
  const here = (event.target as HTMLElement).closest(".change");
  const at = all.findIndex((button) => button.closest(".change") === here);
  switch (event.key) {
    case "j":
    case "ArrowDown":
      all[at + 1]?.focus();
      break;
    case "k":
    case "ArrowUp":
      all[Math.max(0, at - 1)]?.focus();
      break;
    case "u":
      here?.querySelector<HTMLElement>(":scope > .button")?.click();
      break;
    default:
      return;
  }
  event.preventDefault();
}
