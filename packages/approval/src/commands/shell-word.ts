import { literal, unknownWord, type Word } from "./word.ts";

/** A word as it stands in shell text. */
export interface ScannedWord {
  readonly word: Word;
  /** Where it ends. */
  readonly end: number;
  /** No part of it was quoted or escaped. */
  readonly bare: boolean;
}

/** What ends a word. */
const BOUNDARY = /[\s;&|<>()]/;
/** What a plain word cannot hold unquoted: expansions, and braces, which bash expands and sh does not. */
const FOREIGN = /[$`{}]/;
const GLOB = /[*?[]/;
/** What a backslash in double quotes takes the meaning of. */
const ESCAPED_IN_QUOTES = /["\\$`]/;

/** One character, one escape or one quoted run. */
interface Piece {
  readonly text: string;
  readonly end: number;
  /** What an unquoted character may turn the word into. */
  readonly open?: "glob" | "home" | undefined;
  readonly quoted?: boolean;
}

/**
 * Reads the word at `start` of a text without line continuations.
 * Answers a text that says why when the word is not plain: only quotes, escapes and globs are.
 */
export function scanWord(source: string, start: number): ScannedWord | string {
  if (/^\{\}(?:$|[\s;&|<>()])/.test(source.slice(start, start + 3))) {
    return { word: literal("{}"), end: start + 2, bare: true };
  }
  const pieces: Piece[] = [];
  let at = start;
  while (at < source.length && !BOUNDARY.test(source[at]!)) {
    const piece = scanPiece(source, at, start);
    if (typeof piece === "string") return piece;
    pieces.push(piece);
    at = piece.end;
  }
  return { word: wordOf(pieces), end: at, bare: pieces.every((piece) => piece.quoted !== true) };
}

function scanPiece(source: string, at: number, start: number): Piece | string {
  const char = source[at]!;
  if (char === "'") return scanSingle(source, at);
  if (char === '"') return scanDouble(source, at);
  if (char === "\\") {
    return at + 1 < source.length
      ? { text: source[at + 1]!, end: at + 2, quoted: true }
      : "it ends in a backslash";
  }
  if (FOREIGN.test(char)) return `it holds an unquoted ${char}`;
  return { text: char, end: at + 1, open: openingOf(source, at, start) };
}

function openingOf(source: string, at: number, start: number): Piece["open"] {
  if (GLOB.test(source[at]!)) return "glob";
  return source[at] === "~" && (at === start || /[=:]/.test(source[at - 1]!)) ? "home" : undefined;
}

function scanSingle(source: string, at: number): Piece | string {
  const close = source.indexOf("'", at + 1);
  return close === -1
    ? "a quote stays open"
    : { text: source.slice(at + 1, close), end: close + 1, quoted: true };
}

function scanDouble(source: string, start: number): Piece | string {
  let text = "";
  let at = start + 1;
  while (at < source.length && source[at] !== '"') {
    const char = source[at]!;
    if (char === "$" || char === "`") return `it holds a ${char} in double quotes`;
    const escaped = char === "\\" && ESCAPED_IN_QUOTES.test(source[at + 1] ?? "");
    text += escaped ? source[at + 1]! : char;
    at += escaped ? 2 : 1;
  }
  return at < source.length ? { text, end: at + 1, quoted: true } : "a quote stays open";
}

function wordOf(pieces: readonly Piece[]): Word {
  const text = pieces.map((piece) => piece.text).join("");
  if (pieces.some((piece) => piece.open === "home")) return unknownWord;
  const globAt = pieces.findIndex((piece) => piece.open === "glob");
  if (globAt === -1 || (text === "[" && pieces.length === 1)) return literal(text);
  const known = pieces
    .slice(0, globAt)
    .map((piece) => piece.text)
    .join("");
  const settled = known.includes("/") && !known.startsWith("-");
  return settled ? { kind: "paths", text: known } : unknownWord;
}
