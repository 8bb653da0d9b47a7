import type { Arguments, Command } from "./command.ts";
import { UsageError } from "./exit-code.ts";
import { nearestWord } from "./nearest-word.ts";
import type { Option, Options } from "./option.ts";

/**
 * Reads a command's arguments: `--name value`, `--name=value`, flags, and at most one word; after `--` everything is a
 * word. An option that is given twice counts the second time.
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

/** A walk over the arguments. */
class Reading {
  readonly words: string[] = [];
  readonly values = new Map<string, unknown>();
  readonly problems: string[] = [];
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  readAll(argv: readonly string[]): void {
    for (let at = 0; at < argv.length; at += 1) {
      const token = argv[at]!;
      if (token === "--") {
        this.words.push(...argv.slice(at + 1));
        return;
      }
      if (!token.startsWith("-") || token === "-") this.words.push(token);
      else if (this.#readOption(token, argv[at + 1])) at += 1;
    }
  }

  /** Answers whether the next argument was taken as the option's value. */
  #readOption(token: string, next: string | undefined): boolean {
    const equals = token.indexOf("=");
    const shown = equals === -1 ? token : token.slice(0, equals);
    const inline = equals === -1 ? undefined : token.slice(equals + 1);
    const name = shown.slice(2);
    const option = this.#find(shown);
    if (option === undefined) return false;
    if (option.value === undefined) {
      if (inline === undefined) this.values.set(name, option.read(""));
      else this.problems.push(`${shown} takes no value`);
      return false;
    }
    if (inline !== undefined) {
      this.#keep(shown, option, inline);
      return false;
    }
    if (next === undefined || next.startsWith("--")) {
      this.problems.push(`${shown} needs a value: ${shown} ${option.value}`);
      return false;
    }
    this.#keep(shown, option, next);
    return true;
  }

  #find(shown: string): Option<unknown> | undefined {
    const name = shown.slice(2);
    if (shown.startsWith("--") && Object.hasOwn(this.#options, name)) return this.#options[name];
    const near = nearestWord(shown.replace(/^-+/, ""), Object.keys(this.#options));
    this.problems.push(`unknown option '${shown}'${near === undefined ? "" : `; did you mean --${near}?`}`);
    return undefined;
  }

  #keep(shown: string, option: Option<unknown>, given: string): void {
    try {
      this.values.set(shown.slice(2), option.read(given));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.problems.push(...error.problems.map((problem) => `${shown} ${problem}`));
    }
  }
}
