import type { Clock } from "@basis/core";
import type { TranscriptShape } from "@mobkit/session";
import type { OpenFile } from "./open-file.ts";

/** What every part of a store works with. */
export interface StoreContext<M> extends OpenFile {
  readonly shape: TranscriptShape<M>;
  readonly clock: Clock;
}
