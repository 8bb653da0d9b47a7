import { digestJson, type JsonObject, type JsonValue, type ModelRef } from "@basis/core";
import type { Secrets } from "../../secrets/secrets.ts";
import { withoutDrawnNames } from "./terminal-names.ts";
import type { ModelMessage, ModelRequest } from "../model.ts";

/** What stands before the messages of a request; repeated from round to round. */
export type RequestHead = {
  readonly agent: string;
  readonly model: { readonly provider: string; readonly id: string };
  readonly system: string;
  readonly tools: readonly JsonObject[];
};

/** A request without its session's names, in canonical form: what a recorded round is found by. */
export interface CanonicalRequest {
  readonly key: string;
  readonly headDigest: string;
  readonly head: RequestHead;
  readonly digests: readonly string[];
  readonly messages: readonly ModelMessage[];
  /** Tool choice and what else is asked for, absent members left out. */
  readonly asks: JsonObject;
}

/** Makes requests canonical: without secrets, and without what differs from session to session. */
export class RequestReader {
  readonly #secrets: Secrets;
  readonly #seen = new WeakMap<ModelMessage, { readonly digest: string; readonly message: ModelMessage }>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  read(request: ModelRequest, { provider, id }: ModelRef): CanonicalRequest {
    const { agent, system = "", tools, toolChoice, responseFormat, maxOutputTokens } = request;
    const head = this.clean({
      agent,
      model: { provider, id },
      system,
      tools: tools.map((tool) => ({ ...tool })),
    } satisfies RequestHead) as unknown as RequestHead;
    const asks = this.clean({
      tool_choice: { ...toolChoice },
      ...(responseFormat && { response_format: { ...responseFormat } }),
      ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    });
    const read = request.messages.map((message) => this.#message(message));
    const digests = read.map(({ digest }) => digest);
    const headDigest = shortDigest(head);
    const key = digestJson({ head: headDigest, messages: digests, asks });
    return { key, headDigest, head, digests, messages: read.map(({ message }) => message), asks };
  }

  /** Without secrets and drawn names. */
  clean<Value extends JsonValue>(value: Value): Value {
    return withoutDrawnNames(this.#secrets.redactJson(value));
  }

  #message(message: ModelMessage): { readonly digest: string; readonly message: ModelMessage } {
    const known = this.#seen.get(message);
    if (known !== undefined) return known;
    const clean = this.clean(message as unknown as JsonObject);
    const read = { digest: shortDigest(clean), message: clean as unknown as ModelMessage };
    this.#seen.set(message, read);
    return read;
  }
}

/** Half a SHA-256 is enough to tell the parts of one recording apart. */
export function shortDigest(value: JsonValue): string {
  return digestJson(value)
    .replace(/^sha256:/, "")
    .slice(0, 32);
}
