/** `@name` at the beginning of a message, as often as it occurs. */
const LEADING = /^\s*@([\p{L}\p{N}][\p{L}\p{N}._-]*)[,:]?(?=\s|$)/u;

/** Returns true if a message is for the agent of this name: it names this agent, or begins with no other name. */
export function isFor(name: string, text: string): boolean {
  return isNamed(name, text) || !LEADING.test(text);
}

/** Returns true if a message names this agent, as `@name`. */
export function isNamed(name: string, text: string): boolean {
  const wanted = `@${name}`.toLowerCase();
  const words = text.toLowerCase().split(/[\s,;:!?()]+/);
  return words.some((word) => word === wanted || word === `${wanted}.`);
}
