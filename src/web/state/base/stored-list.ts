/** Returns the list that this browser stored under a name; empty where another version of the page stored something else. */
export function storedList<T>(storage: Storage, name: string): T[] {
  try {
    const list: unknown = JSON.parse(storage.getItem(name) ?? "[]");
    return Array.isArray(list) ? (list as T[]) : [];
  } catch {
    return [];
  }
}

/** Returns the stored list's strings. */
export function storedStrings(storage: Storage, name: string): string[] {
  return storedList<unknown>(storage, name).filter((item) => typeof item === "string");
}
