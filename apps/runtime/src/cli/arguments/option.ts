import { UsageError } from "../terminal/exit-code.ts";

/** An option of a command: what it is for, and how its text becomes a value. */
export interface Option<T> {
  readonly about: string;
  /** What the help shows in the value's place; absent for a flag, which takes none. */
  readonly value?: string;
  /** May be given several times: its values, which are lists, are joined. */
  readonly many?: true;
  /** Throws `UsageError` with what was expected, to be read after the option's name. */
  read(text: string): T;
}

/** The options of a command by name, without the dashes. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values that were given. */
export type OptionValues<O extends Options> = {
  readonly [Name in keyof O]?: O[Name] extends Option<infer T> ? T : never;
};

/** An option without a value. */
export function flag(about: string): Option<true> {
  return { about, read: () => true };
}

/** An option that takes any text but the empty one. */
export function text(value: string, about: string): Option<string> {
  return {
    about,
    value,
    read(given) {
      if (given.trim() === "") throw new UsageError(["needs a value that is not empty"]);
      return given;
    },
  };
}

/** An option that takes any text but the empty one, as often as it is given. */
export function texts(value: string, about: string): Option<readonly string[]> {
  const one = text(value, about);
  return { about, value, many: true, read: (given) => [one.read(given)] };
}

/** An option that takes one of a few words. */
export function choice<const T extends string>(words: readonly T[], about: string): Option<T> {
  return {
    about,
    value: words.join("|"),
    read(given) {
      const found = words.find((word) => word === given);
      if (found === undefined) throw new UsageError([`takes ${words.join(", ")}, not '${given}'`]);
      return found;
    },
  };
}

/** An option that takes a whole number of at least `least`. */
export function count(least: number, about: string): Option<number> {
  return {
    about,
    value: "N",
    read(given) {
      const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
      if (!Number.isSafeInteger(number) || number < least)
        throw new UsageError([`takes a whole number of at least ${least}, not '${given}'`]);
      return number;
    },
  };
}

const unitMs: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Longest time a timer can wait for. */
const MAX_MS = 2 ** 31 - 1;

/** An option that takes `500ms`, `90s`, `10m` or `1h`, as milliseconds. */
export function duration(about: string): Option<number> {
  return {
    about,
    value: "10m",
    read(given) {
      const found = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(given);
      const ms = found ? Math.round(Number(found[1]) * unitMs.get(found[2]!)!) : 0;
      if (ms <= 0 || ms > MAX_MS)
        throw new UsageError([`takes a duration such as 90s, 10m or 1h (at most 24 days), not '${given}'`]);
      return ms;
    },
  };
}
