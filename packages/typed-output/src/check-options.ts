import type { OutputOptions } from "./output-options.ts";

/** What an option is, in words, and whether a value is that. */
type Rule = readonly [what: string, fits: (value: unknown) => boolean];

const oneOf = (...words: readonly string[]): Rule => [
  `one of ${words.join(", ")}`,
  (value) => words.includes(value as string),
];
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const callable: Rule = ["a function", (value) => typeof value === "function"];

/** The options whose misspelling would pass for the default, or fail far from here. */
const rules: { readonly [Name in keyof OutputOptions]?: Rule } = {
  siblings: oneOf("skip", "run", "veto"),
  loss: oneOf("allow", "refuse"),
  history: oneOf("whole", "minimal"),
  closing: ['"none" or an object', (value) => value === "none" || isObject(value)],
  redact: ["true or false", (value) => typeof value === "boolean"],
  signal: ["an AbortSignal", isSignal],
  clock: ["a Clock, with now, monotonicMs and alarm", has("now", "monotonicMs", "alarm")],
  memory: ["a LadderMemory, with refused and remember", has("refused", "remember")],
  bounds: ["an object", isObject],
  graceMs: ["a number of milliseconds", (value) => typeof value === "number" && value >= 0],
  validate: callable,
  onAttempt: callable,
};

function has(...methods: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    methods.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === "function");
}

/** True for what can be listened to as a signal is. */
export function isSignal(value: unknown): value is AbortSignal {
  return (
    has("addEventListener", "removeEventListener")(value) &&
    typeof (value as AbortSignal).aborted === "boolean"
  );
}

/** Refuses options that mean nothing, for callers without types. @throws TypeError naming the option. */
export function checkOptions(options: OutputOptions): void {
  if (!isObject(options)) throw new TypeError(`the options are an object, not ${said(options)}`);
  for (const [name, [what, fits]] of Object.entries(rules)) {
    const value = options[name as keyof OutputOptions];
    if (value !== undefined && !fits(value)) throw new TypeError(`${name} is ${what}, not ${said(value)}`);
  }
}

/** A value in a message: never more than a few words of it. */
function said(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  return isObject(value) ? "an object" : String(value);
}
