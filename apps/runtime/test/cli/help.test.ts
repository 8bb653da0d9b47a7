import { describe, expect, it } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { isGroup, type Command, type CommandGroup } from "../../src/cli/arguments/command.ts";
import { parseArguments } from "../../src/cli/arguments/parse-arguments.ts";
import { renderHelp } from "../../src/cli/arguments/render-help.ts";

const loaded = await Promise.all(
  [...commandTable].map(async ([name, { load }]) => [name, await load()] as const),
);
const commandsOf = (entry: Command | CommandGroup): readonly Command[] =>
  isGroup(entry) ? Object.values(entry.commands) : [entry];
const every = loaded.flatMap(([, entry]) => commandsOf(entry));
const byName = new Map(every.map((command) => [command.name, command]));

/** The words behind `basis` of each command line in a text. */
function linesOf(text: string): readonly (readonly string[])[] {
  return text
    .split(/\s*(?:\||&&|;|<\(|> )\s*/)
    .map((line) => (line.match(/"[^"]*"|'[^']*'|[^\s)]+/g) ?? []).filter((word) => !/^[A-Z_]+=/.test(word)))
    .filter(([program]) => program === "basis")
    .map(([, ...words]) => words.map((word) => word.replaceAll(/["']/g, "")));
}

describe.each(every.map((command) => [command.name, command] as const))(
  "the help of %s",
  (_name, command) => {
    it("fits 100 columns, names each option with what it is for, and has an example that works", () => {
      const help = renderHelp(command);
      expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
      for (const [option, { about }] of Object.entries(command.options)) {
        expect(help).toContain(`--${option}`);
        expect(about.length).toBeGreaterThan(6);
      }
      expect(command.about).toMatch(/^[A-Z].*\.$/);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const [line] of command.examples) {
        const examples = linesOf(line);
        expect(examples.length).toBeGreaterThan(0);
        for (const words of examples) parseExample(words);
      }
    });
  },
);

/** Reads an example as the command line would. */
function parseExample(words: readonly string[]): void {
  const found = [words.slice(0, 2).join(" "), words[0] ?? "", "run"].find((each) => byName.has(each))!;
  const rest = words.slice(found === "run" && words[0] !== "run" ? 0 : found.split(" ").length);
  // What stands for something, as `…`, is taken for a word.
  expect(
    parseArguments(
      rest.map((word) => word.replaceAll(/[…<>]/g, "x")),
      byName.get(found)!,
    ),
  ).toHaveProperty("options");
}

describe("every command", () => {
  it("is told in one line of the overview, within its width", () => {
    for (const [name, { about }] of commandTable) {
      expect(about).toMatch(/^[a-z]/);
      expect(about.length + name.length).toBeLessThanOrEqual(90);
    }
  });
});
