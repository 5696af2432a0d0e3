import { LIST_COMMAND } from "./lists.ts";
import type { Place } from "./places.ts";

/** Returns a script for bash 3.2 and newer. Arguments without a fixed choice are completed as files, by the shell. */
export function bashCompletion(name: string, places: readonly Place[]): string {
  return `# Completes ${name} in bash. Load it with: source <(${name} completion bash)
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= words= value= i IFS=$' \\t\\n'
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${places.slice(1).map(inPattern).join(" | ")}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${places.flatMap((place) => valuesOf(name, place)).join("\n")}
  esac
  if [[ -n $value ]]; then
    :
  elif [[ $cur == -* ]]; then
    case "$at" in
${places.map(({ at, options }) => set(`"${at}"`, options.flatMap(spellings))).join("\n")}
    esac
  else
    case "$at" in
${places
  .filter(hasWords)
  .map((place) => set(`"${place.at}"`, wordsOf(place)))
  .join("\n")}
${places.flatMap((place) => listOf(name, place)).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name} ${name}
`;
}

/** Returns the case of a place whose words the daemon lists. */
function listOf(name: string, { at, list }: Place): string[] {
  return list === undefined ? [] : [`      "${at}") ${listed(name, list)} ;;`];
}

/** Returns the assignment of words that the daemon lists, one a line, with its description after a tab. */
function listed(name: string, list: string): string {
  return `IFS=$'\\n' words=$(${name} ${LIST_COMMAND} ${list} "$cur" 2>/dev/null | cut -f1)`;
}

/** Returns the pattern for a place in the script's loop: the commands so far, a space, and the next command. */
function inPattern({ at }: Place): string {
  return at.includes(" ") ? `"${at}"` : `" ${at}"`;
}

/** Returns the cases of the options of a place that take a value. */
function valuesOf(name: string, { at, options }: Place): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const pattern = spellings(option)
        .map((flag) => `"${at} ${flag}"`)
        .join(" | ");
      const { choices, list } = option;
      const words = list === undefined ? `words="${choices.join(" ")}"` : listed(name, list);
      return `      ${pattern}) value=1; ${words} ;;`;
    });
}

function set(pattern: string, words: readonly string[]): string {
  return `      ${pattern}) words="${words.join(" ")}" ;;`;
}

function spellings({ short, long }: Place["options"][number]): string[] {
  return short === undefined ? [long] : [short, long];
}

function hasWords(place: Place): boolean {
  return wordsOf(place).length > 0;
}

function wordsOf({ commands, choices }: Place): string[] {
  return [...commands.map(({ name }) => name), ...choices];
}
