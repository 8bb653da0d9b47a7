import { canonicalJson, digestJson, type JsonObject } from "@basis/core";
import { pinProgram, type FilePin } from "@basis/hooks/trust";
import type { Environment } from "./data-dir.ts";

/** What kind of thing a workspace's file asks for. */
export type GrantKind = "mcp" | "tool" | "agent" | "skill";

/** Something that a workspace's file asks for: to start a program, to open a connection, to say who a child is. */
export interface GrantRequest {
  readonly kind: GrantKind;
  readonly name: string;
  /** Every field, defaults filled in. */
  readonly settings: JsonObject;
  /** Names of the host's variables that it is given. */
  readonly variables: readonly string[];
  /** The program that it starts, as found from the workspace; absent for a connection or an agent. */
  readonly program?:
    | {
        readonly command: readonly string[];
        readonly files: readonly string[];
        readonly env: readonly string[];
      }
    | undefined;
}

/** A request as it was when the user said yes to it. */
export interface Grant {
  readonly kind: GrantKind;
  readonly name: string;
  /** Over every field but `unpinned`. */
  readonly digest: string;
  readonly settings: JsonObject;
  readonly variables: readonly string[];
  /** What its program's first word stood for; null without one. */
  readonly program: string | null;
  readonly files: readonly FilePin[];
  /** Why its code is not fixed by these pins. */
  readonly unpinned: readonly string[];
}

/** A request, pinned as it stands now. */
export interface PinnedGrant {
  readonly request: GrantRequest;
  readonly grant: Grant;
  /** The file of the program, found once. */
  readonly programPath: string | undefined;
}

/** Where requests are pinned. */
export interface GrantPlace {
  readonly workspace: string;
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

/** Pins a request with the code that it would run. */
export async function pinGrant(request: GrantRequest, place: GrantPlace): Promise<PinnedGrant> {
  const { kind, name, settings, program } = request;
  const variables = [...request.variables].toSorted();
  const pin = program && (await pinProgram({ name, ...program }, place));
  const facts = { kind, name, settings, variables, program: pin?.program ?? null, files: pin?.files ?? [] };
  const digest = digestJson(facts);
  const grant = { ...facts, digest, unpinned: pin?.unpinned ?? [] };
  return { request, grant, programPath: pin?.programPath };
}

/** What differs between grants that were given and those asked for now, in words; empty when nothing does. */
export function grantChanges(given: readonly Grant[], asked: readonly Grant[]): readonly string[] {
  const before = new Map(given.map((grant) => [grant.name, grant]));
  const after = new Map(asked.map((grant) => [grant.name, grant]));
  const gone = given.filter(({ name }) => !after.has(name)).map((grant) => `${inWords(grant)} is gone`);
  const other = asked.flatMap((grant) => {
    const was = before.get(grant.name);
    if (was === undefined) return [`${inWords(grant)} was added`];
    return changesOf(was, grant).map((change) => `${inWords(grant)}: ${change}`);
  });
  return [...other, ...gone];
}

/** `MCP server 'files'`. */
export function inWords({ kind, name }: Pick<Grant, "kind" | "name">): string {
  return `${kind === "mcp" ? "MCP server" : kind} '${name}'`;
}

function changesOf(was: Grant, is: Grant): readonly string[] {
  if (was.digest === is.digest) return was.unpinned.length === 0 && is.unpinned.length > 0 ? is.unpinned : [];
  const keys = new Set([...Object.keys(was.settings), ...Object.keys(is.settings)]);
  const fields = [...keys].filter((key) => textOf(was.settings[key]) !== textOf(is.settings[key]));
  const changes = fields.map((key) => `'${key}' changed`);
  if (was.program !== is.program) changes.push(`its program was '${was.program}' and is '${is.program}'`);
  changes.push(...changedFiles(was.files, is.files));
  return changes.length === 0 ? ["it changed"] : changes;
}

function textOf(value: JsonObject[string] | undefined): string {
  return canonicalJson(value ?? null);
}

function changedFiles(was: readonly FilePin[], is: readonly FilePin[]): readonly string[] {
  const before = new Map(was.map(({ path, digest }) => [path, digest]));
  const after = new Map(is.map(({ path, digest }) => [path, digest]));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => (after.get(path) === null ? `${path} cannot be read` : `${path} changed`));
}
