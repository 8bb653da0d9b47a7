import { isJsonObject, type JsonObject } from "@basis/core";

/** What can be read from anything a provider package throws or streams as an error. */
export interface ErrorFacts {
  readonly message: string;
  /** Every message that is in it: the package's own, and the provider's. */
  readonly messages: readonly string[];
  readonly status?: number;
  /** The provider's own words for it, lower case: type, code and status joined. */
  readonly words: string;
  readonly type?: string;
  /** The parameter of the request that the provider names, at most 200 characters. */
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads an error of any shape: an API error with its body, an error event of a stream, a text, an exception. */
export function readErrorFacts(error: unknown): ErrorFacts {
  if (typeof error === "string") return { message: error, messages: [error], words: "" };
  if (typeof error !== "object" || error === null)
    return { message: "the provider gave no reason", messages: [], words: "" };
  const source = error as Record<string, unknown>;
  const layers = [source, ...layersOf(source["data"]), ...layersOf(bodyOf(source)), ...layersOf(source)];
  const type = firstText(layers, "type", isTelling);
  const param = firstText(layers, "param")?.slice(0, 200);
  const status = firstStatus(layers);
  const headers = headersOf(source["responseHeaders"]);
  return {
    message: firstText(layers, "message") ?? "the provider gave no reason",
    messages: messagesOf(layers),
    words: wordsOf(layers),
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(param === undefined ? {} : { param }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** The objects in which providers put the facts: the value, its `error`, its `response` and that one's `error`. */
function layersOf(value: unknown): Record<string, unknown>[] {
  if (!isJsonObject(value)) return [];
  const { error, response } = value as { error?: unknown; response?: unknown };
  const inner = isJsonObject(response) ? [response, (response as { error?: unknown }).error] : [];
  return [value, error, ...inner].filter((layer) => isJsonObject(layer));
}

function bodyOf(source: Record<string, unknown>): JsonObject | undefined {
  const body = source["responseBody"];
  if (typeof body !== "string" || !body.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `error` and `response.failed` only say that there is an error. */
function isTelling(type: string): boolean {
  return type !== "error" && type !== "response.failed";
}

function firstText(
  layers: readonly Record<string, unknown>[],
  key: string,
  accept: (text: string) => boolean = () => true,
): string | undefined {
  for (const layer of layers) {
    const value = layer[key];
    if (typeof value === "string" && value !== "" && accept(value)) return value;
  }
  return undefined;
}

function firstStatus(layers: readonly Record<string, unknown>[]): number | undefined {
  for (const layer of layers) {
    for (const key of ["statusCode", "status", "code"]) {
      const value = Number(layer[key]);
      if (Number.isInteger(value) && value >= 300 && value <= 599) return value;
    }
  }
  return undefined;
}

/** Some servers put their message where others put an object that has one. */
function messagesOf(layers: readonly Record<string, unknown>[]): readonly string[] {
  return layers.flatMap(({ message, error }) => [message, error]).filter((text) => typeof text === "string");
}

function wordsOf(layers: readonly Record<string, unknown>[]): string {
  const words = layers.flatMap((layer) => [layer["type"], layer["code"], layer["status"]]);
  return words
    .filter((word) => typeof word === "string")
    .join(" ")
    .toLowerCase();
}

function headersOf(value: unknown): Readonly<Record<string, string>> | undefined {
  return isJsonObject(value) ? (value as unknown as Record<string, string>) : undefined;
}
