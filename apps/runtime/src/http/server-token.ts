import { randomBytes, timingSafeEqual } from "node:crypto";
import { sha256 } from "@basis/core";

/** Fewest characters of a token that was set by hand. */
const MIN_CHARS = 32;
const MAX_CHARS = 512;
/** Fewest different characters among them. */
const MIN_DIFFERENT = 10;

/** A token of 256 random bits. */
export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Why a token that was set by hand is not strong enough to guard a server; undefined for one that is. */
export function weaknessOf(token: string): string | undefined {
  if (token.length < MIN_CHARS || token.length > MAX_CHARS)
    return `has ${token.length} characters, and ${MIN_CHARS} to ${MAX_CHARS} are needed`;
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token)) return "holds characters that a Bearer token cannot have";
  if (new Set(token).size < MIN_DIFFERENT) return `has fewer than ${MIN_DIFFERENT} different characters`;
  return /^(.{1,16}?)\1+.{0,15}$/.test(token) ? "repeats itself" : undefined;
}

/** Tells the right token from others, in a time that does not depend on how much of it is right. */
export function tokenCheck(token: string): (given: string) => boolean {
  const expected = digest(token);
  return (given) => timingSafeEqual(digest(given), expected);
}

function digest(text: string): Buffer {
  return Buffer.from(sha256(text), "hex");
}
