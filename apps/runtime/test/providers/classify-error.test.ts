import { addUsage } from "@basis/core";
import { describe, expect, test } from "vitest";
import { classifyError, type ErrorContext } from "../../src/providers/classify-error.ts";
import { isModelError, ModelError } from "../../src/providers/model-error.ts";

const context: ErrorContext = { provider: "acme", nowMs: 0, secrets: [], usage: undefined };

function apiError(statusCode: number | undefined, body?: unknown, headers?: Record<string, string>): Error {
  return Object.assign(new Error("the package's words"), {
    name: "AI_APICallError",
    statusCode,
    responseBody: body === undefined ? undefined : JSON.stringify(body),
    responseHeaders: headers,
    requestBodyValues: { messages: ["the whole transcript"] },
  });
}

describe("an error with a status", () => {
  test.each([
    [400, "bad_request", false],
    [401, "auth", false],
    [402, "quota_exceeded", false],
    [403, "auth", false],
    [404, "not_found", false],
    [408, "server_error", true],
    [413, "bad_request", false],
    [422, "bad_request", false],
    [429, "rate_limited", true],
    [500, "server_error", true],
    [503, "overloaded", true],
    [529, "overloaded", true],
  ] as const)("%i is %s", (status, code, retryable) => {
    expect(classifyError(apiError(status), context)).toMatchObject({ code, retryable, details: { status } });
  });

  test.each([
    ["OpenAI", 400, { error: { message: "too many tokens", code: "context_length_exceeded" } }],
    [
      "Anthropic",
      400,
      {
        error: {
          type: "invalid_request_error",
          message: "prompt is too long: 210000 tokens > 200000 maximum",
        },
      },
    ],
    [
      "Google",
      400,
      {
        error: {
          status: "INVALID_ARGUMENT",
          message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        },
      },
    ],
    [
      "xAI",
      400,
      { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    ],
    ["llama.cpp", 400, { error: { type: "exceed_context_size_error", message: "the request is too long" } }],
    ["OpenRouter", 400, { error: { message: "This endpoint's maximum context length is 8192 tokens" } }],
    [
      "a stream's event",
      undefined,
      {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 2 tokens > 1 maximum" },
      },
    ],
  ] as const)("a request that %s finds too long is context_length", (_who, status, body) => {
    expect(classifyError(apiError(status, body), context)).toMatchObject({
      code: "context_length",
      retryable: false,
    });
  });

  test.each([
    [400, { error: { message: "max_tokens is too large" } }, "bad_request"],
    [429, { error: { message: "reduce the length of the messages, tokens per minute" } }, "rate_limited"],
    [500, { error: { message: "prompt is too long: 3 tokens" } }, "server_error"],
    [
      413,
      { error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
      "bad_request",
    ],
  ] as const)("other refusals with %i are not", (status, body, code) => {
    expect(classifyError(apiError(status, body), context)).toMatchObject({ code });
  });

  test("429 for an empty account is no rate limit", () => {
    const error = apiError(429, { error: { type: "insufficient_quota", message: "no money" } });
    expect(classifyError(error, context)).toMatchObject({ code: "quota_exceeded", retryable: false });
  });

  test("a server's word stands over its 500", () => {
    const error = apiError(500, { type: "rate_limit_error", message: "slow down" });
    expect(classifyError(error, context)).toMatchObject({ code: "rate_limited" });
  });

  test("keeps the pause, the type and the request's id", () => {
    const headers = { "retry-after": "3", "request-id": "req_1" };
    const body = { type: "error", error: { type: "rate_limit_error", message: "slow" } };
    expect(classifyError(apiError(429, body, headers), context).details).toEqual({
      status: 429,
      type: "rate_limit_error",
      requestId: "req_1",
      retryAfterMs: 3000,
    });
  });

  test("keeps what the provider names of the request, without the key", () => {
    const error = {
      message: "not supported",
      type: "invalid_request_error",
      param: "tool_choice.sk-secret-1",
    };
    const { details } = classifyError(apiError(400, { error }), { ...context, secrets: ["sk-secret-1"] });
    expect(details).toEqual({ status: 400, type: "invalid_request_error", param: "tool_choice.***" });
  });

  test("x-should-retry: false is obeyed", () => {
    const error = classifyError(apiError(503, undefined, { "x-should-retry": "false" }), context);
    expect(error).toMatchObject({ code: "overloaded", retryable: false });
  });

  test("never carries the request, nor the key", () => {
    const error = classifyError(Object.assign(apiError(401), { message: "bad key sk-secret-1" }), {
      ...context,
      secrets: ["sk-secret-1"],
    });
    expect(error.message).toBe("acme (401): bad key ***");
    expect(error.cause).toBeUndefined();
    expect(JSON.stringify(error)).not.toContain("transcript");
  });

  test("stays readable where the key is a placeholder of a local server", () => {
    const failed = Object.assign(apiError(404), { message: "no such model" });
    const error = classifyError(failed, { ...context, secrets: ["o"] });
    expect(error.message).toBe("acme (404): no such model");
  });
});

describe("an error of a stream", () => {
  test.each([
    [{ type: "overloaded_error", message: "m" }, "overloaded"],
    [{ type: "rate_limit_error", message: "m" }, "rate_limited"],
    [{ type: "api_error", message: "m" }, "server_error"],
    [{ type: "invalid_request_error", message: "m" }, "bad_request"],
    [{ message: "m", code: "server_error" }, "server_error"],
    [{ message: "m", code: 429 }, "rate_limited"],
    [{ message: "m", statusCode: 503, type: "response.failed" }, "overloaded"],
    [
      { type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "m" } } },
      "rate_limited",
    ],
    [{ message: "m", code: 503, status: "UNAVAILABLE" }, "overloaded"],
    [{ message: "m" }, "stream_error"],
    ["a bare text", "stream_error"],
    [undefined, "stream_error"],
  ] as const)("%j is %s", (error, code) => {
    expect(classifyError(error, context).code).toBe(code);
  });

  test("a message is cut where it gets long", () => {
    expect(classifyError({ message: "x".repeat(9000) }, context).message.length).toBeLessThan(600);
  });
});

describe("a failure of the connection", () => {
  test("is found through the causes and kept as the cause", () => {
    const system = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const error = Object.assign(apiError(undefined), {
      cause: new TypeError("fetch failed", { cause: system }),
    });
    const classified = classifyError(error, context);
    expect(classified).toMatchObject({
      code: "network",
      details: { reason: "ECONNREFUSED" },
      retryable: true,
    });
    expect(classified.cause).toBe(system);
  });

  test("a body that was torn off is one", () => {
    const socket = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
    expect(classifyError(new TypeError("terminated", { cause: socket }), context).code).toBe("network");
    expect(classifyError(new TypeError("terminated"), context).code).toBe("network");
  });

  test("a package that refuses the request is the host's fault", () => {
    const error = Object.assign(new Error("no images"), { name: "AI_UnsupportedFunctionalityError" });
    expect(classifyError(error, context)).toMatchObject({ code: "bad_request", retryable: false });
  });
});

describe("a ModelError", () => {
  test("is JSON by construction, its tokens included", () => {
    const usage = addUsage({ inputTokens: 3 }, {});
    const error = new ModelError("timeout", "late", { details: { watchdog: "idle", timeoutMs: 5 }, usage });
    expect(structuredClone(error.toJSON())).toEqual({
      name: "ModelError",
      code: "timeout",
      message: "late",
      details: { watchdog: "idle", timeoutMs: 5 },
      usage,
    });
  });

  test("passes through as it is, and is known by its brand", () => {
    const error = new ModelError("auth", "no", { details: {} });
    expect(classifyError(error, context)).toBe(error);
    expect(isModelError(error)).toBe(true);
    expect(isModelError(new Error("no"))).toBe(false);
  });
});
