import type { EventLog } from "./event-log.ts";

/** A log that answers at once. */
export type SyncEventLog = {
  [Name in keyof EventLog]: EventLog[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Exclude<Answer, Promise<unknown> | AsyncIterable<unknown>>
    : never;
};
