/**
 * One thing that a schema says and that does not reach the model, or the check, as it was written.
 * `ignored`: nobody acts on the keyword; `limited`: it is carried out up to a size; `wrapped`: the root stands inside `{"value": …}` for the model;
 * `added`: the model's copy has a keyword more; `moved` and `dropped`: a lowering rewrote it.
 */
export interface LedgerEntry {
  /** JSON pointer into the schema the caller wrote. */
  readonly pointer: string;
  readonly keyword: string;
  readonly action: "ignored" | "limited" | "wrapped" | "added" | "moved" | "dropped";
  /** True when the answer is checked against it here all the same. */
  readonly enforced: boolean;
  /** The provider whose subset asked for it; absent when it holds for all. */
  readonly provider?: string;
  readonly note?: string;
}

/** Everything a schema says that is not carried out as written; empty when nothing is lost. */
export type Ledger = readonly LedgerEntry[];
