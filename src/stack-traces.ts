import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { isAbsolute } from "node:path";

/** The source maps of the built files that traces named; undefined for a file without one. */
const maps = new Map<string, SourceMap | undefined>();

/**
 * Makes stack traces name files and lines of the sources instead of the build. Node's own option reads every source map
 * when it loads a file; this reads one when a trace first names its file.
 */
export function traceSources(): void {
  Error.prepareStackTrace = (error, frames) =>
    [String(error), ...frames.map((frame) => `    at ${inSource(frame)}`)].join("\n");
}

function inSource(frame: NodeJS.CallSite): string {
  const shown = String(frame);
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (file == null || !isAbsolute(file) || line === null || column === null) return shown;
  const found = mapOf(file)?.findEntry(line - 1, column - 1);
  if (found === undefined || !("originalSource" in found)) return shown;
  const source = found.originalSource.replace(/^(\.\.\/)+/, "");
  return shown.replace(
    `${file}:${line}:${column}`,
    `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`,
  );
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) {
    const at = `${file}.map`;
    try {
      maps.set(file, existsSync(at) ? new SourceMap(JSON.parse(readFileSync(at, "utf8"))) : undefined);
    } catch {
      return undefined; // without a free descriptor: a trace that fails would hide its error, and end the process
    }
  }
  return maps.get(file);
}
