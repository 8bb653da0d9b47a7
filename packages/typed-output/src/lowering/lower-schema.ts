import type { JsonObject, JsonSchema, JsonValue } from "@basis/core";
import type { Ledger } from "../ledger.ts";
import { copyFrozen } from "../schema-intake.ts";
import type { CompileOptions, SchemaDraft } from "../schema-validator.ts";
import { detectDraft } from "../schema-walk.ts";
import { same, type LiftIssue } from "./codec.ts";
import { dialectOf, type Dialect, type DialectName } from "./dialect.ts";
import { countLimits, type LimitCount } from "./schema-limits.ts";
import { SchemaLowering } from "./schema-lowering.ts";

/** A schema in a provider's subset, with the way back. */
export interface LoweredSchema {
  readonly dialect: Dialect;
  /** What the model is shown; frozen. */
  readonly schema: JsonObject;
  /** Every keyword that was moved or dropped; pointers into the schema that was lowered. */
  readonly ledger: Ledger;
  readonly limits: readonly LimitCount[];
  /** What the dialect cannot say at all; empty when the schema may be used. */
  readonly unsupported: readonly { readonly pointer: string; readonly message: string }[];
  /** True when values are written as they are. */
  readonly plain: boolean;
  /** How a value is written in the lowered schema; undefined when it has no form there. */
  lower(value: JsonValue): JsonValue | undefined;
  /** The value that a writing stands for, and what could not be lifted. Not yet checked against the author's schema. */
  lift(written: JsonValue): { readonly value: JsonValue; readonly issues: readonly LiftIssue[] };
  /** Where in a writing the place of a lifted value stands; both are JSON pointers. */
  locate(pointer: string, written: JsonValue): string;
}

/** What lowering may need to know beside the schema. */
export interface LowerOptions {
  /** Default: as the schema says. */
  readonly draft?: SchemaDraft;
  /** Documents the schema refers to. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/**
 * Rewrites a schema of an object into a provider's subset. Every rewriting accepts what the original accepts,
 * but for members that an object does not mention; what is lost is in the ledger and left to the check of the answer.
 *
 * @throws TypeError for a dialect that is not known.
 */
export function lowerSchema(
  schema: JsonObject,
  dialect: DialectName | Dialect,
  options: LowerOptions = {},
): LoweredSchema {
  const table = dialectOf(dialect);
  const how: CompileOptions = {
    draft: options.draft ?? detectDraft(schema) ?? "2020-12",
    schemas: options.schemas ?? {},
  };
  const lowering = new SchemaLowering(schema, table, how);
  const { schema: lowered, codec } = lowering.lowerRoot();
  return Object.freeze({
    dialect: table,
    schema: copyFrozen(lowered) as JsonObject,
    ledger: Object.freeze([...lowering.ledger]),
    limits: countLimits(lowered, table.limits),
    unsupported: lowering.unsupported,
    plain: codec === same,
    lower: (value: JsonValue) => unlessEndless(() => codec.lower(value), undefined),
    lift: (written: JsonValue) => {
      const issues: LiftIssue[] = [];
      const message = "the schema has no end for this answer";
      const endless = { value: written, issues: [{ pointer: "", keyword: "json", message }] };
      return unlessEndless(() => ({ value: codec.lift(written, "", issues), issues }), endless);
    },
    locate: (pointer: string, written: JsonValue) => {
      const tokens = pointer.split("/").slice(1).map(unescape);
      const place = unlessEndless(() => codec.place(tokens, written), tokens);
      return place.map((token) => `/${escape(token)}`).join("");
    },
  });
}

/** A schema may refer to itself without end. */
function unlessEndless<Answer>(ask: () => Answer, otherwise: Answer): Answer {
  try {
    return ask();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

function unescape(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

function escape(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}
