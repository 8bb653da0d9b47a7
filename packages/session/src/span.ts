/**
 * A run of rows in one writer's log: rows `lo` to `hi - 1` of `writer` stand at the positions from `start` on.
 * A session is a list of them that covers `[0, len)` in order.
 */
export interface Span {
  readonly start: number;
  readonly writer: string;
  readonly lo: number;
  readonly hi: number;
}
