export interface ParsedSample {
  readonly suffix: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly type: string;
  readonly help: string;
  readonly samples: ParsedSample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|(?=\}))/;
const TYPES = ["counter", "gauge", "histogram", "summary", "untyped"];
const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ["_bucket", "_sum", "_count"] };

/** Parses Prometheus' text format by its specification. @throws Error naming the line */
export function parseExposition(text: string): Map<string, ParsedFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, ParsedFamily>();
  let family: ParsedFamily | undefined;
  let name = "";
  let help: string | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    if (line.startsWith("# HELP ")) {
      name = NAME.exec(line.slice(7))?.[0] ?? fail("no name");
      if (families.has(name)) fail("a family comes twice");
      help = plain(line.slice(8 + name.length), /\\([\\n])/g);
    } else if (line.startsWith("# TYPE ")) {
      const [typed, type = ""] = line.slice(7).split(" ");
      if (typed !== name || help === undefined || !TYPES.includes(type))
        fail("TYPE does not follow its HELP");
      family = { type, help: help!, samples: [] };
      families.set(name, family);
      help = undefined;
    } else {
      const sample = parseSample(line, name, fail);
      if (family === undefined || help !== undefined) fail("a sample before its TYPE");
      if (!(SUFFIXES[family!.type] ?? [""]).includes(sample.suffix)) fail("a sample of another family");
      const key = JSON.stringify([sample.suffix, sample.labels]);
      if (family!.samples.some((s) => JSON.stringify([s.suffix, s.labels]) === key))
        fail("a sample comes twice");
      family!.samples.push(sample);
    }
  }
  return families;
}

function parseSample(line: string, family: string, fail: (why: string) => never): ParsedSample {
  const name = NAME.exec(line)?.[0] ?? fail("no name");
  if (!name.startsWith(family)) fail("a sample of another family");
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith("{")) {
    rest = rest.slice(1);
    while (!rest.startsWith("}")) {
      const match = LABEL.exec(rest) ?? fail("a label is malformed");
      labels[match[1]!] = plain(match[2]!, /\\([\\"n])/g);
      rest = rest.slice(match[0].length);
    }
    rest = rest.slice(1);
  }
  if (!/^ (NaN|[+-]?Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(rest)) fail("no value");
  return { suffix: name.slice(family.length), labels, value: Number(rest) };
}

function plain(text: string, escapes: RegExp): string {
  return text.replace(escapes, (_all, character: string) => (character === "n" ? "\n" : character));
}
