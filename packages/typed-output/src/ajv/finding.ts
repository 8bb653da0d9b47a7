import type { SchemaIssue } from "../schema-validator.ts";
import type { AjvError } from "./load-ajv.ts";

/** An error on its way to an issue; a union already judged has its issue. */
export interface Finding {
  readonly error: AjvError;
  readonly issue?: SchemaIssue;
}
