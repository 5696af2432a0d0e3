/** The settings that a person can change while the daemon runs. */
export interface Switches {
  /** True if agents that connect over MCP get the tool `patch_document`. */
  readonly patchMode: boolean;
  /** True if the daemon serves `edit.legacy`. */
  readonly legacyOps: boolean;
}

/** The settings to change; null means the value of the configuration. */
export type SwitchChanges = { readonly [K in keyof Switches]?: boolean | null | undefined };

/** The switches of the configuration, and the switches that a person has set otherwise. */
export class Settings {
  readonly configured: Switches;
  readonly #keep: (chosen: Partial<Switches>) => void;
  #chosen: Partial<Switches>;

  /** `keep` stores the switches that a person has chosen, for the next start. */
  constructor(
    configured: Switches,
    chosen: Partial<Switches> = {},
    keep: (chosen: Partial<Switches>) => void = () => {},
  ) {
    // The daemon passes its whole configuration, which not every client may read.
    const { patchMode, legacyOps } = configured;
    this.configured = { patchMode, legacyOps };
    this.#chosen = chosen;
    this.#keep = keep;
  }

  get now(): Switches {
    return { ...this.configured, ...this.#chosen };
  }

  set(changes: SwitchChanges): void {
    const chosen = new Map(Object.entries(this.#chosen));
    for (const [name, value] of Object.entries(changes))
      if (value === null) chosen.delete(name);
      else if (value !== undefined) chosen.set(name, value);
    const updated: Partial<Switches> = Object.fromEntries(chosen);
    this.#keep(updated);
    this.#chosen = updated;
  }
}
