import type { JsonObject } from "@basis/core";
import type { Ledger } from "./ledger.ts";
import { dialectOf } from "./lowering/dialect.ts";
import { lint, type LintWarning } from "./lint.ts";
import {
  lowerSchema,
  type Dialect,
  type DialectName,
  type LimitCount,
  type LoweredSchema,
} from "./lowering/index.ts";
import type { OutputSpec } from "./output-spec.ts";
import { unwrapSchemaPointer } from "./root-wrapper.ts";
import type { Shown } from "./schema-refusal.ts";

/** What becomes of a spec's schema on its way to a provider. */
export interface SpecCheck {
  /** The dialect's name; absent when the schema arrives as written. */
  readonly dialect?: string;
  /** What the model is shown. */
  readonly schema: JsonObject;
  readonly ledger: Ledger;
  /** The provider's limits with what the schema comes to. */
  readonly limits: readonly LimitCount[];
  /** What the provider cannot be asked at all; a run would end as `unsupported`. */
  readonly unsupported: readonly { readonly pointer: string; readonly message: string }[];
  readonly warnings: readonly LintWarning[];
}

const known = new WeakMap<object, WeakMap<Dialect, LoweredSchema>>();

/** The spec as a model is shown it whose provider takes a subset of JSON Schema; worked out once for each. */
export function showSpec<T>(spec: OutputSpec<T>, dialect: DialectName | Dialect): Shown<T> {
  const lowering = lowerOnce(spec, dialect);
  const ledger = Object.freeze([...spec.ledger, ...unwrapPlaces(spec, lowering.ledger)]);
  return { spec: Object.freeze({ ...spec, inputSchema: lowering.schema, ledger }), lowering };
}

function lowerOnce(spec: OutputSpec<unknown>, dialect: DialectName | Dialect): LoweredSchema {
  const schema = spec.inputSchema as JsonObject;
  const table = dialectOf(dialect);
  const byDialect = known.get(schema) ?? new WeakMap<Dialect, LoweredSchema>();
  known.set(schema, byDialect);
  const { draft, schemas } = spec;
  const lowered = byDialect.get(table) ?? lowerSchema(schema, table, { draft, schemas });
  byDialect.set(table, lowered);
  return lowered;
}

function unwrapPlaces<Entry extends { readonly pointer: string }>(
  { wrapped }: OutputSpec<unknown>,
  entries: readonly Entry[],
): readonly Entry[] {
  if (!wrapped) return entries;
  return entries.map((entry) => ({ ...entry, pointer: unwrapSchemaPointer(entry.pointer) }));
}

/** What becomes of a spec on its way to a provider. Pure; asks nobody. */
export function checkSpec(spec: OutputSpec<unknown>, dialect: DialectName | Dialect | undefined): SpecCheck {
  const warnings = lint(spec);
  if (dialect === undefined) {
    const schema = spec.inputSchema as JsonObject;
    return { schema, ledger: spec.ledger, limits: [], unsupported: [], warnings };
  }
  const { spec: shown, lowering } = showSpec(spec, dialect);
  const { limits, schema } = lowering!;
  const unsupported = unwrapPlaces(spec, lowering!.unsupported);
  return { dialect: lowering!.dialect.name, schema, ledger: shown.ledger, limits, unsupported, warnings };
}
