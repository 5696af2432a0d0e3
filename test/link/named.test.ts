import { expect, test } from "vitest";
import { namedMachine } from "../../src/link/members/named.ts";
import type { Certified } from "../../src/link/members/records.ts";

const machine = (id: string, name: string) => ({ machine: id, name }) as Certified;
const SELF = machine("m_self", "vm");
const one = machine("m_one", "vm");
const two = machine("m_two", "vm");
const laptop = machine("m_laptop", "laptop");

test("[MA239] the machine to remove is another one with this id, or else the only other one with this name", () => {
  const named = (text: string) => namedMachine([SELF, one, laptop], "m_self", text);
  expect(["vm", "m_one", "laptop"].map(named)).toEqual([one, one, laptop]);
  expect(["m_self", "nobody"].map(named)).toMatchObject([{ code: "NOT_FOUND" }, { code: "NOT_FOUND" }]);
});

test("[MA239] a name of several other machines removes none of them: the refusal lists their ids", () => {
  expect(namedMachine([one, SELF, two], "m_self", "vm")).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "2 other machines have the name vm",
    suggestion: "Give the id of one of them: m_one, m_two.",
  });
});
