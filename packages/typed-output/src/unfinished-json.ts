const STRING = /"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const CUT_STRING = /"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?:\\(?:u[0-9a-fA-F]{0,3})?)?$/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE+-])/y;
const CUT_NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?$/y;
const WORDS = ["true", "false", "null"];

type Expected = "value" | "first" | "key" | "colon" | "next";

/**
 * True when a text is the beginning of a JSON document and stops before its end: more text could make it
 * whole. False for a whole document and for one that goes wrong. Source: RFC 8259.
 */
export function isUnfinishedJson(text: string): boolean {
  const scan = new PrefixScan(text);
  for (;;) {
    scan.skipSpace();
    if (scan.at >= text.length) return scan.started && !scan.whole;
    const step = scan.step();
    if (step !== "on") return step === "cut";
  }
}

/** Reads one token after another; `cut` when the text ends inside one, `wrong` when none can stand there. */
class PrefixScan {
  readonly text: string;
  readonly open: ("{" | "[")[] = [];
  at = 0;
  started = false;
  expected: Expected = "value";

  constructor(text: string) {
    this.text = text;
  }

  get whole(): boolean {
    return this.open.length === 0 && this.expected === "next";
  }

  skipSpace(): void {
    while (/^[ \t\r\n]$/.test(this.text.charAt(this.at))) this.at += 1;
  }

  step(): "on" | "cut" | "wrong" {
    const char = this.text.charAt(this.at);
    this.started = true;
    if (this.expected === "next") return this.afterValue(char);
    if (this.expected === "colon") return char === ":" ? this.move("value") : "wrong";
    if (this.expected === "first" && char === this.closer()) return this.close();
    const isKey = this.expected === "key" || (this.expected === "first" && this.open.at(-1) === "{");
    if (isKey) return this.token(STRING, CUT_STRING, "colon");
    return this.value(char);
  }

  value(char: string): "on" | "cut" | "wrong" {
    if (char === "{" || char === "[") {
      this.open.push(char);
      return this.move("first");
    }
    if (char === '"') return this.token(STRING, CUT_STRING, "next");
    if (/[-\d]/.test(char)) return this.token(NUMBER, CUT_NUMBER, "next");
    return this.word();
  }

  word(): "on" | "cut" | "wrong" {
    const rest = this.text.slice(this.at, this.at + 5);
    const word = WORDS.find((candidate) => rest.startsWith(candidate));
    if (word !== undefined) {
      this.at += word.length;
      this.expected = "next";
      return "on";
    }
    const left = this.text.slice(this.at);
    return WORDS.some((candidate) => candidate.startsWith(left)) ? "cut" : "wrong";
  }

  afterValue(char: string): "on" | "wrong" {
    if (this.open.length === 0) return "wrong";
    if (char === this.closer()) return this.close();
    return char === "," ? this.move(this.open.at(-1) === "{" ? "key" : "value") : "wrong";
  }

  closer(): string {
    return this.open.at(-1) === "{" ? "}" : "]";
  }

  close(): "on" {
    this.open.pop();
    return this.move("next");
  }

  move(expected: Expected): "on" {
    this.at += 1;
    this.expected = expected;
    return "on";
  }

  token(whole: RegExp, cut: RegExp, then: Expected): "on" | "cut" | "wrong" {
    whole.lastIndex = this.at;
    const found = whole.exec(this.text);
    if (found) {
      this.at += found[0].length;
      this.expected = then;
      return "on";
    }
    cut.lastIndex = this.at;
    return cut.test(this.text) ? "cut" : "wrong";
  }
}
