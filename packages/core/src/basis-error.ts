import type { JsonObject } from "./json.ts";

const BRAND: unique symbol = Symbol.for("@basis/error") as never;

/** What every error of these packages can be built from. */
export interface BasisErrorOptions<Details extends JsonObject = JsonObject> {
  readonly details?: Details;
  readonly cause?: unknown;
}

/**
 * The base of every package's one error class: `code` says what happened, `details` holds its facts as JSON.
 * Branded by `Symbol.for`, so that two installed copies recognise each other's errors (`isBasisError`).
 * Used by every package.
 */
export class BasisError<Code extends string = string, Details extends JsonObject = JsonObject> extends Error {
  readonly code: Code;
  readonly details: Details;

  constructor(code: Code, message: string, options: BasisErrorOptions<Details> = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.details = options.details ?? ({} as Details);
    // Read late: a class that states its `name` is recognised by it also where a bundler has renamed the class.
    Object.defineProperty(this, BRAND, { get: () => this.name });
  }

  /** The error as JSON: name, code, message and details, without stack or cause. */
  toJSON(): JsonObject {
    return { name: this.name, code: this.code, message: this.message, details: this.details };
  }
}

/** True for an error of these packages, whichever copy made it; with `name`, of that package's class (`"HookError"`). */
export function isBasisError(value: unknown, name?: string): value is BasisError {
  if (typeof value !== "object" || value === null) return false;
  const brand = (value as { [BRAND]?: unknown })[BRAND];
  return typeof brand === "string" && (name === undefined || brand === name);
}
