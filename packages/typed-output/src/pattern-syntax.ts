/** The parts of a regular expression that have an automaton. */
export type PatternNode =
  /** Anything that stands for one character: a literal, an escape, a class; in its own spelling. */
  | { readonly type: "atom"; readonly source: string }
  | { readonly type: "assert"; readonly kind: "start" | "end" | "boundary" | "inside" }
  | { readonly type: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly type: "choice"; readonly options: readonly PatternNode[] }
  | { readonly type: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly type: "look"; readonly body: PatternNode; readonly behind: boolean; readonly negated: boolean }
  /** What a group matched before; it has no automaton. */
  | { readonly type: "reference" };

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;
const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[^])/y;
const CLASS = /\[(?:\\[^]|[^\]\\])*\]/y;
const LOOK = /\(\?(<?)([=!])/y;
const REFERENCE = /\\(?:k<[^>]*>|[1-9]\d*)/y;
const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y;
/** Escapes that stand for one character with the `u` flag only. */
const NEEDS_UNICODE = /^\\(?:u[^{]{4}\\u|u\{|[pP]\{)/;

/**
 * Reads the structure of a regular expression that the platform has already accepted.
 * Undefined when it cannot be told: flags inside.
 */
export function parsePattern(source: string, unicode: boolean): PatternNode | undefined {
  const reader = new Reader(source, unicode);
  const node = reader.choice();
  return reader.failed || reader.at < source.length ? undefined : node;
}

class Reader {
  readonly source: string;
  readonly unicode: boolean;
  at = 0;
  failed = false;

  constructor(source: string, unicode: boolean) {
    this.source = source;
    this.unicode = unicode;
  }

  choice(): PatternNode {
    const options = [this.sequence()];
    while (!this.failed && this.source[this.at] === "|") {
      this.at += 1;
      options.push(this.sequence());
    }
    return options.length === 1 ? options[0]! : { type: "choice", options };
  }

  sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (!this.failed && this.at < this.source.length && !"|)".includes(this.source[this.at]!)) {
      parts.push(this.term());
    }
    return { type: "sequence", parts };
  }

  term(): PatternNode {
    const char = this.source[this.at]!;
    if (char === "^" || char === "$") {
      this.at += 1;
      return { type: "assert", kind: char === "^" ? "start" : "end" };
    }
    if (char === "\\" && /[bB]/.test(this.source[this.at + 1] ?? "")) {
      const kind = this.source[this.at + 1] === "b" ? "boundary" : "inside";
      this.at += 2;
      return { type: "assert", kind };
    }
    const body = char === "(" ? this.group() : this.atom(char);
    return this.quantified(body);
  }

  group(): PatternNode {
    const look = this.take(LOOK);
    if (look === undefined && this.take(GROUP) === undefined) return this.fail();
    const body = this.choice();
    if (this.source[this.at] !== ")") return this.fail();
    this.at += 1;
    return look ? { type: "look", body, behind: look[1] === "<", negated: look[2] === "!" } : body;
  }

  atom(char: string): PatternNode {
    if (char === "[") return this.token(CLASS);
    if (char === "\\") {
      if (this.take(REFERENCE)) return { type: "reference" };
      if (this.source[this.at + 1] === "k") return this.fail();
      const escape = this.token(ESCAPE);
      const differs = escape.type === "atom" && NEEDS_UNICODE.test(escape.source);
      return differs && !this.unicode ? this.fail() : escape;
    }
    const unit = this.unicode ? String.fromCodePoint(this.source.codePointAt(this.at)!) : char;
    this.at += unit.length;
    return { type: "atom", source: /^[{}\]/]$/.test(unit) ? `\\${unit}` : unit };
  }

  quantified(body: PatternNode): PatternNode {
    const found = this.take(QUANTIFIER);
    if (!found) return body;
    const [text, low, comma, high] = found;
    if (low === undefined) {
      return {
        type: "repeat",
        body,
        min: text.startsWith("+") ? 1 : 0,
        max: text.startsWith("?") ? 1 : Infinity,
      };
    }
    const min = Number(low);
    const max = comma === undefined ? min : high === "" || high === undefined ? Infinity : Number(high);
    return { type: "repeat", body, min, max };
  }

  token(expression: RegExp): PatternNode {
    const found = this.take(expression);
    return found ? { type: "atom", source: found[0] } : this.fail();
  }

  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.source);
    if (!found) return undefined;
    this.at += found[0].length;
    return found;
  }

  fail(): PatternNode {
    this.failed = true;
    return { type: "sequence", parts: [] };
  }
}
