/** Which page of a list. */
export interface PageRequest {
  /** The `next` of the page before; omitted for the first one. */
  readonly after?: string | undefined;
  /** 1 to 1,000. Default 100. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One page of a list; `next` is null on the last one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Options of a call that has nothing else to say. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}
