import type { Labels, MemberRecord } from "../member.ts";
import { optionalText, textOf, type ColumnForm } from "./column-form.ts";
import { integerOf, jsonOf, type ColumnRow } from "./stored-values.ts";

/** The labels of whoever has none. */
export const noLabels: Labels = Object.freeze({});

/** A seated member's row, with its session's id as `session_id`, as a frozen record. */
export function memberOfRow(row: ColumnRow, form: ColumnForm<unknown>): MemberRecord {
  return Object.freeze({
    member: form.readName(row["name"]),
    sessionId: textOf(row, "session_id", form),
    role: textOf(row, "role", form),
    labels: (jsonOf(row, "labels") ?? noLabels) as Labels,
    agentIdentity: optionalText(row, "agent_identity", form),
    operationId: optionalText(row, "operation", form),
    seatedAt: integerOf(row, "seated_at"),
  });
}
