import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** Says that there is nothing, why, and what would put something here. */
export function EmptyState(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={props.icon} size={28} />
      <h2>{props.title}</h2>
      {props.children && <p>{props.children}</p>}
    </div>
  );
}
