import type { JsonObject } from "@basis/core";

/**
 * Why a call is refused, as a number of JSON-RPC. Those from -32700 to -32600 are the protocol's own, the others this host's.
 * A number is never given another meaning.
 */
export const rpcCode = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal: -32603,
  /** Too many calls or turns at once: send it again later. */
  overloaded: -32000,
  /** A turn, a fork or another process holds what is asked for. */
  busy: -32001,
  not_found: -32002,
  /** Somebody else went on meanwhile: what the caller knows is out of date. */
  fenced: -32003,
  /** The source's alias is not the caller's to use, or not now. */
  scope: -32004,
  /** The point lies between a call and its result. */
  split: -32005,
  boundary: -32006,
  conflict: -32007,
  closed: -32008,
  /** A fork is committed and not seated: resume it. */
  unseated: -32009,
  /** It grants authority, and no person's credential came with it. */
  forbidden: -32010,
  unavailable: -32011,
  cancelled: -32012,
} as const;

/** The name of a code. */
export type RpcErrorName = keyof typeof rpcCode;

/** What a caller does next; see `ForkRetry`. */
export type RpcRetry = "never" | "after_fix" | "same_request" | "resume";

/** A refusal as it stands in an answer. */
export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data: RpcErrorData;
}

/** The facts of a refusal. A client decides by these and reads no message. */
export interface RpcErrorData extends JsonObject {
  /** The finest name of what happened: that of the error where it came from. */
  readonly kind: string;
  readonly retry: RpcRetry;
  /** True when something durable was made, or may have been. */
  readonly committed: boolean;
}

const retries: Readonly<Partial<Record<RpcErrorName, RpcRetry>>> = {
  method_not_found: "never",
  internal: "never",
  overloaded: "same_request",
  busy: "same_request",
  not_found: "never",
  closed: "never",
  unseated: "resume",
  unavailable: "same_request",
  cancelled: "same_request",
};

/** The usual advice for a code. */
export function retryOf(name: RpcErrorName): RpcRetry {
  return retries[name] ?? "after_fix";
}

/** A refusal of the server itself. `facts` stand in its data. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly object: RpcErrorObject;

  constructor(code: RpcErrorName, message: string, facts: JsonObject = {}) {
    super(message);
    const data = { kind: code, retry: retryOf(code), committed: false, ...facts };
    this.object = { code: rpcCode[code], message, data };
  }
}
