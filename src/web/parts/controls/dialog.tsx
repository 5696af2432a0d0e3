import "./dialog.css";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  /** The label of the button that runs the action. */
  readonly action: string;
  /** The label of the button that cancels. */
  readonly cancel?: string | undefined;
  readonly tone?: "primary" | "danger";
  readonly disabled?: boolean;
  readonly onAction: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog: Enter runs the action, Escape cancels. The focus then returns to its earlier element. */
export function Dialog({
  title,
  action,
  cancel = "Cancel",
  tone = "primary",
  disabled,
  onAction,
  onClose,
  children,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Whether the dialog is being removed, in contrast to closed by the person. */
  const isRemoved = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => {
      isRemoved.current = true;
      element.close(); // this returns the focus
    };
  }, []);
  return (
    <dialog class="dialog" ref={dialog} aria-label={title} onClose={() => isRemoved.current || onClose()}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (!disabled) onAction();
        }}
      >
        <h2>{title}</h2>
        {children}
        <footer>
          <Button onClick={onClose}>{cancel}</Button>
          <button type="submit" class={`button ${tone}`} disabled={disabled}>
            {action}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
