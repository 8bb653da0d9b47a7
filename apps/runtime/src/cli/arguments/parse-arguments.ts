import { parseArgs } from "node:util";
import type { Arguments, Command } from "./command.ts";
import { UsageError } from "../terminal/exit-code.ts";
import { nearestWord } from "../../input/nearest-word.ts";
import type { Option, Options } from "./option.ts";

/**
 * Reads a command's arguments: `--name value`, `--name=value`, flags, and at most one word; after `--` everything is a word. An option that is given twice counts the second time, unless it
 * takes many.
 *
 * @throws UsageError with every problem there is.
 */
export function parseArguments(argv: readonly string[], command: Command): Arguments<Options> {
  const reading = new Reading(command.options);
  reading.readAll(argv);
  const [word, ...extra] = reading.words;
  const { problems } = reading;
  if (command.word === undefined && word !== undefined) problems.push(`unexpected argument '${word}'`);
  else if (extra.length > 0)
    problems.push(`unexpected argument '${extra[0]}'; quote a text of several words`);
  if (command.word?.required && word === undefined)
    problems.push(`${command.word.name} is missing: ${command.word.about}`);
  if (problems.length > 0) throw new UsageError([...problems, `see: basis ${command.name} --help`]);
  return { word, options: Object.fromEntries(reading.values) };
}

/** True when help is asked for, before a `--`. */
export function asksForHelp(argv: readonly string[]): boolean {
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  return own.includes("--help") || own.includes("-h");
}

type Token = NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number];

/** What the platform's parser found, judged by the command's own options. */
class Reading {
  readonly words: string[] = [];
  readonly values = new Map<string, unknown>();
  readonly problems: string[] = [];
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  readAll(argv: readonly string[]): void {
    const options = Object.fromEntries(
      Object.entries(this.#options).map(([name, { value }]) => [
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

  #readOption({ name, rawName: shown, value, inlineValue }: Token & { kind: "option" }): void {
    const option =
      shown.startsWith("--") && Object.hasOwn(this.#options, name) ? this.#options[name] : undefined;
    if (option === undefined) {
      const near = nearestWord(name, Object.keys(this.#options));
      this.problems.push(`unknown option '${shown}'${near === undefined ? "" : `; did you mean --${near}?`}`);
    } else if (option.value === undefined) {
      if (value === undefined) this.values.set(name, option.read(""));
      else this.problems.push(`${shown} takes no value`);
    } else if (value === undefined || (!inlineValue && value.startsWith("--"))) {
      this.problems.push(`${shown} needs a value: ${shown} ${option.value}`);
    } else this.#keep(shown, option, value);
  }

  #keep(shown: string, option: Option<unknown>, given: string): void {
    try {
      const name = shown.slice(2);
      const value = option.read(given);
      const before = option.many === true ? (this.values.get(name) as unknown[] | undefined) : undefined;
      this.values.set(name, before === undefined ? value : [...before, ...(value as unknown[])]);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.problems.push(...error.problems.map((problem) => `${shown} ${problem}`));
    }
  }
}
