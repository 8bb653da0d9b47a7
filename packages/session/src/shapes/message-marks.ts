import type { InvalidMessage, MessageFacts, MessageKind } from "../transcript-shape.ts";

/** What a key stands for: a call, an approval that somebody gives, a call of the old kind that has no id but a name. */
export type KeyPrefix = "call" | "approval" | "function";

/** Where an id was found, for the refusal: the path of its owner and the field. */
export interface IdPlace {
  readonly path: string;
  readonly field: string;
}

/**
 * What one message opens and closes, gathered in the order in which it is said. What is opened and then closed in the
 * same message stands in neither list. Remembers the first problem and answers it in place of the facts.
 */
export class MessageMarks {
  readonly #opens = new Set<string>();
  readonly #closes = new Set<string>();
  readonly #settled = new Set<string>();
  readonly #within = new Set<string>();
  #problem: string | undefined;

  /** A call or an approval that waits from here on. */
  open(prefix: KeyPrefix, id: unknown, place: IdPlace): void {
    const key = this.#keyOf(prefix, id, place);
    if (key === undefined) return;
    if (this.#isKnown(key)) return this.refuse(place.path, `${key} stands twice`);
    this.#opens.add(key);
  }

  /** The answer to one, opened in this message or in one before. */
  close(prefix: KeyPrefix, id: unknown, place: IdPlace): void {
    const key = this.#keyOf(prefix, id, place);
    if (key === undefined) return;
    if (this.#opens.delete(key)) this.#settled.add(key);
    else if (this.#isKnown(key)) this.refuse(place.path, `${key} stands twice`);
    else this.#closes.add(key);
  }

  /** A call of the provider's on whose behalf this message calls; it may wait since an earlier message. */
  workFor(prefix: KeyPrefix, id: unknown, place: IdPlace): void {
    const key = this.#keyOf(prefix, id, place);
    if (key !== undefined) this.#within.add(key);
  }

  /** Notes why the message is none of its format; the first reason stays. */
  refuse(path: string, problem: string): void {
    this.#problem ??= path === "" ? problem : `${path}: ${problem}`;
  }

  /** True when something is closed that was opened in an earlier message. */
  get answers(): boolean {
    return this.#closes.size > 0;
  }

  facts(kind: MessageKind): MessageFacts | InvalidMessage {
    if (this.#problem !== undefined) return { problem: this.#problem };
    const facts = { kind, opens: [...this.#opens], closes: [...this.#closes] };
    const within = [...this.#within].filter((key) => !this.#isKnown(key));
    return within.length === 0 ? facts : { ...facts, within };
  }

  #isKnown(key: string): boolean {
    return this.#opens.has(key) || this.#closes.has(key) || this.#settled.has(key);
  }

  #keyOf(prefix: KeyPrefix, id: unknown, place: IdPlace): string | undefined {
    if (typeof id === "string" && id !== "") return `${prefix}:${id}`;
    this.refuse(place.path, `${place.field} is missing`);
    return undefined;
  }
}
