import type { CancelMark } from "../context-mark.ts";
import type { CancelLine } from "./bundle-lines.ts";
import { invalidField } from "./line-fields.ts";

const MOST = 100_000;

/** The rollbacks of a bundle, in the order of their revisions. */
export class CancelReader {
  readonly #marks: CancelMark[] = [];

  get marks(): readonly CancelMark[] {
    return Object.freeze([...this.#marks]);
  }

  /** `rev` is the session's. @throws BundleFlaw `invalid_field`. */
  add({ type: _type, ...mark }: CancelLine, rev: number): void {
    if (mark.to > mark.from) throw invalidField("to", "must not be beyond from");
    if (mark.rev <= (this.#marks.at(-1)?.rev ?? 0)) throw invalidField("rev", "must be greater than before");
    if (mark.rev > rev) throw invalidField("rev", "is beyond the session's");
    if (this.#marks.length >= MOST) throw invalidField("rev", `is one of more than ${MOST}`);
    this.#marks.push(Object.freeze(mark));
  }
}
