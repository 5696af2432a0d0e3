import { LIST_COMMAND } from "./lists.ts";
import type { Place } from "./places.ts";

/** Returns a script for fish. Arguments without a fixed choice are completed as files. */
export function fishCompletion(name: string, places: readonly Place[]): string {
  const known = places.slice(1).map(({ at }) => quoted(at));
  return `# Completes ${name} in fish. Load it with: ${name} completion fish | source
function __${name}_at --description 'Whether these are the commands so far'
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim "$at $word")
        contains -- $next ${known.join(" ")}; and set at $next
    end
    test "$at" = "$argv"
end
function __${name}_list --description 'Words that only a daemon knows'
    type -q ${name}; and ${name} ${LIST_COMMAND} $argv (commandline -ct) 2>/dev/null
end
complete -c ${name} -e
${places.flatMap((place) => linesOf(name, place)).join("\n")}
`;
}

function linesOf(name: string, { at, commands, options, choices, list }: Place): string[] {
  const here = `complete -c ${name} -n ${quoted(`__${name}_at ${at}`.trim())}`;
  const words = [
    ...commands.map((each) => `${here} -f -a ${each.name} -d ${quoted(each.description)}`),
    ...choices.map((choice) => `${here} -f -a ${choice}`),
    ...(list === undefined ? [] : [`${here} -a '(__${name}_list ${list})'`]),
  ];
  const flags = options.map((option) => {
    const short = option.short === undefined ? "" : ` -s ${option.short.slice(1)}`;
    const takes = option.takesValue ? " -r" : "";
    const words = option.list === undefined ? option.choices.join(" ") : `(__${name}_list ${option.list})`;
    const value = words === "" ? "" : ` -f -a ${quoted(words)}`;
    return `${here}${short} -l ${option.long.slice(2)}${takes}${value} -d ${quoted(option.description)}`;
  });
  return [...words, ...flags];
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
