import picomatch from "picomatch";

/** What keeps a glob from being matched quickly, or from meaning what it seems to; undefined when it is sound. */
export function globProblem(glob: string): string | undefined {
  return /[@!+*?]\(/.test(glob) || glob.split("/").some((part) => part.split("*").length > 4)
    ? "at most three * in one part of the path, and no (…) groups, so that it is matched quickly"
    : undefined;
}

/** A glob as a test of paths; everything without one. `*` stays within a folder, `**` does not. */
export function matcher(pattern: string | undefined): (path: string) => boolean {
  // Names may hold line breaks, which `**` passes over only when it is told to.
  return pattern === undefined ? () => true : picomatch(pattern, { dot: true, nonegate: true, flags: "s" });
}

/** One spelling for all that a file system may take for the same name: case and unicode form are lost. */
export function folded(path: string): string {
  return path.toUpperCase().toLowerCase().normalize("NFC");
}
