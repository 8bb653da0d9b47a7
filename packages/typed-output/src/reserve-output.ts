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
  const toolName = reserveName(spec, options.taken);
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

function reserveName(spec: OutputSpec<unknown>, names: Iterable<string> | undefined): string {
  const start = startOf(spec);
  const taken = names && new Set([...names].map((name) => name.toLowerCase()));
  for (let attempt = 0; ; attempt += 1) {
    const name = start + (spec.naming === "stable" ? stableMark(spec, attempt) : uniqueMark());
    if (!taken?.has(name.toLowerCase())) return name;
  }
}

const starts = new WeakMap<OutputSpec<unknown>, string>();

/** What a spec's names begin with: of its own name at most 14 characters, others than letters, digits and `_` replaced. */
function startOf(spec: OutputSpec<unknown>): string {
  const known = starts.get(spec);
  if (known !== undefined) return known;
  const base = spec.name.replaceAll(/[^A-Za-z0-9_]/gu, "_").slice(0, MAX_BASE);
  const start = `${PREFIX}${base === "" ? "output" : base}_`;
  starts.set(spec, start);
  return start;
}

function stableMark(spec: OutputSpec<unknown>, attempt: number): string {
  const { name, description, schema } = spec;
  const digest = sha256(contentText({ name, description, schema })).slice(0, UNIQUE_LENGTH);
  return attempt === 0 ? digest : `${digest}_${attempt + 1}`;
}

/** Random characters are drawn for many names at once: the call costs more than they do. */
let pool = "";
let drawn = 0;

function uniqueMark(): string {
  if (drawn === pool.length) {
    const bytes = globalThis.crypto.getRandomValues(new Uint8Array(UNIQUE_LENGTH * 64));
    pool = String.fromCharCode(...bytes.map((byte) => ALPHABET.charCodeAt(byte & 31)));
    drawn = 0;
  }
  drawn += UNIQUE_LENGTH;
  return pool.slice(drawn - UNIQUE_LENGTH, drawn);
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

/** The tool name of a run: of a reservation, which is taken by that, or a new one. @throws OutputError `reservation_used`. */
export function claimName(subject: OutputSpec<unknown> | OutputReservation<unknown>): string {
  if (!isReservation(subject)) return reserveName(subject, undefined);
  const { toolName } = subject;
  if (subject.claim()) return toolName;
  throw outputError("reservation_used", `the reservation ${toolName} was used by an earlier run`, {
    details: { toolName },
  });
}
