import type * as Acorn from "acorn";
import type { AnyNode, Expression, Node, SpreadElement } from "acorn";
import { lazily } from "../../lazily.ts";

const acorn = lazily<typeof Acorn>("acorn");

/** Values that a configuration may import from "spliced". */
export type Imports = Readonly<Record<string, unknown>>;

/** Returned for a configuration that is more than data: its settings are known only after it runs. */
export class Code {
  /** The first place that is no data, for a person. */
  readonly because: string;

  constructor(because: string) {
    this.because = because;
  }
}

/** Thrown inside, where a node is no data. */
class IsCode extends Error {
  readonly at: number;

  constructor({ start }: { readonly start: number }) {
    super();
    this.at = start;
  }
}

/**
 * Reads a configuration without running it: `export default` of an object of literals, in `defineConfig(…)` or bare.
 * Returns `Code` for everything else. Lists may spread their imports from "spliced".
 */
export function readConfigData(source: string, imports: Imports): unknown {
  try {
    const { body } = acorn().parse(source, { ecmaVersion: "latest", sourceType: "module" });
    const names = new Map<string, string>();
    let found: unknown = new Code("it exports no settings");
    for (const node of body)
      if (node.type === "ImportDeclaration" && node.source.value === "spliced")
        for (const specifier of node.specifiers) {
          if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier")
            throw new IsCode(specifier);
          names.set(specifier.local.name, specifier.imported.name);
        }
      else if (node.type === "ExportDefaultDeclaration") found = settingsOf(node.declaration, names, imports);
      else throw new IsCode(node);
    return found;
  } catch (error) {
    if (error instanceof IsCode) return new Code(`line ${lineAt(source, error.at)} is no plain setting`);
    if (!(error instanceof SyntaxError)) throw error;
    // The message ends with the line and the column.
    const { pos } = error as SyntaxError & { readonly pos: number };
    return new Code(`line ${lineAt(source, pos)}: ${error.message.replace(/ \(\d+:\d+\)$/, "")}`);
  }
}

function lineAt(source: string, at: number): number {
  return source.slice(0, at).split("\n").length;
}

function settingsOf(node: AnyNode, names: ReadonlyMap<string, string>, imports: Imports): unknown {
  if (node.type !== "CallExpression") return literalOf(node, names, imports);
  const { callee, arguments: args } = node;
  const [settings] = args;
  const defines = callee.type === "Identifier" && names.get(callee.name) === "defineConfig";
  if (!defines || settings === undefined || args.length > 1) throw new IsCode(node);
  return literalOf(settings, names, imports);
}

function literalOf(node: Node, names: ReadonlyMap<string, string>, imports: Imports): unknown {
  const one = node as Expression | SpreadElement;
  const of = (inner: Node) => literalOf(inner, names, imports);
  switch (one.type) {
    case "Literal":
      if (one.regex !== undefined || one.bigint !== undefined) throw new IsCode(one);
      return one.value;
    case "TemplateLiteral":
      if (one.expressions.length > 0) throw new IsCode(one);
      return one.quasis[0]!.value.cooked;
    case "UnaryExpression":
      if (one.operator !== "-" || one.argument.type !== "Literal") throw new IsCode(one);
      return -Number(one.argument.value);
    case "Identifier": {
      const name = names.get(one.name);
      if (name === undefined || !Object.hasOwn(imports, name)) throw new IsCode(one);
      return imports[name];
    }
    case "ArrayExpression":
      return one.elements.flatMap((element) => {
        if (element === null) throw new IsCode(one);
        if (element.type !== "SpreadElement") return [of(element)];
        const spread = of(element.argument);
        if (!Array.isArray(spread)) throw new IsCode(element);
        return spread as unknown[];
      });
    case "ObjectExpression":
      return Object.fromEntries(
        one.properties.map((property) => {
          if (property.type !== "Property" || property.kind !== "init") throw new IsCode(property);
          const { key, computed, method } = property;
          if (computed || method || (key.type !== "Identifier" && key.type !== "Literal"))
            throw new IsCode(property);
          return [key.type === "Identifier" ? key.name : String(key.value), of(property.value)];
        }),
      );
    default:
      throw new IsCode(one);
  }
}
