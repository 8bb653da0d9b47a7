import { BundleFlaw } from "./bundle-flaw.ts";
import type { BundleLine } from "./bundle-lines.ts";

type LineType = BundleLine["type"];

/** The parts of a bundle in their order. Blobs stand where rows or side state need them; chunks follow their line anywhere. */
const PARTS: Readonly<Record<Exclude<LineType, "chunk" | "blob">, number>> = Object.freeze({
  bundle: 0,
  session: 1,
  ancestor: 2,
  span: 3,
  message: 4,
  mark: 4,
  cancel: 5,
  side_state: 6,
  end: 7,
});

const ROWS = PARTS.message;

/** Holds the lines of a bundle to their order: one header, one session, nothing after the end. */
export class LineOrder {
  #part = -1;
  #last: LineType | undefined;

  /** True once rows may come. */
  get isPastSpans(): boolean {
    return this.#part >= ROWS;
  }

  /** Notes the next line's type. @throws BundleFlaw `unexpected_line`. */
  next(type: LineType): void {
    if (this.#part === PARTS.end) throw unexpected(type, "nothing may follow the end");
    if (this.#part < PARTS.session) this.#begin(type);
    else if (type !== "chunk") this.#goOn(type);
    this.#last = type;
  }

  #begin(type: LineType): void {
    const due = this.#part < 0 ? "bundle" : "session";
    if (type !== due) throw unexpected(type, `a ${due} line must stand here`);
    this.#part = PARTS[due];
  }

  #goOn(type: Exclude<LineType, "chunk">): void {
    const part = type === "blob" ? Math.max(this.#part, ROWS) : PARTS[type];
    if (part < this.#part || part <= PARTS.session) throw unexpected(type, "it stands too late");
    if (type === "mark" && this.#last !== "message") throw unexpected(type, "no message stands before it");
    this.#part = part;
  }
}

function unexpected(type: string, reason: string): BundleFlaw {
  return new BundleFlaw("unexpected_line", "type", `no ${type} line may stand here: ${reason}`);
}
