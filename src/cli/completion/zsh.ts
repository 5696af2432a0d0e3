import { LIST_COMMAND } from "./lists.ts";
import type { Place } from "./places.ts";

/** Returns a script for zsh. Arguments without a fixed choice are completed as files. */
export function zshCompletion(name: string, places: readonly Place[]): string {
  return `#compdef ${name}
# Completes ${name} in zsh. Load it after compinit with: source <(${name} completion zsh)
_${name}() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} at= word
  local -a described
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${places
        .slice(1)
        .map(({ at }) => quoted(at.includes(" ") ? at : ` ${at}`))
        .join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at $prev" in
${places.flatMap((place) => valuesOf(name, place)).join("\n")}
  esac
  case "$at" in
${places.map((place) => placeCase(name, place)).join("\n")}
  esac
  if (( $#described )); then
    _describe ${name} described
  else
    _files
  fi
}
compdef _${name} ${name}
`;
}

/** Returns the cases of the options of a place that take a value. */
function valuesOf(name: string, { at, options }: Place): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ short, long, choices, list }) => {
      const flags = short === undefined ? [long] : [short, long];
      const pattern = flags.map((flag) => quoted(`${at} ${flag}`)).join("|");
      if (list !== undefined)
        return `    ${pattern}) ${listed(name, list)}; _describe ${name} described; return ;;`;
      return `    ${pattern}) ${choices.length > 0 ? `compadd -- ${choices.join(" ")}` : "_files"}; return ;;`;
    });
}

function placeCase(name: string, { at, commands, options, choices, list }: Place): string {
  const flags = options.flatMap(({ short, long, description }) =>
    [short, long].flatMap((flag) => (flag === undefined ? [] : described(flag, description))),
  );
  const words = [...commands.map((each) => described(each.name, each.description)), ...choices.map(quoted)];
  return `    ${quoted(at)})
      if [[ $cur == -* ]]; then
        described=(${flags.join(" ")})
      else
        ${list === undefined ? `described=(${words.join(" ")})` : listed(name, list)}
      fi ;;`;
}

/** Returns the assignment of words that the daemon lists, one a line, with its description after a tab. */
function listed(name: string, list: string): string {
  const lines = `\${(f)"$(${name} ${LIST_COMMAND} ${list} "$cur" 2>/dev/null)"}`;
  return `described=(\${\${${lines}//:/\\\\:}/$'\\t'/:})`;
}

function described(word: string, description: string): string {
  return quoted(`${word}:${description}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
