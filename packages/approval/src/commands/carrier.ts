import { programName } from "./program-facts.ts";
import type { Word } from "./word.ts";

/** A program that starts the program its words name, in a form that is understood. */
export interface Carrier {
  /** How many words a rule has to spell before the program that is started. */
  readonly named: number;
  /** The started program's words, from `from` up to `to`; or shell text in the word at `from`. */
  readonly inner: "words" | "text";
  readonly from: number;
  readonly to: number;
  /** The started program works in another directory. */
  readonly moves?: boolean;
}

/** Shells that read alike what both readers read alike. */
const SHELLS = new Set("sh bash dash ash ksh mksh".split(" "));

/** What a carrier adds to the command beyond starting it; undefined for every other command. */
export function carrierOf(words: readonly Word[]): Carrier | undefined {
  const text = textsOf(words);
  const program = programName(text(0));
  if (program === "sudo" || program === "doas") {
    return /^[^-=][^=]*$/.test(text(1)) ? { named: 1, inner: "words", from: 1, to: words.length } : undefined;
  }
  if (program === "env") return envCarrier(words);
  if (SHELLS.has(program)) {
    const plain = text(1) === "-c" && words.length === 3 && words[2]!.kind === "literal";
    return plain ? { named: 2, inner: "text", from: 2, to: 3 } : undefined;
  }
  return program === "find" ? findCarrier(words) : undefined;
}

function envCarrier(words: readonly Word[]): Carrier | undefined {
  const text = textsOf(words);
  let from = 1;
  while (/^[A-Za-z_]\w*=/.test(text(from))) from += 1;
  if (from === 1 || !/^[^-=]/.test(text(from))) return undefined;
  return { named: from, inner: "words", from, to: words.length };
}

function findCarrier(words: readonly Word[]): Carrier | undefined {
  const text = textsOf(words);
  const starts = words.flatMap((_, at) => (/^-(?:exec|execdir|ok|okdir)$/.test(text(at)) ? [at] : []));
  const [start] = starts;
  if (start === undefined || starts.length > 1) return undefined;
  const to = words.findIndex(
    (_, at) => at > start && (text(at) === ";" || (text(at) === "+" && text(at - 1) === "{}")),
  );
  if (to <= start + 1) return undefined;
  return { named: start + 1, inner: "words", from: start + 1, to, moves: text(start).endsWith("dir") };
}

/** The words of a started program; `{}` stands for paths that begin with a starting point. */
export function carriedWords(words: readonly Word[], { from, to }: Carrier): readonly Word[] {
  const found = programName(words[0]!.text) === "find";
  return words.slice(from, to).map((word) => {
    if (!found || !word.text.includes("{}")) return word;
    return word.text === "{}" ? { kind: "paths", text: "./" } : { kind: "unknown", text: "" };
  });
}

/**
 * How many leading words only say how the rest is run (`timeout 5`, `nice -n 10`, `nohup`, `time`, `command`, `exec`,
 * a bare `env`): they start nothing else and grant nothing. 0 when there are none, or in a form that is not understood.
 */
export function transparentWords(words: readonly Word[]): number {
  const text = textsOf(words);
  const skip = wrappers.get(text(0))?.(text) ?? 0;
  return skip > 0 && skip < words.length && /^[^-]/.test(text(skip)) ? skip : 0;
}

type TextAt = (at: number) => string;

const one = (): number => 1;
const wrappers = new Map<string, (text: TextAt) => number>([
  ["nohup", one],
  ["command", one],
  ["exec", one],
  ["env", (text) => (text(1).includes("=") ? 0 : 1)],
  ["time", (text) => (text(1) === "-p" ? 2 : 1)],
  ["nice", niceWords],
  ["timeout", timeoutWords],
]);

function niceWords(text: TextAt): number {
  if (text(1) === "-n") return /^-?\d+$/.test(text(2)) ? 3 : 0;
  if (text(1).startsWith("-")) return /^-n?\d+$/.test(text(1)) ? 2 : 0;
  return 1;
}

function timeoutWords(text: TextAt): number {
  let at = 1;
  for (;;) {
    if (/^-[ks]$/.test(text(at))) at += 2;
    else if (/^--(?:foreground|preserve-status|kill-after=.*|signal=.*)$/.test(text(at))) at += 1;
    else return /^\d+(?:\.\d+)?[smhd]?$/.test(text(at)) ? at + 1 : 0;
  }
}

/** A word's text; what is not literal has none. */
function textsOf(words: readonly Word[]): TextAt {
  return (at) => (words[at]?.kind === "literal" ? words[at].text : "");
}
