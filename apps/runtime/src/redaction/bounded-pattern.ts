import { createContext, runInContext, Script } from "node:vm";

/** How long one look at a message or event, and all looks together, may take. */
const LIMITS = { lookMs: 2000, allMs: 30_000 };

const source =
  "(() => { const found = []; for (const text of texts) for (const [match] of text.matchAll(pattern)) found.push(match); return found; })()";

/** A pattern that takes too long, or finds what cannot be taken out. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/**
 * A regular expression (flags `gu`) of somebody else's whose matching ends in time: some need longer than the universe
 * lasts for forty characters, and a match cannot be interrupted from within.
 */
export class BoundedPattern {
  readonly #context: { texts: readonly string[]; pattern: unknown };
  readonly #script = new Script(source);
  readonly #lookMs: number;
  #leftMs: number;

  /** @throws SyntaxError */
  constructor(
    pattern: string,
    { lookMs, allMs }: { readonly lookMs: number; readonly allMs: number } = LIMITS,
  ) {
    const compiled = new RegExp(pattern, "gu").source;
    this.#context = createContext(
      { texts: [], pattern: compiled },
      { codeGeneration: { strings: false, wasm: false } },
    ) as never;
    this.#context.pattern = runInContext("new RegExp(pattern, 'gu')", this.#context);
    this.#lookMs = lookMs;
    this.#leftMs = allMs;
  }

  /** All that it finds in the texts, in order. @throws PatternError */
  matches(texts: readonly string[]): string[] {
    this.#context.texts = texts;
    const timeout = Math.floor(Math.min(this.#lookMs, this.#leftMs));
    const began = performance.now();
    try {
      if (timeout >= 1) return [...(this.#script.runInContext(this.#context, { timeout }) as string[])];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    } finally {
      this.#leftMs -= performance.now() - began;
    }
    throw new PatternError(
      "the pattern takes too long on what the session holds; write one without repetitions inside repetitions",
    );
  }
}
