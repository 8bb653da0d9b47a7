import type { Random } from "./random.ts";

/** Changes a byte string (one character a byte) in one way. */
type Mutation = (text: string, random: Random, corpus: readonly string[]) => string;

const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** What is put into a text: each means something to some reader of JSON. */
const PIECES: readonly string[] = [
  '{}[],:"\\/0-+.eE \t\n\r\0'.split(""),
  ["\u000b", "\u000c", "\u00a0", "\u2028", "\ufeff", "\ufffd"].map(utf8),
  ["\xff", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xe2\x82", "\x80"],
  ["\\u0022", "\\ud800", "\\udc00", "\\u00", "\\x41", "\\", "\\/", "\\u0000"],
  ["'", "//", "/**/", "#", "```", "\u001b[0m", "allow", "log line\n"],
].flat();
const LITERALS: readonly string[] = [
  ["null", "true", "false", "0", "-0", "1", '""', "[]", "{}", '"allow"', '"deny"', '"modify"', '"replace"'],
  ["1e999", "-1e999", "01", "1.", ".5", "+1", "0x10", "NaN", "Infinity", "1e5", "9007199254740993", "1E+2"],
  ["tru", "nulll", "True", "undefined", "'x'", '"\\q"', '"\t"', '["allow"]', '{"decision":"allow"}'],
].flat();
const KEYS: readonly string[] = [
  ["decision", "reason", "input", "output", "is_error", "isError", "id", "hook_worker", "Decision", ""],
  ["__proto__", "constructor", "prototype", "toString", "toJSON", "decisio\\u006e", "\\u005f_proto__"],
].flat();
const PREFIXES: readonly string[] = ["\xef\xbb\xbf", "\xfe\xff", "log\n", " ", "\n\n", "\0"];
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+|\s+|"/gs;

const at = (text: string, random: Random): number => random.below(text.length + 1);
const tokensOf = (text: string): string[] => text.match(TOKEN) ?? [];
const isValue = (token: string): boolean => /^["\w+.-]/.test(token);

/** A place among the tokens for which something holds, or undefined. */
function place(
  tokens: readonly string[],
  random: Random,
  holds: (token: string) => boolean,
): number | undefined {
  const places = tokens.flatMap((token, index) => (holds(token) ? [index] : []));
  return places.length === 0 ? undefined : random.pick(places);
}

/** Rewrites one token of a kind; without one the text stays. */
function retoken(
  text: string,
  random: Random,
  change: { readonly of: (token: string) => boolean; readonly to: (token: string) => string },
): string {
  const tokens = tokensOf(text);
  const index = place(tokens, random, change.of);
  if (index === undefined) return text;
  tokens[index] = change.to(tokens[index] ?? "");
  return tokens.join("");
}

const pairOf = (random: Random): string => `"${random.pick(KEYS)}":${random.pick(LITERALS)}`;
const nestingOf = (random: Random, inner: string): string => {
  const levels = random.pick([1, 2, 60, 62, 63, 64, 65, 66, 70, 500]);
  return random.once(2)
    ? `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`
    : `${'{"a":'.repeat(levels)}${inner}${"}".repeat(levels)}`;
};

const BYTES: readonly Mutation[] = [
  (text, random) => {
    const index = random.below(Math.max(1, text.length));
    const byte = (text.charCodeAt(index) || 0) ^ (1 << random.below(8));
    return text.slice(0, index) + String.fromCharCode(byte & 0xff) + text.slice(index + 1);
  },
  (text, random) => {
    const index = at(text, random);
    return text.slice(0, index) + random.pick(PIECES) + text.slice(index);
  },
  (text, random) => text.slice(0, at(text, random)),
  (text, random) => {
    const index = at(text, random);
    return text.slice(0, index) + text.slice(index + 1 + random.below(8));
  },
  (text, random) => {
    const index = at(text, random);
    const copied = text.slice(index, index + 1 + random.below(20));
    return text.slice(0, index) + copied + text.slice(index);
  },
  (text, random, corpus) => {
    const other = random.pick(corpus);
    return text.slice(0, at(text, random)) + other.slice(at(other, random));
  },
  (text, random, corpus) => `${text}${random.pick(["", " ", "\n", "\0", ","])}${random.pick(corpus)}`,
  (text, random) => random.pick(PREFIXES) + text,
];

const TOKENS: readonly Mutation[] = [
  (text, random) => retoken(text, random, { of: isValue, to: () => random.pick(LITERALS) }),
  (text, random) => retoken(text, random, { of: isValue, to: (token) => nestingOf(random, token) }),
  (text, random) => retoken(text, random, { of: () => true, to: () => "" }),
  (text, random) => retoken(text, random, { of: () => true, to: (token) => token + token }),
  (text, random) => retoken(text, random, { of: (token) => token === "{", to: () => `{${pairOf(random)},` }),
  (text, random) =>
    retoken(text, random, {
      of: (token) => token === "{",
      to: () => `{"${random.below(1e6)}":${random.pick(LITERALS)},`,
    }),
  (text, random) => retoken(text, random, { of: (token) => token === ",", to: () => `,${pairOf(random)},` }),
  (text, random) =>
    retoken(text, random, { of: (token) => token.startsWith('"'), to: () => `"${random.pick(KEYS)}"` }),
  (text, random) =>
    retoken(text, random, {
      of: (token) => token.length > 2 && token.startsWith('"'),
      to: escapeOne(random),
    }),
  (text, random) =>
    retoken(text, random, {
      of: () => true,
      to: (token) => token + random.pick([" ", "\t", "\r\n", "  ", "\x0b", "\xc2\xa0"]),
    }),
  (text, random) =>
    retoken(text, random, { of: (token) => /[a-z]/i.test(token), to: (token) => token.toUpperCase() }),
];

/** Spells one character of a text as an escape, which means the same. */
function escapeOne(random: Random): (token: string) => string {
  return (token) => {
    const index = 1 + random.below(token.length - 2);
    const code = token.charCodeAt(index);
    if (code >= 0x80 || token[index] === "\\" || token[index - 1] === "\\") return token;
    return `${token.slice(0, index)}\\u${code.toString(16).padStart(4, "0")}${token.slice(index + 1)}`;
  };
}

/** One text of the corpus after one to four changes, as bytes. */
export function mutate(corpus: readonly string[], random: Random): Buffer {
  let text = random.pick(corpus);
  const changes = 1 + random.below(4);
  for (let change = 0; change < changes; change += 1) {
    text = random.pick(random.once(3) ? BYTES : TOKENS)(text, random, corpus);
  }
  return Buffer.from(text, "latin1");
}
