import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly onClick: () => void;
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  readonly tone?: "plain" | "primary" | "danger";
  readonly disabled?: boolean;
  /** The accessible name and the tooltip; needed if the button has no text. */
  readonly label?: string;
  /** Whether a toggle button is on; undefined for other buttons. */
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
