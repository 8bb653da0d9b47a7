import type { CompiledSchema } from "./schema-validator.ts";

interface Entry {
  readonly compiled: CompiledSchema;
  readonly characters: number;
}

/** Compiled schemas by the digest of their content, bounded by number and by the size of their text. */
export class ValidatorCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxEntries: number, maxCharacters: number) {
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The validator of a digest, made when it is not there; the one unused for longest goes when there are too many. */
  get(digest: string, characters: number, make: () => CompiledSchema): CompiledSchema {
    const known = this.#entries.get(digest);
    const entry = known ?? { compiled: make(), characters };
    if (known) this.#entries.delete(digest);
    else this.#characters += characters;
    this.#entries.set(digest, entry);
    this.#trim();
    return entry.compiled;
  }

  #trim(): void {
    for (const [digest, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#characters <= this.#maxCharacters) return;
      this.#entries.delete(digest);
      this.#characters -= entry.characters;
    }
  }
}
