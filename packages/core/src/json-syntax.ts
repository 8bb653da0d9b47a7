import type { JsonProblem, StrictParse } from "./json.ts";

const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const CUT_STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?:\\(?:u[0-9a-fA-F]{0,3})?)?$/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE+-])/y;
const CUT_NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?$/y;
const WORDS = ["true", "false", "null"];

type Expected = "value" | "first" | "key" | "colon" | "next";
type Step = "on" | "cut" | "wrong";

/** The answer of a parse that accepts nothing. */
export function refuse(problem: JsonProblem, message: string, offset: number): StrictParse {
  return { ok: false, problem, message, offset };
}

/**
 * Says why a text is not one JSON document: whether more text could finish it, or from which character on nothing
 * could. Engines say it in their own words and not always. Ends where the text is nested deeper than `maxDepth`, since
 * nothing after that would be accepted. Source: RFC 8259.
 */
export function locateSyntaxError(text: string, maxDepth: number): StrictParse {
  const scan = new SyntaxScan(text);
  for (;;) {
    scan.skipSpace();
    if (scan.at >= text.length) return scan.atEnd();
    const step = scan.step();
    if (scan.depth > maxDepth) return tooDeep(maxDepth, scan.at - 1);
    if (step === "cut") return unfinished(text);
    if (step === "wrong") return scan.whole ? trailing(scan.at) : wrong(scan.at);
  }
}

/** The answer for a value that is nested too deep and begins at `offset`. */
export function tooDeep(maxDepth: number, offset: number): StrictParse {
  return refuse("too_deep", `nested deeper than ${maxDepth} levels`, offset);
}

function unfinished(text: string): StrictParse {
  return refuse("unterminated", "the JSON document is not finished", text.length);
}

function trailing(offset: number): StrictParse {
  return refuse("trailing_text", "text follows the JSON document", offset);
}

function wrong(offset: number): StrictParse {
  return refuse("not_json", `not JSON from character ${offset + 1} on`, offset);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Reads one token after another; `cut` when the text ends inside one, `wrong` when none can stand there. */
class SyntaxScan {
  readonly #text: string;
  readonly #open: ("}" | "]")[] = [];
  #expected: Expected = "value";
  #started = false;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** True once a whole document has been read. */
  get whole(): boolean {
    return this.#open.length === 0 && this.#expected === "next";
  }

  get depth(): number {
    return this.#open.length;
  }

  skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.at))) this.at += 1;
  }

  /** What a text that ends here is. */
  atEnd(): StrictParse {
    if (!this.#started) return refuse("not_json", "the text is empty", 0);
    return this.whole ? wrong(this.at) : unfinished(this.#text);
  }

  step(): Step {
    const char = this.#text.charAt(this.at);
    this.#started = true;
    switch (this.#expected) {
      case "next":
        return this.#afterValue(char);
      case "colon":
        return char === ":" ? this.#move("value") : "wrong";
      case "key":
        return this.#token(STRING, CUT_STRING, "colon");
      case "first":
        if (char === this.#open.at(-1)) return this.#close();
        return this.#open.at(-1) === "}" ? this.#token(STRING, CUT_STRING, "colon") : this.#value(char);
      case "value":
        return this.#value(char);
    }
  }

  #value(char: string): Step {
    if (char === "{" || char === "[") {
      this.#open.push(char === "{" ? "}" : "]");
      return this.#move("first");
    }
    if (char === '"') return this.#token(STRING, CUT_STRING, "next");
    if (char === "-" || (char >= "0" && char <= "9")) return this.#token(NUMBER, CUT_NUMBER, "next");
    return this.#word();
  }

  #word(): Step {
    const rest = this.#text.slice(this.at, this.at + 5);
    const word = WORDS.find((candidate) => rest.startsWith(candidate));
    if (word === undefined) return WORDS.some((candidate) => candidate.startsWith(rest)) ? "cut" : "wrong";
    this.at += word.length;
    this.#expected = "next";
    return "on";
  }

  #afterValue(char: string): Step {
    const close = this.#open.at(-1);
    if (close === undefined) return "wrong";
    if (char === close) return this.#close();
    return char === "," ? this.#move(close === "}" ? "key" : "value") : "wrong";
  }

  #close(): Step {
    this.#open.pop();
    return this.#move("next");
  }

  #move(expected: Expected): Step {
    this.at += 1;
    this.#expected = expected;
    return "on";
  }

  #token(whole: RegExp, cut: RegExp, then: Expected): Step {
    whole.lastIndex = this.at;
    const found = whole.exec(this.#text);
    if (found) {
      this.at += found[0].length;
      this.#expected = then;
      return "on";
    }
    cut.lastIndex = this.at;
    return cut.test(this.#text) ? "cut" : "wrong";
  }
}
