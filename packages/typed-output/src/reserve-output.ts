import { sha256 } from "@basis/core";
import { contentText } from "./content-text.ts";
import { outputError } from "./output-error.ts";
import type { OutputSpec } from "./output-spec.ts";

const PREFIX = "basis_output_";
const MAX_BASE = 14;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const UNIQUE_LENGTH = 16;

/** What a reservation must keep clear of. */
export interface ReserveOptions {
  /** Names of the host's own tools; a reserved name is never among them. */
  readonly taken?: Iterable<string>;
}

/** A spec with the exact name of its terminal tool, good for one run. Frozen; dropping it leaves nothing behind. */
export interface OutputReservation<T> {
  readonly spec: OutputSpec<T>;
  /** `[A-Za-z0-9_]`, at most 64 characters. */
  readonly toolName: string;
  /** Takes the reservation for a run; false when it was taken before. `runOutput` calls it. */
  claim(): boolean;
}

/**
 * Reserves a terminal tool's name for one run, without any side effect.
 * A `unique` name is never repeated; a `stable` one is the same for equal specs, in every process.
 */
export function reserve<T>(spec: OutputSpec<T>, options: ReserveOptions = {}): OutputReservation<T> {
  assertSpec(spec);
  const taken = new Set([...(options.taken ?? [])].map((name) => name.toLowerCase()));
  const toolName = freeName(spec, taken);
  let used = false;
  return Object.freeze({
    spec,
    toolName,
    claim: () => {
      const free = !used;
      used = true;
      return free;
    },
  });
}

function freeName(spec: OutputSpec<unknown>, taken: ReadonlySet<string>): string {
  const base = baseOf(spec.name);
  for (let attempt = 0; ; attempt += 1) {
    const mark = spec.naming === "stable" ? stableMark(spec, attempt) : uniqueMark();
    const name = `${PREFIX}${base}_${mark}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/** At most 14 characters of the spec's name, others than letters, digits and `_` replaced. */
function baseOf(name: string): string {
  const base = name.replaceAll(/[^A-Za-z0-9_]/gu, "_").slice(0, MAX_BASE);
  return base === "" ? "output" : base;
}

function stableMark(spec: OutputSpec<unknown>, attempt: number): string {
  const { name, description, schema } = spec;
  const digest = sha256(contentText({ name, description, schema })).slice(0, UNIQUE_LENGTH);
  return attempt === 0 ? digest : `${digest}_${attempt + 1}`;
}

/** Random bytes are drawn for many names at once: the call costs more than the bytes. */
const pool: Uint8Array<ArrayBuffer> = new Uint8Array(UNIQUE_LENGTH * 64);
let drawn = pool.length;

function uniqueMark(): string {
  if (drawn === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    drawn = 0;
  }
  let mark = "";
  for (const end = drawn + UNIQUE_LENGTH; drawn < end; drawn += 1) mark += ALPHABET[pool[drawn]! & 31];
  return mark;
}

/** @throws TypeError naming what is neither a spec nor a reservation of one. */
export function assertSpec(subject: unknown, name = "the spec"): void {
  const { spec = subject } = Object(subject);
  if (!spec?.withTools) throw new TypeError(`${name} is none that defineOutput() made`);
}

/** True for a reservation, false for a spec. */
export function isReservation<T>(
  subject: OutputSpec<T> | OutputReservation<T>,
): subject is OutputReservation<T> {
  return "toolName" in subject;
}

/** Takes a reservation, or makes one of a spec. @throws OutputError `reservation_used`. */
export function claimReservation<T>(subject: OutputSpec<T> | OutputReservation<T>): OutputReservation<T> {
  const reservation = isReservation(subject) ? subject : reserve(subject);
  if (reservation.claim()) return reservation;
  const { toolName } = reservation;
  throw outputError("reservation_used", `the reservation ${toolName} was used by an earlier run`, {
    details: { toolName },
  });
}
