const UNITS = ["bytes", "kB", "MB", "GB"] as const;

/** Returns a size in bytes as text, in steps of 1000, as `1.5 MB`. */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size >= 10 || unit === 0 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}
