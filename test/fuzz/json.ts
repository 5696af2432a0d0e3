/** JSON that no JavaScript value has; it is written as it is. */
export class Raw {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Encodes a value as JSON, with any keys and numbers. */
export function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`);
  return `{${members.join(",")}}`;
}
