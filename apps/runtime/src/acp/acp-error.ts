import type { JsonObject } from "@basis/core";
import { RequestError } from "@agentclientprotocol/sdk";
import { errorObject } from "../rpc/error-object.ts";
import { rpcCode, type RpcErrorObject } from "../rpc/rpc-error.ts";

/** Every refusal for which neither JSON-RPC nor the protocol has a number; `data.kind` is its finest name. */
export const REFUSED = -32050;
/** A request that its sender took back. */
export const CANCELLED = -32800;

/** Those that mean the same in the protocol. */
const shared: ReadonlySet<number> = new Set([
  rpcCode.parse_error,
  rpcCode.invalid_request,
  rpcCode.method_not_found,
  rpcCode.invalid_params,
  rpcCode.internal,
  rpcCode.not_found,
]);

/** A refusal of the host as the protocol spells it: `data` is as in an answer of JSON-RPC, the number may be another. */
export function refusalOf({ code, message, data }: RpcErrorObject, facts: JsonObject = {}): RequestError {
  const told = { ...data, ...facts };
  if (code === rpcCode.cancelled) return new RequestError(CANCELLED, message, told);
  return new RequestError(shared.has(code) ? code : REFUSED, message, told);
}

/** What any failure says to an editor; of one that nobody foresaw the text goes to `report` alone. */
export function requestError(
  error: unknown,
  facts: JsonObject,
  report: (error: unknown) => void,
): RequestError {
  if (error instanceof RequestError) return error;
  const object = errorObject(error);
  if (object !== undefined) return refusalOf(object, facts);
  report(error);
  return new RequestError(rpcCode.internal, "the host failed; its standard error tells how", {
    kind: "internal",
    retry: "never",
  });
}
