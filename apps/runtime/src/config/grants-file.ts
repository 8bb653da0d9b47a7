import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, newId, parseStrict, sha256, type JsonValue } from "@basis/core";
import { HookError } from "@basis/hooks";
import { isInside } from "../tools/workspace-path.ts";
import type { Grant, GrantKind } from "./grant.ts";

const SCHEMA = 1;
const MAX_BYTES = 16 * 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;

/** Where the grants of one workspace are kept. */
export interface GrantsPlace {
  /** The record of trusted hooks, beside which grants lie. */
  readonly trustFile: string;
  /** Its real path. */
  readonly workspace: string;
}

/**
 * What the user granted to a workspace; undefined when nothing ever was. The file is the user's alone, outside the
 * workspace.
 *
 * @throws HookError `invalid_trust_file`
 */
export function readGrants(place: GrantsPlace): readonly Grant[] | undefined {
  const path = grantsPath(place);
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  if (!facts.isFile() || facts.size > MAX_BYTES) throw invalid(path, "it is not a file of this program's");
  const own = process.getuid?.();
  if (own !== undefined && facts.uid !== own) throw invalid(path, "it belongs to another user");
  if (own !== undefined && (facts.mode & WRITABLE_BY_OTHERS) !== 0)
    throw invalid(path, "others than its owner may write to it");
  const parsed = parseStrict(readFileSync(path, "utf8"), { maxBytes: MAX_BYTES });
  if (!parsed.ok) throw invalid(path, `it is not JSON: ${parsed.message}`);
  return grantsOf(path, parsed.value, place.workspace);
}

/** Keeps the grants of a workspace in place of those it had; without any, it is forgotten. */
export function writeGrants(place: GrantsPlace, grants: readonly Grant[]): void {
  const path = grantsPath(place);
  if (grants.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  const text = JSON.stringify({ schema: SCHEMA, workspace: place.workspace, grants }, null, 2);
  const next = `${path}.${newId().slice(-12)}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    chmodSync(dirname(path), 0o700);
    writeFileSync(next, `${text}\n`, { flag: "wx", mode: 0o600, flush: true });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw invalid(path, `it cannot be written: ${(error as Error).message}`, error);
  }
}

/** One file a workspace, so that two processes never write over each other's workspaces. */
/** The file of a workspace. */
export function grantsPath({ trustFile, workspace }: GrantsPlace): string {
  const directory = join(dirname(trustFile), "grants");
  const path = join(directory, `${sha256(workspace)}.json`);
  if (isInside(workspace, trustFile)) throw invalid(path, `it lies inside the workspace ${workspace}`);
  const there = statSync(directory, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory()) throw invalid(path, `${directory} is no directory`);
  return path;
}

function grantsOf(path: string, document: JsonValue, workspace: string): readonly Grant[] {
  const { schema, grants, workspace: named } = isJsonObject(document) ? document : {};
  if (schema !== SCHEMA) throw invalid(path, `this version reads schema ${SCHEMA}`);
  if (named !== workspace) throw invalid(path, "it is about another workspace");
  if (!Array.isArray(grants) || !grants.every(isGrant)) throw invalid(path, "it is no list of grants");
  return grants as readonly unknown[] as readonly Grant[];
}

function isGrant(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { kind, name, digest, settings, variables, program, files, unpinned } = value;
  return (
    kinds.has(kind) &&
    [name, digest, program ?? ""].every((text) => typeof text === "string") &&
    isJsonObject(settings ?? null) &&
    [variables, unpinned].every(isTexts) &&
    Array.isArray(files) &&
    files.every(isFilePin)
  );
}

function isTexts(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isFilePin(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { path, digest } = value;
  return typeof path === "string" && (digest === null || typeof digest === "string");
}

function invalid(path: string, why: string, cause?: unknown): HookError {
  return new HookError(
    "invalid_trust_file",
    `the record of trust ${path} cannot be used: ${why}; correct it, or delete it to start anew`,
    { details: { path }, cause },
  );
}

const kinds: ReadonlySet<unknown> = new Set<GrantKind>(["mcp", "tool", "agent", "skill"]);
