import { Command } from "commander";
import { expect, test } from "vitest";
import { addCommands } from "../../src/cli/commands.ts";
import { completionsAt } from "../../src/cli/completion/places.ts";

async function program(): Promise<Command> {
  const all = new Command("spliced");
  await addCommands(all, []);
  return all;
}

/** Returns the names of every command, each with those of its group before it. */
function namesIn(command: Command, at = ""): string[] {
  return command.commands.flatMap((each) =>
    [each.name(), ...each.aliases()].flatMap((name) => [`${at}${name}`, ...namesIn(each, `${at}${name} `)]),
  );
}

test("[TM89] a command that lists or removes has both names, wherever it is", async () => {
  const names = namesIn(await program());
  for (const group of ["", "lane ", "token ", "checkpoint "])
    expect(names).toEqual(expect.arrayContaining([`${group}ls`, `${group}list`]));
  for (const group of ["", "lane ", "token "])
    expect(names).toEqual(expect.arrayContaining([`${group}rm`, `${group}remove`]));
  expect(names).toEqual(expect.arrayContaining(["token revoke", "lane revoke"]));
});

test("[TM89] shells complete both names, and the arguments after either", async () => {
  const places = completionsAt(await program());
  const at = (name: string) => places.find((place) => place.at === name);
  const words = at("lane")?.commands.map(({ name }) => name);
  expect(words).toEqual(expect.arrayContaining(["ls", "list", "rm", "remove"]));
  expect([at("lane rm")?.list, at("lane remove")?.list]).toEqual(["lanes", "lanes"]);
  expect(at("remove")).toMatchObject({ list: "documents", options: at("rm")?.options });
});
