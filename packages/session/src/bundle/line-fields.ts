import { isJsonObject, type JsonValue, type TokenUsage } from "@basis/core";
import type { Labels } from "../member.ts";
import { checkCount, checkLabels, checkName } from "../request-checks.ts";
import { isSessionError } from "../session-error.ts";
import { BundleFlaw } from "./bundle-flaw.ts";

/** Reads one field of a line. @throws BundleFlaw `invalid_field`. */
export type FieldReader<T> = (value: JsonValue, field: string) => T;

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{32}$/;

/** Texts that, taken for a path, would lead out of a directory. */
const ESCAPING = /^[\\/]|^[A-Za-z]:[\\/]|(?:^|[\\/])\.\.?(?:[\\/]|$)/;

export function invalidField(field: string, reason: string): BundleFlaw {
  return new BundleFlaw("invalid_field", field, reason);
}

/** A whole number from 0 on. */
export const count: FieldReader<number> = (value, field) => checked(field, () => checkCount(field, value));

export const text: FieldReader<string> = (value, field) => {
  if (typeof value === "string") return value;
  throw invalidField(field, "must be a text");
};

export const name: FieldReader<string> = (value, field) => checked(field, () => checkName(field, value));

/** A name that nobody who takes it for a path is led astray by. */
export const id: FieldReader<string> = (value, field) => {
  const checkedName = name(value, field);
  if (!ESCAPING.test(checkedName)) return checkedName;
  throw invalidField(field, "must be no path");
};

export const digest: FieldReader<string> = matching(DIGEST, "must be sha256: and 64 hexadecimal digits");

export const salt: FieldReader<string> = matching(SALT, "must be 32 hexadecimal digits");

export const labels: FieldReader<Labels> = (value, field) => {
  if (!isJsonObject(value)) throw invalidField(field, "must be an object of texts");
  return checked(field, () => checkLabels(value as Labels));
};

/** The four counts in the order input, output, cached, reasoning. */
export const usage: FieldReader<TokenUsage> = (value, field) => {
  if (!Array.isArray(value) || value.length !== 4) throw invalidField(field, "must be four counts");
  const [inputTokens, outputTokens, cachedInputTokens, reasoningTokens] = value.map((tokens, index) =>
    count(tokens as JsonValue, `${field}/${index}`),
  ) as [number, number, number, number];
  return Object.freeze({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens });
};

export function optional<T>(read: FieldReader<T>): FieldReader<T | null> {
  return (value, field) => (value === null ? null : read(value, field));
}

export function list<T>(read: FieldReader<T>): FieldReader<readonly T[]> {
  return (value, field) => {
    if (!Array.isArray(value)) throw invalidField(field, "must be a list");
    return Object.freeze(value.map((item, index) => read(item as JsonValue, `${field}/${index}`)));
  };
}

export function oneOf<T extends string>(...values: readonly T[]): FieldReader<T> {
  return (value, field) => {
    const found = values.find((each) => each === value);
    if (found !== undefined) return found;
    throw invalidField(field, `must be one of ${values.join(", ")}`);
  };
}

export function upTo(most: number): FieldReader<number> {
  return (value, field) => {
    const read = count(value, field);
    if (read >= 1 && read <= most) return read;
    throw invalidField(field, `must be 1 to ${most}`);
  };
}

function matching(pattern: RegExp, reason: string): FieldReader<string> {
  return (value, field) => {
    if (typeof value === "string" && pattern.test(value)) return value;
    throw invalidField(field, reason);
  };
}

/** Takes the package's own checks over: what they refuse is a flaw of the field. */
function checked<T>(field: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw isSessionError(error, "invalid_request") ? invalidField(field, error.details.reason) : error;
  }
}
