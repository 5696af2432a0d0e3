import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./controls/icon.tsx";

/** Shows why a view is empty, and what would fill it. */
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
