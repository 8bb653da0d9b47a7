import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { benchCommand } from "../../src/cli/bench-command.ts";
import type { Command } from "../../src/cli/command.ts";
import { EXIT_CODES } from "../../src/cli/exit-code.ts";
import { explainCommand } from "../../src/cli/explain-command.ts";
import { lintCommand } from "../../src/cli/lint-command.ts";
import { listCommand } from "../../src/cli/list-command.ts";
import { testCommand } from "../../src/cli/test-command.ts";
import { trustCommand } from "../../src/cli/trust-command.ts";

const guide = readFileSync(new URL("../../COMMANDS.md", import.meta.url), "utf8");
const commands: readonly Command[] = [
  listCommand,
  lintCommand,
  explainCommand,
  testCommand,
  trustCommand,
  benchCommand,
];

describe("COMMANDS.md", () => {
  it.each(commands.map((command) => [command.name, command] as const))(
    "names %s and its options",
    (name, command) => {
      expect(guide).toMatch(new RegExp(`^\\| \`${name}[ \`]`, "m"));
      for (const option of Object.keys(command.options)) expect(guide).toContain(`--${option}`);
    },
  );

  it("names every exit code, and no option that there is not", () => {
    for (const [code] of EXIT_CODES) expect(guide).toMatch(new RegExp(`^\\| ${code} \\|`, "m"));
    const options = new Set([
      ...commands.flatMap((command) => Object.keys(command.options)),
      "help",
      "offline",
      "force",
    ]);
    for (const [, name] of guide.matchAll(/--([a-z][a-z-]*)/g)) expect(options).toContain(name);
  });
});
