import { parseArgs } from "node:util";
import { visibleText } from "@basis/core";
import { didYouMean } from "../node/nearest-name.ts";
import type { Arguments, Command, OptionSpec } from "./command.ts";
import { UsageError } from "./exit-code.ts";

/**
 * Reads a command's arguments: `--name value`, `--name=value`, flags and words; after `--` everything is a word.
 *
 * @throws UsageError with every problem there is.
 */
export function readArguments(argv: readonly string[], command: Command): Arguments {
  const reading = new Reading(command.options);
  reading.readAll(argv);
  const { words, values } = reading;
  const { shown = "", about = "", least = 0, most = 0 } = command.words ?? {};
  const problems = [...reading.problems];
  if (words.length < least) problems.push(`${shown} is missing: ${about}`);
  if (words.length > most) problems.push(`unexpected argument '${visibleText(words[most]!)}'`);
  if (problems.length > 0) throw new UsageError([...problems, `see: basis-hooks ${command.name} --help`]);
  return { words, has: (name) => values.has(name), text: (name) => values.get(name) };
}

/** True when help is asked for, before a `--`. */
export function asksForHelp(argv: readonly string[]): boolean {
  return asksFor(argv, "--help") || asksFor(argv, "-h");
}

/** True when a flag stands among the arguments, before a `--`. */
export function asksFor(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes(flag);
}

/** A whole number of at least `least`. @throws UsageError. */
export function readCount(name: string, text: string, least: number): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least) return count;
  throw new UsageError([`--${name} takes a whole number of at least ${least}, not '${visibleText(text)}'`]);
}

type Token = NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number];

/** What the platform's parser found, judged by the command's own options. */
class Reading {
  readonly words: string[] = [];
  readonly values = new Map<string, string>();
  readonly problems: string[] = [];
  readonly #options: ReadonlyMap<string, OptionSpec>;

  constructor(options: Readonly<Record<string, OptionSpec>>) {
    this.#options = new Map(Object.entries(options));
  }

  readAll(argv: readonly string[]): void {
    const options = Object.fromEntries(
      [...this.#options].map(([name, { value }]) => [
        name,
        { type: value === undefined ? ("boolean" as const) : ("string" as const) },
      ]),
    );
    const { tokens } = parseArgs({
      args: [...argv],
      options,
      strict: false,
      allowPositionals: true,
      tokens: true,
    });
    for (const token of tokens) {
      if (token.kind === "positional") this.words.push(token.value);
      else if (token.kind === "option") this.#readOption(token);
    }
  }

  #readOption({ name, rawName, value, inlineValue }: Token & { kind: "option" }): void {
    const option = rawName.startsWith("--") ? this.#options.get(name) : undefined;
    const shown = visibleText(rawName, { maxChars: 80 });
    if (option === undefined) {
      const known = [...this.#options.keys()].map((each) => `--${each}`);
      this.problems.push(`unknown option '${shown}'${didYouMean(rawName, known)}`);
    } else if (option.value === undefined) {
      if (value === undefined) this.values.set(name, "");
      else this.problems.push(`${shown} takes no value`);
    } else if (value === undefined || value === "" || (!inlineValue && value.startsWith("--"))) {
      this.problems.push(`${shown} needs a value: ${shown} ${option.value}`);
    } else this.values.set(name, value);
  }
}
