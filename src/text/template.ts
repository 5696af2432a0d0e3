/** A part of a replacement: text as it is, or what a group matched, by number (0 is the whole match) or name. */
export type TemplatePart = string | { readonly group: number | string };

/** Reads `$1`, `$<name>`, `$&` and `$$`; any other `$` is itself. */
export function readTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (const { 0: all, 1: what, 2: name, index } of template.matchAll(/\$(\$|&|\d{1,2}|<(\w+)>)/g)) {
    if (index > at) parts.push(template.slice(at, index));
    at = index + all.length;
    if (what === "$") parts.push("$");
    else parts.push({ group: name ?? (what === "&" ? 0 : Number(what)) });
  }
  if (at < template.length) parts.push(template.slice(at));
  return parts;
}
