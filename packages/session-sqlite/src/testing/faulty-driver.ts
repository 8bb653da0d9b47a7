import type { SqliteConnection, SqliteDriver, SqlStatement } from "../driver.ts";

/** One thing that the store asks of its driver. */
export interface DriverStep {
  readonly operation: "open" | "exec" | "run" | "get" | "all" | "backup" | "close";
  /** The statement; for open, backup and close the path. */
  readonly sql: string;
  /** Counts every step of this driver from 1. */
  readonly number: number;
}

/** Called around each step; what it throws is what the store sees. It may also end the process. */
export interface FaultPlan {
  /** Before the step: throwing here means that it never happened. */
  before?(step: DriverStep): void;
  /** After the step: throwing here means that it happened and its answer was lost. */
  after?(step: DriverStep): void;
}

/** A driver that asks `plan` before and after every step of the wrapped one. For tests. */
export function faultyDriver(driver: SqliteDriver, plan: FaultPlan): SqliteDriver {
  let count = 0;
  const guarded = <T>(operation: DriverStep["operation"], sql: string, act: () => T): T => {
    count += 1;
    const step: DriverStep = { operation, sql, number: count };
    plan.before?.(step);
    const answer = act();
    plan.after?.(step);
    return answer;
  };
  const statement = (inner: SqlStatement, sql: string): SqlStatement => ({
    run: (...values) => guarded("run", sql, () => inner.run(...values)),
    get: (...values) => guarded("get", sql, () => inner.get(...values)),
    all: (...values) => guarded("all", sql, () => inner.all(...values)),
  });
  const connection = (inner: SqliteConnection, path: string): SqliteConnection => ({
    exec: (sql) => guarded("exec", sql, () => inner.exec(sql)),
    prepare: (sql, options) => statement(inner.prepare(sql, options), sql),
    backup: inner.backup && ((target) => guarded("backup", target, () => inner.backup!(target))),
    shared: inner.shared,
    close: () => guarded("close", path, () => inner.close()),
  });
  return {
    name: `${driver.name}, with faults`,
    open: (path, options) =>
      connection(
        guarded("open", path, () => driver.open(path, options)),
        path,
      ),
  };
}
