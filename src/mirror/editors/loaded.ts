/** The version of a file that an editor has loaded, as the editor's own files name it. */
export type Loaded =
  /** The stamps that the file had when the editor loaded it. */
  | {
      readonly editor: "vim" | "vscode";
      /** The modification time in milliseconds since the epoch, rounded down to a multiple of `precisionMs`. */
      readonly mtimeMs: number;
      readonly precisionMs: number;
      /** The lower 32 bits of the inode number; undefined where the editor does not note it. */
      readonly ino?: number | undefined;
    }
  /** The buffer was first changed at a time, in milliseconds since the epoch; it was loaded before. */
  | { readonly editor: "emacs"; readonly changedAt: number };
