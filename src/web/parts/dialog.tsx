import "./dialog.css";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  /** What the button that does it says. */
  readonly does: string;
  /** What the button that leaves all as it is says. */
  readonly leaves?: string | undefined;
  readonly tone?: "primary" | "danger";
  readonly disabled?: boolean;
  readonly onDo: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A question in front of everything: Enter does it, Escape leaves all as it is. Then the focus is where it was. */
export function Dialog({
  title,
  does,
  leaves = "Cancel",
  tone = "primary",
  disabled,
  onDo,
  onClose,
  children,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** It goes away by itself: nobody closed it. */
  const gone = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => {
      gone.current = true;
      element.close(); // which gives the focus back
    };
  }, []);
  return (
    <dialog class="dialog" ref={dialog} aria-label={title} onClose={() => gone.current || onClose()}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (!disabled) onDo();
        }}
      >
        <h2>{title}</h2>
        {children}
        <footer>
          <Button onClick={onClose}>{leaves}</Button>
          <button type="submit" class={`button ${tone}`} disabled={disabled}>
            {does}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
