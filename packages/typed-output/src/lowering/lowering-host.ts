import type { JsonObject, JsonSchema } from "@basis/core";
import type { LedgerEntry } from "../ledger.ts";
import type { Codec } from "./codec.ts";
import type { Dialect } from "./dialect.ts";
import type { CountComplaints } from "./union-codec.ts";

/** A schema as the model is shown it, and how its values are written. */
export interface Lowered {
  readonly schema: JsonObject;
  readonly codec: Codec;
}

/** Where a schema stands. */
export interface Place {
  /** JSON pointer into the model's schema. */
  readonly pointer: string;
  /** True when the nearest property around it may be left out. */
  readonly optional: boolean;
  /** Schemas whose content is being written in place of references to them. */
  readonly inlined: readonly JsonObject[];
  /** Schemas merged so far on the way here; what merges without end is not merged. */
  readonly merges: number;
}

/** What the parts of a lowering ask of the whole. */
export interface LoweringHost {
  readonly dialect: Dialect;
  readonly count: CountComplaints;
  lower(schema: JsonSchema, place: Place): Lowered;
  /** Any JSON value. */
  any(): Lowered;
  /** True where null fits a lowered schema. */
  takesNull(schema: JsonObject): boolean;
  /** Lets a lowered schema accept null too. */
  nullable(lowered: Lowered): Lowered;
  note(entry: Omit<LedgerEntry, "provider">): void;
}

/** The notes on one schema: what the ledger says, and what the description is given. */
export class NodeNotes {
  readonly texts: string[] = [];
  readonly #host: LoweringHost;
  readonly #pointer: string;

  constructor(host: LoweringHost, pointer: string) {
    this.#host = host;
    this.#pointer = pointer;
  }

  /** A restriction that the description says instead. */
  move(keyword: string, text: string): void {
    this.texts.push(text);
    this.#enter("moved", keyword, text);
  }

  /** A restriction that is said in another way. */
  change(keyword: string, note: string): void {
    this.#enter("moved", keyword, note);
  }

  /** What the model is not told. */
  drop(keyword: string, note = "the model is not told"): void {
    this.#enter("dropped", keyword, note);
  }

  #enter(action: "moved" | "dropped", keyword: string, note: string): void {
    const enforced = keyword !== "format" && !UNCHECKED.has(keyword);
    this.#host.note({ pointer: `${this.#pointer}/${escape(keyword)}`, keyword, action, enforced, note });
  }
}

const UNCHECKED = new Set(["default", "examples", "example", "deprecated", "readOnly", "writeOnly"]);

function escape(keyword: string): string {
  return keyword.replaceAll("~", "~0").replaceAll("/", "~1");
}
