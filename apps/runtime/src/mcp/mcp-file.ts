import { childPointer, isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import type { Environment } from "../config/data-dir.ts";
import { StartError } from "../config/start-error.ts";
import { readSettingsFile, shapeProblems, type SettingsProblem } from "../config/settings-file.ts";
import { whyWithheld } from "../config/withheld-variable.ts";
import type { ServerSettings, StdioServer } from "./server-settings.ts";
import { variablesOf } from "./variables.ts";

/** The file's name, at the workspace's root. */
export const MCP_FILE = ".mcp.json";

/** A `.mcp.json` that was read and found right. */
export interface McpFile {
  readonly path: string;
  readonly servers: readonly ServerSettings[];
}

const START_TIMEOUT_MS = 10_000;
const CALL_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 3_600_000;
/** Single underscores alone, so that `mcp__SERVER__TOOL` is read in one way. */
const SERVER_NAME = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/;
const MAX_SERVER_NAME = 32;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const OWN_HEADER = /^(mcp-.*|host|connection|content-(length|type)|transfer-encoding|accept|last-event-id)$/i;

const text: JsonObject = { type: "string" };
const texts: JsonObject = { type: "array", items: text };
const textByName: JsonObject = { type: "object", additionalProperties: text };
const times: JsonObject = {
  start_timeout_ms: { type: "integer", minimum: 1 },
  call_timeout_ms: { type: "integer", minimum: 1 },
};

const fileSchema: JsonObject = {
  type: "object",
  required: ["mcpServers"],
  additionalProperties: false,
  properties: { mcpServers: { type: "object", additionalProperties: { type: "object" } } },
};

const stdioSchema: JsonObject = {
  type: "object",
  required: ["command"],
  additionalProperties: false,
  properties: {
    type: { enum: ["stdio", "http"] },
    command: { type: "string", minLength: 1 },
    args: texts,
    env: textByName,
    cwd: { type: "string", minLength: 1 },
    files: { type: "array", items: { type: "string", minLength: 1 } },
    ...times,
  },
};

const httpSchema: JsonObject = {
  type: "object",
  required: ["type", "url"],
  additionalProperties: false,
  properties: { type: { enum: ["stdio", "http"] }, url: { type: "string" }, headers: textByName, ...times },
};

/**
 * Reads `.mcp.json`; nothing is started. Undefined when there is none.
 *
 * @throws StartError `workspace` with file and line of everything that is wrong.
 */
export async function readMcpFile(root: string, env: Environment): Promise<McpFile | undefined> {
  const file = await readSettingsFile(root, MCP_FILE);
  if (file === undefined) return undefined;
  file.refuse(shapeProblems(fileSchema, file.value));
  const entries = Object.entries((file.value as { mcpServers: Record<string, JsonObject> }).mcpServers);
  file.refuse(entries.flatMap(([name, entry]) => entryProblems(name, entry, env)));
  return { path: file.path, servers: entries.map(([name, entry]) => withDefaults(name, entry)) };
}

/**
 * Reads one entry that stands in no file, by the same rules.
 *
 * @throws StartError `workspace` with `place` and everything that is wrong.
 */
export function readServerEntry(
  { name, entry, place }: { readonly name: string; readonly entry: JsonObject; readonly place: string },
  env: Environment,
): ServerSettings {
  const problems = entryProblems(name, entry, env);
  if (problems.length === 0) return withDefaults(name, entry);
  const own = childPointer("/mcpServers", name);
  throw new StartError(
    "workspace",
    problems.map(({ pointer, message }) => `${place}${pointer.slice(own.length)}: ${message}`),
  );
}

function entryProblems(name: string, entry: JsonObject, env: Environment): readonly SettingsProblem[] {
  const pointer = childPointer("/mcpServers", name);
  const problems = [...nameProblems(name, pointer)];
  if (entry["type"] === "sse") {
    const message = `the transport "sse" is of an older protocol; use "http" with the server's streamable address`;
    return [...problems, { pointer: `${pointer}/type`, message }];
  }
  const isHttp = entry["type"] === "http" || (entry["type"] === undefined && entry["url"] !== undefined);
  const shape = shapeProblems(isHttp ? httpSchema : stdioSchema, entry, pointer);
  if (shape.length > 0) return [...problems, ...shape];
  const own = isHttp ? httpProblems(entry, pointer) : stdioProblems(entry, pointer);
  return [...problems, ...timeProblems(entry, pointer), ...own, ...variableProblems(entry, pointer, env)];
}

function nameProblems(name: string, pointer: string): readonly SettingsProblem[] {
  if (SERVER_NAME.test(name) && name.length <= MAX_SERVER_NAME) return [];
  const message = `a server's name has 1 to ${MAX_SERVER_NAME} letters, digits and -, single _ between them`;
  return [{ pointer, message }];
}

function timeProblems(entry: JsonObject, pointer: string): readonly SettingsProblem[] {
  return ["start_timeout_ms", "call_timeout_ms"]
    .filter((key) => Number(entry[key] ?? 1) > MAX_TIMEOUT_MS)
    .map((key) => ({ pointer: `${pointer}/${key}`, message: `must be ${MAX_TIMEOUT_MS} or less` }));
}

function stdioProblems(entry: JsonObject, pointer: string): readonly SettingsProblem[] {
  const words = ["command", "cwd", "args", "files"].flatMap((key) =>
    placesOf(entry[key], `${pointer}/${key}`).flatMap(literalProblems),
  );
  const files = placesOf(entry["files"], `${pointer}/files`)
    .filter(({ value }) => !staysInside(value))
    .map((place) => ({ pointer: place.pointer, message: "must be a relative path inside the workspace" }));
  const names = namesOf(entry["env"])
    .filter((name) => !VARIABLE_NAME.test(name))
    .map((name) => ({
      pointer: childPointer(`${pointer}/env`, name),
      message: `"${name}" is no variable's name`,
    }));
  return [...words, ...files, ...names];
}

function httpProblems(entry: JsonObject, pointer: string): readonly SettingsProblem[] {
  const { url } = entry as { readonly url: string };
  const problems = literalProblems({ pointer: `${pointer}/url`, value: url });
  const address = urlProblem(url, JSON.stringify(entry["headers"] ?? {}).includes("${"));
  const headers = namesOf(entry["headers"]).flatMap((name) => {
    const at = childPointer(`${pointer}/headers`, name);
    if (!HEADER_NAME.test(name)) return [{ pointer: at, message: `"${name}" is no header's name` }];
    if (OWN_HEADER.test(name)) return [{ pointer: at, message: `the protocol itself sets "${name}"` }];
    const value = (entry["headers"] as Readonly<Record<string, string>>)[name]!;
    return /^[\t\x20-\x7e]*$/.test(value) ? [] : [{ pointer: at, message: "must be printable ASCII text" }];
  });
  const own = address === undefined ? [] : [{ pointer: `${pointer}/url`, message: address }];
  return [...problems, ...(problems.length > 0 ? [] : own), ...headers];
}

function urlProblem(text: string, carriesSecrets: boolean): string | undefined {
  if (!URL.canParse(text)) return "must be an http or https address";
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return "must be an http or https address";
  if (username !== "" || password !== "") return "must hold no credentials; set a header with ${NAME}";
  if (hash !== "") return "must hold no #fragment";
  const isLocal = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  if (protocol === "http:" && carriesSecrets && !isLocal)
    return "must be https: a header with ${NAME} would cross the network in the clear";
  return undefined;
}

/** Variables go into `env` and `headers`, and never hold a model provider's key. */
function variableProblems(entry: JsonObject, pointer: string, env: Environment): readonly SettingsProblem[] {
  return ["env", "headers"].flatMap((key) =>
    placesOf(entry[key], `${pointer}/${key}`).flatMap(({ pointer: at, value }) => {
      const { names, problem } = variablesOf(value);
      const keys = names.flatMap((name) => {
        const why = whyWithheld(name, env);
        return why === undefined ? [] : [{ name, why }];
      });
      return [
        ...(problem === undefined ? [] : [{ pointer: at, message: problem }]),
        ...keys.map(({ name, why }) => ({
          pointer: at,
          message: `\${${name}} is ${why}, which no server gets; if it must be, export it under another name`,
        })),
      ];
    }),
  );
}

function literalProblems({ pointer, value }: Place): readonly SettingsProblem[] {
  if (value.includes("\0")) return [{ pointer, message: "must hold no NUL character" }];
  if (!value.includes("${")) return [];
  return [
    { pointer, message: "${NAME} is expanded in env and headers alone; write the value, or pass it by env" },
  ];
}

interface Place {
  readonly pointer: string;
  readonly value: string;
}

/** The texts of a field, with the places where they stand. */
function placesOf(value: JsonValue | undefined, pointer: string): readonly Place[] {
  if (typeof value === "string") return [{ pointer, value }];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(asObject(value));
  return members.map(([key, member]) => ({ pointer: childPointer(pointer, key), value: String(member) }));
}

function namesOf(value: JsonValue | undefined): readonly string[] {
  return Object.keys(asObject(value));
}

function asObject(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

/** Judged as text, for either kind of slash. */
function staysInside(path: string): boolean {
  const parts = path.split(/[/\\]/);
  return parts[0] !== "" && !/^[A-Za-z]:/.test(path) && !parts.includes("..");
}

function withDefaults(name: string, entry: JsonObject): ServerSettings {
  const { start_timeout_ms: start, call_timeout_ms: call } = entry as Record<string, number>;
  const shared = { name, startTimeoutMs: start ?? START_TIMEOUT_MS, callTimeoutMs: call ?? CALL_TIMEOUT_MS };
  if (entry["url"] !== undefined) {
    const { url, headers = {} } = entry as { url: string; headers?: Record<string, string> };
    return { ...shared, type: "http", url, headers };
  }
  const given = entry as unknown as Pick<StdioServer, "command"> & Partial<StdioServer>;
  const { command, args = [], env = {}, files = [], cwd = "." } = given;
  return { ...shared, type: "stdio", command, args, env, files, cwd };
}
