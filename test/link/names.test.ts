import { describe, expect, test } from "vitest";
import { type Named, Names } from "../../src/link/state/names.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { Seeded } from "../helpers/seeded.ts";

const PATHS = ["a.md", "A.md", "a (bob).md", "a (cem).md", "café.md", "cafe\u0301.md", "b.md"];
const MACHINES = ["ada", "bob", "cem"];

function placesOf(names: Names): string[] {
  return [...{ [Symbol.iterator]: () => names[Symbol.iterator]() }]
    .map(({ id }) => `${id} ${names.placeOf(id)}`)
    .sort();
}

function named(random: Seeded, id: string, lamport: number): Named {
  const machine = random.pick(MACHINES);
  const path = random.pick(PATHS) as DocPath;
  return {
    id,
    born: { lamport, machine },
    name: { path, isDeleted: random.chance(0.2), stamp: { lamport, machine } },
  };
}

describe("the places of documents", () => {
  test("[MA8, M8] follow from the names in any order, and no two are alike", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Seeded(seed);
      const documents = Array.from({ length: 7 }, (_, i) => named(random, `doc_00000${i}abcde${i}`, i + 1));
      const [a, b] = [new Names((machine) => machine), new Names((machine) => machine)];
      for (const document of documents) a.set(document);
      for (const document of documents.toReversed()) b.set(document);
      expect(placesOf(a)).toEqual(placesOf(b));
      const places = placesOf(a).map((place) => place.slice(place.indexOf(" ") + 1));
      const real = places
        .filter((place) => place !== "undefined")
        .map((place) => place.normalize().toLowerCase());
      expect(new Set(real).size).toBe(real.length);
    }
  });

  test("[MA9] that change with a name are named, also those beside an older document", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Seeded(seed);
      const names = new Names((machine) => machine);
      const before = new Map<string, DocPath | undefined>();
      for (let step = 1; step <= 12; step++) {
        const affected = names.set(named(random, `doc_00000${random.int(5)}abcdef`, step));
        for (const { id } of { [Symbol.iterator]: () => names[Symbol.iterator]() }) {
          if (before.get(id) !== names.placeOf(id)) expect(affected).toContain(id);
          before.set(id, names.placeOf(id));
        }
      }
    }
  });
});
