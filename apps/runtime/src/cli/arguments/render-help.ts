import { isGroup, type Command, type CommandGroup } from "./command.ts";

const WIDTH = 96;
const INDENT = "  ";

/** The help of a command, or of the commands under one word. Plain text, at most 96 columns. */
export function renderHelp(entry: Command | CommandGroup): string {
  return isGroup(entry) ? renderGroup(entry) : renderCommand(entry);
}

function renderCommand(command: Command): string {
  const { name, about, more = [], word, options, examples } = command;
  const hasOptions = Object.keys(options).length > 0;
  const usage = ["basis", name, shownWord(word), hasOptions && "[OPTIONS]"].filter(Boolean).join(" ");
  const rows = [
    ...(word ? [[word.name, word.about] as const] : []),
    ...Object.entries(options).map(
      ([option, { value, about }]) => [value ? `--${option} ${value}` : `--${option}`, about] as const,
    ),
  ];
  return sections([
    wrap(about, 0),
    `${INDENT}${usage}`,
    ...more.map((paragraph) => wrap(paragraph, 0)),
    table(rows),
    examples.length > 0 && `Examples\n${exampleLines(examples)}`,
  ]);
}

function renderGroup({ name, about, commands }: CommandGroup): string {
  const rows = Object.values(commands).map(
    ({ name, word, about }) => [`basis ${name} ${shownWord(word)}`.trimEnd(), about] as const,
  );
  return sections([wrap(about, 0), table(rows), `See: basis ${name} COMMAND --help`]);
}

function shownWord(word: Command["word"]): string {
  if (word === undefined) return "";
  return word.required ? word.name : `[${word.name}]`;
}

/** Two columns; the right one is wrapped. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const left = Math.max(0, ...rows.map(([cell]) => cell.length)) + 2;
  return rows
    .map(([cell, about]) => `${INDENT}${cell.padEnd(left)}${wrap(about, INDENT.length + left)}`)
    .join("\n");
}

function exampleLines(examples: Command["examples"]): string {
  return examples.map(([line, does]) => `${INDENT}${line}\n${INDENT}${INDENT}${wrap(does, 4)}`).join("\n");
}

function sections(parts: readonly (string | false)[]): string {
  return `${parts.filter((part) => part !== false && part !== "").join("\n\n")}\n`;
}

/** Wraps a text that starts in some column; further lines start there too. */
function wrap(text: string, column: number): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && column + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${" ".repeat(column)}`);
}
