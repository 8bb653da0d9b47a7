import type { JsonObject } from "@basis/core";
import type { RpcErrorObject } from "../../../src/rpc/rpc-error.ts";
import type { TestHost } from "../../harness/test-host.ts";
import { RpcClient, type Answer } from "./rpc-client.ts";

/** A client of a server for a test host, whatever lies between them. */
export interface Client {
  /** Calls; answers the whole answer. */
  ask(method: string, params?: JsonObject): Promise<Answer>;
  /** Calls; answers the result, and rejects with the error otherwise. */
  call(method: string, params?: JsonObject): Promise<any>;
  /** Calls; answers the error. */
  refusal(method: string, params?: JsonObject): Promise<RpcErrorObject>;
}

let connecting: (host: TestHost) => Client = (host) => new RpcClient(host);

/** Serves a host and connects to it: over two streams, unless the suite is run over something else. */
export function connect(host: TestHost): Client {
  return connecting(host);
}

/** Has the suites that are loaded next connect by other means. */
export function connectBy(means: (host: TestHost) => Client): void {
  connecting = means;
}
