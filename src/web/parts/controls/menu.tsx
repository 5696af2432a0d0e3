import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";
import "./menu.css";

/** A menu for rare actions behind one button. */
export function Menu({ children }: { readonly children: ComponentChildren }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const open = useSignal(false);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  const leave = () => {
    close();
    menu.current?.querySelector("summary")?.focus();
  };
  return (
    <details
      class="menu"
      ref={menu}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") leave();
      }}
      onFocusOut={(event) => {
        if (!menu.current?.contains(event.relatedTarget as Node | null)) close();
      }}
      onClick={(event) => {
        if ((event.target as Element).closest(".menu-items") !== null) leave();
      }}
    >
      <summary class="button bare" title="More" aria-label="More">
        <Icon name="more" />
      </summary>
      {open.value && <MenuItems>{children}</MenuItems>}
    </details>
  );
}

/** The least distance in pixels between the items and the edge of the window. */
const EDGE = 8;

/** The items below the button. They move to the right where the window would cut them off. */
function MenuItems({ children }: { readonly children: ComponentChildren }) {
  const items = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { left } = items.current!.getBoundingClientRect();
    if (left < EDGE) items.current!.style.translate = `${EDGE - left}px`;
  }, []);
  return (
    <div class="menu-items" ref={items}>
      {children}
    </div>
  );
}

export function MenuItem({
  onClick,
  children,
}: {
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <button type="button" class="menu-item" onClick={onClick}>
      {children}
    </button>
  );
}
