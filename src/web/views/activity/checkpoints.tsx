import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Ago } from "../../parts/ago.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import { plural } from "../../state/base/plural.ts";
import { whoOf } from "../../state/changes/authors.ts";
import {
  type CheckpointEntry,
  checkpoints,
  createCheckpoint,
  listCheckpoints,
  restoreCheckpoint,
} from "../../state/changes/checkpoints.ts";

/** A button that opens the list of checkpoints. */
export function CheckpointMenu() {
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open.value) return;
    void listCheckpoints();
    const leave = (event: Event) => {
      if (
        event instanceof KeyboardEvent ? event.key === "Escape" : !box.current!.contains(event.target as Node)
      )
        open.value = false;
    };
    addEventListener("keydown", leave);
    addEventListener("pointerdown", leave);
    return () => {
      removeEventListener("keydown", leave);
      removeEventListener("pointerdown", leave);
    };
  }, [open.value, open]);
  return (
    <div class="checkpoints" ref={box}>
      <button
        type="button"
        class="button"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <Icon name="clock" /> Checkpoints
      </button>
      {open.value && (
        <div class="checkpoints-panel card">
          <NewCheckpoint />
          {checkpoints.value?.length === 0 && (
            <p class="quiet">
              No checkpoints yet. Create one before a large change. You can restore all documents to it later.
            </p>
          )}
          <ul>
            {checkpoints.value?.map((checkpoint) => (
              <CheckpointRow key={checkpoint.name} checkpoint={checkpoint} />
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function NewCheckpoint() {
  const name = useSignal("");
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current!.focus(), []);
  return (
    <form
      class="checkpoint-new"
      onSubmit={(event) => {
        event.preventDefault();
        const trimmed = name.value.trim();
        if (trimmed === "") return;
        void createCheckpoint(trimmed).then((created) => {
          if (created) name.value = "";
        });
      }}
    >
      <input
        ref={box}
        type="text"
        maxLength={100}
        placeholder="Name of a new checkpoint"
        aria-label="Name of a new checkpoint"
        value={name.value}
        onInput={(event) => {
          name.value = event.currentTarget.value;
        }}
      />
      <button type="submit" class="button primary" disabled={name.value.trim() === ""}>
        Create
      </button>
    </form>
  );
}

function CheckpointRow({ checkpoint }: { readonly checkpoint: CheckpointEntry }) {
  const { name, time, documents } = checkpoint;
  return (
    <li class="checkpoint">
      <div>
        <strong>{name}</strong>
        <p class="quiet">
          {plural(documents, "document")}, by {whoOf(checkpoint)}, <Ago time={time} />
        </p>
      </div>
      <Button label={`Restore ${name}`} onClick={() => void restoreCheckpoint(checkpoint)}>
        Restore
      </Button>
    </li>
  );
}
