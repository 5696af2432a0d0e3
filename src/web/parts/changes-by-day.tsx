import { dayHeading, daysOf, type HistoryChange } from "../state/changes.ts";
import { now } from "../state/clock.ts";
import { ChangeGroupCard } from "./change-group.tsx";
import "./changes-by-day.css";

/** Shows changes by day, newest first. The keys `j` and `k` move to the next and the previous one, `u` undoes. */
export function ChangesByDay({ changes }: { readonly changes: readonly HistoryChange[] }) {
  return (
    <section class="changes" aria-label="Changes, newest first" onKeyDown={byKey}>
      {daysOf(changes).map(({ key, groups }) => (
        <section key={key} aria-label={dayHeading(key, now.value)}>
          <h2 class="day">{dayHeading(key, now.value)}</h2>
          {groups.map((group) => (
            <ChangeGroupCard key={group.key} group={group} />
          ))}
        </section>
      ))}
    </section>
  );
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
