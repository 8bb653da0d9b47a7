/** The name of a session's log as a store has it. */
export type LogName = string | number;

/** Rows `lo` to `hi - 1` of one log. */
export interface LogRange {
  readonly writer: LogName;
  readonly lo: number;
  readonly hi: number;
}

/** The rows of `ranges` that none of `without` holds; sorted and joined log by log. */
export function subtractRanges(ranges: readonly LogRange[], without: readonly LogRange[]): LogRange[] {
  const taken = byLog(without);
  return [...byLog(ranges).values()].flat().flatMap((range) => {
    const left: LogRange[] = [];
    let { lo } = range;
    for (const other of taken.get(range.writer) ?? []) {
      if (other.hi <= lo || other.lo >= range.hi) continue;
      if (other.lo > lo) left.push({ ...range, lo, hi: other.lo });
      lo = other.hi;
    }
    if (lo < range.hi) left.push({ ...range, lo });
    return left;
  });
}

/** The rows that both lists hold. */
export function commonRanges(left: readonly LogRange[], right: readonly LogRange[]): LogRange[] {
  return subtractRanges(left, subtractRanges(left, right));
}

/** Sorted and joined, so that no two of one log touch. */
function byLog(ranges: readonly LogRange[]): Map<LogName, LogRange[]> {
  const logs = new Map<LogName, LogRange[]>();
  const sorted = ranges.filter(({ lo, hi }) => lo < hi).toSorted((one, other) => one.lo - other.lo);
  for (const { writer, lo, hi } of sorted) {
    const log = logs.get(writer) ?? [];
    const last = log.at(-1);
    if (last !== undefined && lo <= last.hi) log[log.length - 1] = { ...last, hi: Math.max(last.hi, hi) };
    else log.push({ writer, lo, hi });
    logs.set(writer, log);
  }
  return logs;
}
