/** A part of a replacement: literal text, or the text of a group by number (0 is the whole match) or name. */
export type TemplatePart = string | { readonly group: number | string };

/** Reads `$1`, `$<name>`, `$&` and `$$`; any other `$` is literal. */
export function readTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (const { 0: all, 1: reference, 2: name, index } of template.matchAll(/\$(\$|&|\d{1,2}|<(\w+)>)/g)) {
    if (index > at) parts.push(template.slice(at, index));
    at = index + all.length;
    if (reference === "$") parts.push("$");
    else parts.push({ group: name ?? (reference === "&" ? 0 : Number(reference)) });
  }
  if (at < template.length) parts.push(template.slice(at));
  return parts;
}
