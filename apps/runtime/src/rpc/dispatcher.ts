import type { JsonObject, JsonValue } from "@basis/core";
import { errorObject } from "./error-object.ts";
import { RpcError, type RpcErrorObject } from "./rpc-error.ts";
import { parseMessage, readId, readRequest, type RpcId, type RpcRequest } from "./rpc-message.ts";
import type { MethodEntry, ParameterIssue, RpcCaller, RpcMethod } from "./rpc-method.ts";

/** What a dispatcher is made of. */
export interface DispatcherOptions {
  readonly methods: readonly (RpcMethod | MethodEntry)[];
  /** Told of a failure that nobody foresaw, whose text the caller is not shown. */
  readonly report: (method: string, error: unknown) => void;
  /** Most calls that run at once. Default 64. */
  readonly maxInFlight?: number | undefined;
}

/** Runs the calls of any number of connections. */
export interface Dispatcher {
  /** Runs one message; answers the text to send back, or undefined for notifications alone. Never rejects. */
  handle(text: string, caller: RpcCaller): Promise<string | undefined>;
  /** Refuses what comes from now on. */
  close(): void;
}

const MAX_IN_FLIGHT = 64;
/** Most calls of one batch. */
const MAX_BATCH = 64;
/** Most complaints about parameters that an answer lists. */
const MAX_ISSUES = 20;

/** Makes the one dispatcher of every transport. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  return new MethodDispatcher(options);
}

class MethodDispatcher implements Dispatcher {
  readonly #methods: ReadonlyMap<string, RpcMethod | MethodEntry>;
  readonly #report: DispatcherOptions["report"];
  readonly #maxInFlight: number;
  #running = 0;
  #closed = false;

  constructor({ methods, report, maxInFlight = MAX_IN_FLIGHT }: DispatcherOptions) {
    this.#methods = new Map(methods.map((method) => [method.name, method]));
    this.#report = report;
    this.#maxInFlight = maxInFlight;
  }

  async handle(text: string, caller: RpcCaller): Promise<string | undefined> {
    let message: JsonValue;
    try {
      const { value, unsafeIntegers } = parseMessage(text);
      message = value;
      refuseLostDigits(unsafeIntegers);
      if (Array.isArray(message)) refuseBatch(message);
    } catch (error) {
      return failed(null, this.#objectOf("message", error));
    }
    if (!Array.isArray(message)) return this.#answer(message, caller);
    const answers = await Promise.all(message.map((each: JsonValue) => this.#answer(each, caller)));
    const given = answers.filter((each) => each !== undefined);
    return given.length === 0 ? undefined : `[${given.join(",")}]`;
  }

  close(): void {
    this.#closed = true;
  }

  /** Every failure of a call ends here, and so does that of writing its result down. */
  async #answer(value: JsonValue, caller: RpcCaller): Promise<string | undefined> {
    let request: RpcRequest | undefined;
    try {
      request = readRequest(value);
      const result = (await this.#run(request, caller)) ?? null;
      if (request.id === undefined) return undefined;
      return JSON.stringify({ jsonrpc: "2.0", id: request.id, result });
    } catch (error) {
      const object = this.#objectOf(request?.method ?? "message", error);
      if (request !== undefined && request.id === undefined) return undefined;
      return failed(readId(value), object);
    }
  }

  async #run(request: RpcRequest, caller: RpcCaller): Promise<unknown> {
    const entry = this.#methods.get(request.method);
    if (entry === undefined)
      throw new RpcError("method_not_found", `there is no method ${JSON.stringify(request.method)}`);
    if (this.#closed) throw new RpcError("unavailable", "the server is ending", { kind: "shutting_down" });
    const method = "load" in entry ? await entry.load() : entry;
    if (!method.urgent && this.#running >= this.#maxInFlight)
      throw new RpcError(
        "overloaded",
        `${this.#maxInFlight} calls run already: send it again when one has ended`,
      );
    const params = readParams(method, request.params);
    this.#running += 1;
    try {
      return await method.call(params as never, caller);
    } finally {
      this.#running -= 1;
    }
  }

  #objectOf(method: string, error: unknown): RpcErrorObject {
    const object = errorObject(error);
    if (object !== undefined) return object;
    this.#report(method, error);
    return new RpcError("internal", "the host failed; its standard error tells how").object;
  }
}

function readParams(method: RpcMethod, params: JsonObject): unknown {
  const read = method.params.safeParse(params);
  if (read.success) return read.data;
  const issues = read.error.issues.slice(0, MAX_ISSUES).map(issueOf);
  const inWords = issues
    .map(({ path, message }) => `${path === "" ? "params" : path}: ${message}`)
    .join("; ");
  throw new RpcError("invalid_params", inWords, { issues });
}

function issueOf({ path, message }: ParameterIssue): { readonly path: string; readonly message: string } {
  return { path: path.map(String).join("."), message: message.slice(0, 500) };
}

function refuseLostDigits(pointers: readonly string[]): void {
  const [first] = pointers;
  if (first === undefined) return;
  throw new RpcError("invalid_request", `the whole number at ${first} is beyond 2^53 and lost digits`, {
    pointer: first,
  });
}

function refuseBatch(batch: readonly JsonValue[]): void {
  if (batch.length === 0) throw new RpcError("invalid_request", "a batch holds at least one call");
  if (batch.length > MAX_BATCH)
    throw new RpcError("invalid_request", `a batch holds at most ${MAX_BATCH} calls, not ${batch.length}`);
}

function failed(id: RpcId, error: RpcErrorObject): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}
