/** JSON that cannot be said by a value of JavaScript: it is written as it is. */
export class Raw {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** A value as JSON, whatever its keys and numbers are. */
export function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`);
  return `{${members.join(",")}}`;
}
