import type { Command } from "./command.ts";
import { EXIT_CODES } from "./exit-code.ts";
import { definitions, inset, wrap } from "./layout.ts";

/** The help of one command. Plain text, at most 80 columns. */
export function renderHelp(command: Command): string {
  const { name, about, more, words, options, examples } = command;
  const shownWords = words === undefined ? undefined : words.least > 0 ? words.shown : `[${words.shown}]`;
  const usage = ["basis-hooks", name, shownWords, "[OPTIONS]"].filter((part) => part !== undefined);
  const rows = [
    ...(words === undefined ? [] : [[words.shown, words.about] as const]),
    ...Object.entries(options).map(
      ([option, { value, about: says }]) =>
        [value === undefined ? `--${option}` : `--${option} ${value}`, says] as const,
    ),
  ];
  return sections([
    wrap(sentence(about)),
    `  ${usage.join(" ")}`,
    ...more.map((paragraph) => wrap(paragraph)),
    definitions(rows),
    ["Examples", ...examples.map(([line, does]) => `  ${line}\n${inset(does, 4)}`)].join("\n"),
  ]);
}

/** The help of all commands. */
export function renderOverview(
  commands: readonly { readonly name: string; readonly about: string }[],
): string {
  return sections([
    wrap("basis-hooks shows, checks, tries and trusts the hooks of a workspace."),
    definitions(commands.map(({ name, about }) => [`basis-hooks ${name}`, about])),
    "  basis-hooks COMMAND --help, basis-hooks --version",
    wrap(
      "Hooks are the operator's hooks.json and the workspace's .basis/hooks.json. A workspace's hooks are " +
        "programs of a repository: what runs them refuses until you trust them (basis-hooks trust).",
    ),
    `Exit codes\n${definitions(EXIT_CODES.map(([code, says]) => [String(code), says]))}`,
  ]);
}

function sections(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
