import { describe, expect, test } from "vitest";
import { Code, readConfigData } from "../../src/daemon/config/config-data.ts";

const IMPORT = 'import { defineConfig, PROTECTED } from "spliced";\n';
const read = (source: string) => readConfigData(source, { PROTECTED: ["a", "b"] });

describe("a configuration of plain settings", () => {
  test("[SF20] is read without being run", () => {
    const settings = `{ port: 8_000, "host": 'h', on: true, none: null, less: -1, text: \`t\`, list: [...PROTECTED, "c"] }`;
    const expected = {
      port: 8000,
      host: "h",
      on: true,
      none: null,
      less: -1,
      text: "t",
      list: ["a", "b", "c"],
    };
    expect(read(`${IMPORT}export default defineConfig(${settings});`)).toEqual(expected);
    expect(read("export default { limits: { maxFileBytes: 1 } }")).toEqual({ limits: { maxFileBytes: 1 } });
  });

  test("[SF20] sets no prototype", () => {
    const read = readConfigData('export default { "__proto__": { port: 1 } }', {}) as object;
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.hasOwn(read, "__proto__")).toBe(true);
  });
});

describe("code", () => {
  test.each([
    ["a statement", "console.log(1);\nexport default {};"],
    ["another import", 'import fs from "node:fs";\nexport default {};'],
    ["a side-effect import", 'import "./x.mjs";\nexport default {};'],
    ["a namespace import", 'import * as s from "spliced";\nexport default {};'],
    ["a call", "export default { port: Number(1) };"],
    ["a call in a call", `${IMPORT}export default defineConfig(defineConfig({}));`],
    ["another function of the name", "export default defineConfig({});"],
    ["a function", "export default () => ({});"],
    ["a getter", "export default { get port() { return 1; } };"],
    ["a computed key", 'export default { ["port"]: 1 };'],
    ["a template with a value", "export default { host: `$" + "{1}` };"],
    ["a name", "export default { host: process };"],
    ["a name of Object", "export default { host: constructor };"],
    ["a regex", "export default { ignore: [/a/] };"],
    ["a spread of no list", 'export default { ignore: [..."ab"] };'],
    ["an operator", "export default { port: 1 + 1 };"],
    ["a type", "export default { port: 1 as number };"],
    ["no export", "const a = 1;"],
    ["a named export beside", "export const a = 1;\nexport default {};"],
    ["what is no program", "export default {{;"],
  ])("[SF20] is told from settings: %s", (_, source) => {
    expect(read(source)).toBeInstanceOf(Code);
  });

  test.each([
    ["export default {\n  port: 8000\n  ignore: [],\n};", "line 3: Unexpected token"],
    ["export default {\n  port: 8000,\n  host: process.env.HOST,\n};", "line 3 is no plain setting"],
    ['import fs from "node:fs";\nexport default {};', "line 1 is no plain setting"],
    ["", "it exports no settings"],
  ])("[SF23] is told by its first line that is no plain setting: %j", (source, because) => {
    expect(read(source)).toMatchObject({ because });
  });
});
