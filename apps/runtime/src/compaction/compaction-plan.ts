/** One message of a session's requests, as far as a plan looks at it. */
export interface PlannedRow {
  readonly position: number;
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly turnId: string | null;
  /** True when no call is open behind it. */
  readonly settled: boolean;
  readonly characters: number;
}

/** How much stays as it is: so many of the newest turns, messages or estimated tokens at most. */
export interface Keep {
  readonly unit: "turns" | "messages" | "tokens";
  readonly count: number;
}

/** Where the messages that stay begin, as an index of the rows; undefined when that is at the first of them. */
export type TailStart = number | undefined;

/**
 * Where to cut: never inside a group of calls, never between a call and its result. The newest group stays whatever its size,
 * and so does a prompt that nobody has answered. `tokensOf` estimates characters.
 */
export function planTail(
  rows: readonly PlannedRow[],
  keep: Keep,
  tokensOf: (characters: number) => number,
): TailStart {
  const legal = rows.flatMap((_, at) => (at > 0 && rows[at - 1]!.settled ? [at] : []));
  const newest = legal.at(-1);
  if (newest === undefined) return undefined;
  const start = startOf(rows, legal, { keep, tokensOf });
  return start === 0 ? undefined : (start ?? newest);
}

interface Wanted {
  readonly keep: Keep;
  readonly tokensOf: (characters: number) => number;
}

/** 0: everything is to be kept; undefined: not even the newest group fits. */
function startOf(
  rows: readonly PlannedRow[],
  legal: readonly number[],
  { keep: { unit, count }, tokensOf }: Wanted,
): number | undefined {
  switch (unit) {
    case "turns":
      return turnStarts(rows, legal).at(-count) ?? 0;
    case "messages":
      return rows.length <= count ? 0 : legal.find((at) => rows.length - at <= count);
    case "tokens": {
      const sizes = rows.map(({ characters }) => characters);
      let left = sizes.reduce((sum, size) => sum + size, 0);
      if (tokensOf(left) <= count) return 0;
      let from = 0;
      return legal.find((at) => {
        for (; from < at; from += 1) left -= sizes[from]!;
        return tokensOf(left) <= count;
      });
    }
  }
}

/** A turn begins with a user's message that is not of the turn before it. */
function turnStarts(rows: readonly PlannedRow[], legal: readonly number[]): readonly number[] {
  const begins = (at: number): boolean => {
    const { role, turnId } = rows[at]!;
    return role === "user" && (at === 0 || turnId === null || turnId !== rows[at - 1]!.turnId);
  };
  return [0, ...legal].filter(begins);
}
