import type { Connection } from "./connection.ts";

/** Why a call was not done, as the host told it. */
export class RpcFailure extends Error {
  override readonly name = "RpcFailure";
  /** The finest name of what happened. */
  readonly kind: string;
  /** Of some failures: what else the host told, such as `nearest_before`. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(kind: string, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.kind = kind;
    this.data = data;
  }
}

/** What goes beside a message. */
export interface RpcOptions {
  /** The token by which a person grants authority. */
  readonly grant?: string;
}

/** Calls methods of the host. @throws RpcFailure */
export type Rpc = <T>(
  method: string,
  params: Readonly<Record<string, unknown>>,
  options?: RpcOptions,
) => Promise<T>;

/** A client of `POST /rpc` at the page's own server. */
export function rpcClient({ token, fetch, signal }: Connection): Rpc {
  let last = 0;
  return async <T>(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { grant }: RpcOptions = {},
  ): Promise<T> => {
    const id = (last += 1);
    const granting = grant === undefined ? {} : { "basis-grant": grant };
    const response = await fetch("/rpc", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...granting },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      signal,
    }).catch((error: Error) => {
      throw new RpcFailure("unreachable", `the host cannot be reached: ${error.message}`);
    });
    const answer = (await response.json().catch(() => ({}))) as Answer<T>;
    if (response.status === 401) throw new RpcFailure("unauthorized", "the host does not know this token");
    if (answer.error !== undefined) throw failureOf(answer.error);
    if (!response.ok || answer.result === undefined)
      throw new RpcFailure("no_answer", `the host answered ${response.status} and nothing more`);
    return answer.result;
  };
}

interface Answer<T> {
  readonly result?: T;
  readonly error?: { readonly message?: string; readonly data?: Readonly<Record<string, unknown>> } | string;
  readonly message?: string;
}

function failureOf(error: NonNullable<Answer<unknown>["error"]>): RpcFailure {
  if (typeof error === "string") return new RpcFailure(error, error);
  const { message = "the host refused", data = {} } = error;
  return new RpcFailure(typeof data["kind"] === "string" ? data["kind"] : "refused", message, data);
}
