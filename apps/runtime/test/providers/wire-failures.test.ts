import { manualClock } from "@basis/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import type { Model, ModelEvent } from "../../src/providers/model.ts";
import { openModel, type OpenModelOptions } from "../../src/providers/open-model.ts";
import type { ProviderKind } from "../../src/providers/provider-settings.ts";
import { hurriedClock, ofType, requestOf, runRound, until } from "./rounds.ts";
import {
  anthropicEvent,
  anthropicText,
  chatEvent,
  messageStart,
  refusal,
  startStream,
  startTalking,
  WireServer,
  type WireAnswer,
} from "./wire-server.ts";

const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(
  kind: ProviderKind,
  answers: readonly WireAnswer[],
  options: OpenModelOptions = {},
): Promise<{ model: Model; server: WireServer }> {
  const server = new WireServer(...answers);
  servers.push(server);
  const baseUrl = await server.listen();
  const model = openModel("wire/claude-sonnet-4-5", {
    env: { WIRE_API_KEY: "test-key" },
    providers: { wire: { kind, baseUrl, keyVariable: "WIRE_API_KEY" } },
    clock: hurriedClock,
    random: () => 0,
    ...options,
  });
  return { model, server };
}

const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };

/** A message that starts, says what it is given, and then fails. */
function failsAfter(texts: readonly string[], failure = overloaded): WireAnswer {
  return (response) => {
    startTalking(response, ...texts);
    anthropicEvent(response, failure);
    response.end();
  };
}

test("a web page in place of an answer is told as a wrong address, and asked for once", async () => {
  const page: WireAnswer = (response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end("<html>sign in</html>");
  };
  for (const kind of ["anthropic", "openai-compatible"] as const) {
    const { model, server } = await serve(kind, [page]);
    const { error } = await runRound(model, requestOf());
    expect(error).toMatchObject({
      code: "not_found",
      message: "wire (200): its address answers with a web page, not as a model",
    });
    expect(server.requests).toHaveLength(1);
  }
});

describe("an error in mid-stream, without a status", () => {
  test("is asked again when nothing was visible, and the failed attempt's tokens are counted", async () => {
    const { model, server } = await serve("anthropic", [failsAfter([]), anthropicText("Here.")]);
    const { events, error } = await runRound(model, requestOf());
    expect(error).toBeUndefined();
    expect(ofType(events, "retry")).toMatchObject([{ attempt: 2, delayMs: 500 }]);
    expect(ofType(events, "finish")[0]?.usage).toMatchObject({ inputTokens: 22, outputTokens: 6 });
    expect(server.requests).toHaveLength(2);
  });

  test("ends the round with its code and the tokens so far once text was visible", async () => {
    const { model, server } = await serve("anthropic", [failsAfter(["Half an ans"])]);
    const { events, error } = await runRound(model, requestOf());
    expect(ofType(events, "text").map((event) => event.delta)).toEqual(["Half an ans"]);
    expect(error).toMatchObject({ code: "overloaded", usage: { inputTokens: 11 } });
    expect(server.requests).toHaveLength(1);
  });

  test("is not asked again when the provider's word says that it would not help", async () => {
    const failure = { type: "error", error: { type: "invalid_request_error", message: "bad schema" } };
    const { model, server } = await serve("anthropic", [failsAfter([], failure)]);
    const { error } = await runRound(model, requestOf());
    expect(error).toMatchObject({ code: "bad_request", retryable: false });
    expect((error as Error).message).toContain("bad schema");
    expect(server.requests).toHaveLength(1);
  });

  test("is read on the chat wire too", async () => {
    const { model } = await serve("openai-compatible", [
      (response) => {
        startStream(response);
        chatEvent(response, { id: "1", choices: [{ index: 0, delta: { content: "Ha" } }] });
        chatEvent(response, { error: { message: "engine died", type: "server_error", code: 500 } });
        response.end();
      },
    ]);
    const { events, error } = await runRound(model, requestOf());
    expect(ofType(events, "text")).toHaveLength(1);
    expect(error).toMatchObject({ code: "server_error", details: { status: 500, type: "server_error" } });
  });
});

describe("an answer that stops without an end", () => {
  test("is asked again, and given up after the last attempt", async () => {
    const cut: WireAnswer = (response) => {
      startStream(response);
      anthropicEvent(response, messageStart);
      response.end();
    };
    const { model, server } = await serve("anthropic", [cut], { retries: { maxAttempts: 3 } });
    const { events, error } = await runRound(model, requestOf());
    expect(ofType(events, "retry").map((event) => event.attempt)).toEqual([2, 3]);
    expect(error).toMatchObject({ code: "stream_error" });
    expect(server.requests).toHaveLength(3);
  });

  test("never passes for a finished one on the chat wire", async () => {
    const cut: WireAnswer = (response) => {
      startStream(response);
      chatEvent(response, {
        id: "1",
        choices: [{ index: 0, delta: { role: "assistant", content: "Half" } }],
      });
      response.end();
    };
    for (const kind of ["openai-chat", "openai-compatible"] as const) {
      const { model } = await serve(kind, [cut]);
      const { events, error } = await runRound(model, requestOf());
      expect(ofType(events, "finish")).toEqual([]);
      expect(error).toMatchObject({ code: "stream_error" });
    }
  });
});

describe("a refusal before the stream", () => {
  test("waits no longer than the policy allows and hands Retry-After on", async () => {
    const body = { type: "error", error: { type: "rate_limit_error", message: "slow down" } };
    const { model, server } = await serve("anthropic", [refusal(429, body, { "retry-after": "3600" })]);
    const { events, error } = await runRound(model, requestOf());
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code: "rate_limited", details: { status: 429, retryAfterMs: 3_600_000 } });
    expect(server.requests).toHaveLength(1);
  });

  test("no connection at all is a network error that names the reason", async () => {
    const { model, server } = await serve("anthropic", [anthropicText("never")], {
      retries: { maxAttempts: 2 },
    });
    await server.close();
    servers.length = 0;
    const { events, error } = await runRound(model, requestOf());
    expect(ofType(events, "retry")).toHaveLength(1);
    expect(error).toMatchObject({ code: "network", details: { reason: "ECONNREFUSED" } });
  });
});

describe("leaving a round", () => {
  const hangs: WireAnswer = (response) => startTalking(response, "Wait");

  test("an abort closes the connection and comes out as the caller's own reason", async () => {
    const { model, server } = await serve("anthropic", [hangs]);
    const controller = new AbortController();
    const reason = new Error("the user pressed stop");
    const seen: ModelEvent[] = [];
    const reading = (async () => {
      for await (const event of model.round(requestOf(), { signal: controller.signal })) {
        seen.push(event);
        controller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(seen).toEqual([{ type: "text", delta: "Wait" }]);
    await until(() => server.cutByClient === 1);
  });

  test("a reader who stops early closes it too", async () => {
    const { model, server } = await serve("anthropic", [hangs]);
    for await (const event of model.round(requestOf())) {
      expect(event.type).toBe("text");
      break;
    }
    await until(() => server.cutByClient === 1);
  });

  test("a signal that is already aborted sends nothing", async () => {
    const { model, server } = await serve("anthropic", [anthropicText("never")]);
    const { error } = await runRound(model, requestOf(), AbortSignal.abort(new Error("too late")));
    expect(error).toMatchObject({ message: "too late" });
    expect(server.requests).toEqual([]);
  });
});

describe("the watchdogs on a real connection", () => {
  test("headers held back for long are no missing connection, the first event's limit serves them", async () => {
    const clock = manualClock();
    const { model, server } = await serve("anthropic", [() => undefined], {
      clock,
      retries: { maxAttempts: 1 },
    });
    const outcome = runRound(model, requestOf());
    await until(() => server.requests.length === 1);
    clock.advance(20_000);
    clock.advance(90_000);
    expect(await outcome).toMatchObject({
      error: { code: "timeout", details: { watchdog: "first_event", timeoutMs: 90_000 } },
    });
    await until(() => server.cutByClient === 1);
  });

  test("keep-alives don't count as events", async () => {
    const clock = manualClock();
    let ping = (): void => undefined;
    const answer: WireAnswer = (response) => {
      startTalking(response, "Wait");
      ping = () => anthropicEvent(response, { type: "ping" });
    };
    const { model } = await serve("anthropic", [answer], { clock });
    const events = model.round(requestOf())[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: "text", delta: "Wait" });
    const next = events.next();
    clock.advance(100_000);
    ping();
    await new Promise<void>((resolve) => setTimeout(resolve, 50));
    clock.advance(20_001);
    await expect(next).rejects.toMatchObject({ code: "timeout", details: { watchdog: "idle" } });
  });
});
