import { isJsonObject, parseStrict, type JsonObject, type JsonValue, type StrictParse } from "@basis/core";
import { RpcError } from "./rpc-error.ts";

/** What a caller names its call by; answered as it came. */
export type RpcId = string | number | null;

/** One call. Without an id it is a notification: it is run, and nothing is answered. */
export interface RpcRequest {
  readonly id?: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

/** Most bytes of one message: 4 MiB. */
export const MAX_MESSAGE_BYTES: number = 4 * 1024 * 1024;
/** Most characters of an id or a method's name. */
const MAX_NAME = 256;
const FIELDS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);

/** Reads the text of a message, which is one call or a list of them. @throws RpcError `parse_error`. */
export function parseMessage(text: string): StrictParse & { readonly ok: true } {
  const parsed = parseStrict(text, { maxBytes: MAX_MESSAGE_BYTES });
  if (!parsed.ok) {
    const { problem, offset } = parsed;
    throw new RpcError("parse_error", parsed.message, { problem, offset });
  }
  return parsed;
}

/** The id of what may be a call, as far as it has one; null where it has none that could be answered. */
export function readId(value: JsonValue): RpcId {
  if (!isJsonObject(value) || !Object.hasOwn(value, "id")) return null;
  const id = value["id"];
  return isId(id) ? id : null;
}

/** Reads one call. @throws RpcError `invalid_request`, and `invalid_params` for a list of parameters. */
export function readRequest(value: JsonValue): RpcRequest {
  if (!isJsonObject(value)) throw invalid("a call is an object");
  const unknown = Object.keys(value).find((key) => !FIELDS.has(key));
  if (unknown !== undefined)
    throw invalid(`a call has no field ${JSON.stringify(unknown.slice(0, MAX_NAME))}`);
  if (value["jsonrpc"] !== "2.0") throw invalid('"jsonrpc" must be "2.0"');
  const { id } = value;
  if (id !== undefined && !isId(id))
    throw invalid(`"id" must be a number, null or a text of at most ${MAX_NAME} characters`);
  const call = { method: readMethod(value["method"]), params: readParams(value["params"]) };
  return id === undefined ? call : { ...call, id };
}

function readMethod(method: JsonValue | undefined): string {
  if (typeof method === "string" && method !== "" && method.length <= MAX_NAME) return method;
  throw invalid(`"method" must be a name of at most ${MAX_NAME} characters`);
}

function readParams(params: JsonValue | undefined): JsonObject {
  if (params === undefined || isJsonObject(params)) return params ?? {};
  if (Array.isArray(params))
    throw new RpcError("invalid_params", "parameters are given by name, in an object");
  throw invalid('"params" must be an object');
}

/** True for what may name a call. */
export function isId(value: unknown): value is RpcId {
  if (typeof value === "string") return value.length <= MAX_NAME;
  return typeof value === "number" || value === null;
}

function invalid(message: string): RpcError {
  return new RpcError("invalid_request", message);
}
