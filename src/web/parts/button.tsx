import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly onClick: () => void;
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  readonly tone?: "plain" | "primary" | "danger";
  readonly disabled?: boolean;
  /** What it does, where no text says so; also shown when it is pointed at. */
  readonly label?: string;
  /** Of a switch: whether it is on. */
  readonly pressed?: boolean;
}

export function Button({ onClick, children, icon, tone = "plain", disabled, label, pressed }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${tone}${children === undefined ? " bare" : ""}`}
      onClick={onClick}
      disabled={disabled}
      title={label}
      aria-label={label}
      aria-pressed={pressed}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
