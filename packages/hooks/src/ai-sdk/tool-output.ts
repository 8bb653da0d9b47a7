/** The last value, as the framework would keep it. */
export async function lastOf(values: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const value of values) last = value;
  return last;
}

/** What the framework shows of a result without a `toModelOutput`. */
export function plainOutput(output: unknown): { readonly type: string; readonly value: unknown } {
  return typeof output === "string" ? { type: "text", value: output } : { type: "json", value: output };
}

/** Most calls remembered; beyond it the oldest is forgotten. */
const MAX_CALLS = 1000;

/** The ids of calls that were lately noted. */
export class RecentCalls {
  readonly #ids = new Set<string>();

  has(toolCallId: string): boolean {
    return this.#ids.has(toolCallId);
  }

  note(toolCallId: string): void {
    this.#ids.add(toolCallId);
    if (this.#ids.size <= MAX_CALLS) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }

  forget(toolCallId: string): void {
    this.#ids.delete(toolCallId);
  }
}
