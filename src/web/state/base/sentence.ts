/** Returns a message of the daemon as a sentence of its own: with a capital, unless it begins with a path, and a full stop. */
export function sentence(message: string): string {
  const begun = /^[a-z]+[ ,]/.test(message) ? message[0]!.toUpperCase() + message.slice(1) : message;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
