/** An answer that is there, or comes later. */
export type Awaitable<T> = T | Promise<T>;

/** True for what has to be waited for. */
export function isPending<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return typeof (answer as { then?: unknown } | null | undefined)?.then === "function";
}
