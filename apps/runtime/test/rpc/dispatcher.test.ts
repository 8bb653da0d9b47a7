import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createDispatcher, type Dispatcher } from "../../src/rpc/dispatcher.ts";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import { defineMethod, type RpcCaller } from "../../src/rpc/rpc-method.ts";

const caller = { signal: new AbortController().signal } as unknown as RpcCaller;

interface Setting {
  readonly dispatcher: Dispatcher;
  readonly said: string[];
  readonly reported: unknown[];
  /** Sends one message; answers what came back, parsed. */
  send(message: unknown): Promise<any>;
  release(): void;
}

function setUp(maxInFlight?: number): Setting {
  const said: string[] = [];
  const reported: unknown[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const methods = [
    defineMethod({
      name: "say",
      params: z.strictObject({ text: z.string(), times: z.int().optional() }),
      call: ({ text }) => {
        said.push(text);
        return { text };
      },
    }),
    defineMethod({ name: "hold", params: z.strictObject({}), call: () => held }),
    defineMethod({ name: "urgent", params: z.strictObject({}), urgent: true, call: () => "now" }),
    defineMethod({
      name: "break",
      params: z.strictObject({}),
      call() {
        throw new TypeError("secret details");
      },
    }),
    defineMethod({ name: "unwritable", params: z.strictObject({}), call: () => ({ big: 1n }) }),
  ];
  const report = (_method: string, error: unknown): void => void reported.push(error);
  const dispatcher = createDispatcher({ methods, report, maxInFlight });
  const send = async (message: unknown): Promise<any> => {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    const answer = await dispatcher.handle(text, caller);
    return answer === undefined ? undefined : JSON.parse(answer);
  };
  return { dispatcher, said, reported, send, release: () => release() };
}

const say = (text: string, id?: unknown): object => ({
  jsonrpc: "2.0",
  method: "say",
  params: { text },
  ...(id !== undefined && { id }),
});
const refusedWith = (id: unknown, code: keyof typeof rpcCode): object => ({
  jsonrpc: "2.0",
  id,
  error: expect.objectContaining({
    code: rpcCode[code],
    data: expect.objectContaining({ committed: false }),
  }),
});

describe("a call", () => {
  it.each(["a", "", 7, -1.5, null])("is answered under its own id, %j", async (id) => {
    const { send } = setUp();
    expect(await send(say("hello", id))).toEqual({ jsonrpc: "2.0", id, result: { text: "hello" } });
  });

  it("without an id is run and not answered, whatever comes of it", async () => {
    const { send, said } = setUp();
    expect(await send(say("quietly"))).toBeUndefined();
    expect(said).toEqual(["quietly"]);
    expect(await send({ jsonrpc: "2.0", method: "nothing" })).toBeUndefined();
    expect(await send({ jsonrpc: "2.0", method: "say", params: { text: 1 } })).toBeUndefined();
  });

  it.each([
    ["another version", { jsonrpc: "1.0", id: 1, method: "say", params: { text: "x" } }, 1],
    ["no version", { id: 1, method: "say", params: { text: "x" } }, 1],
    ["no method", { jsonrpc: "2.0", id: 1 }, 1],
    ["a method that is no name", { jsonrpc: "2.0", id: 1, method: 2 }, 1],
    ["an unknown field", { jsonrpc: "2.0", id: 1, method: "say", params: { text: "x" }, more: 1 }, 1],
    ["parameters that are a text", { jsonrpc: "2.0", id: 1, method: "say", params: "x" }, 1],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "say", params: { text: "x" } }, null],
    ["an id of 257 characters", { jsonrpc: "2.0", id: "i".repeat(257), method: "say", params: {} }, null],
    ["an answer in place of a call", { jsonrpc: "2.0", id: 1, result: 1 }, 1],
    ["a number", 5, null],
    ["an empty batch", [], null],
  ])("with %s is no valid request", async (_what, message, id) => {
    const { send, said } = setUp();
    expect(await send(message)).toEqual(refusedWith(id, "invalid_request"));
    expect(said).toEqual([]);
    expect(await send(say("after", 2))).toMatchObject({ result: { text: "after" } });
  });

  it.each([
    ["cut off", '{"jsonrpc":"2.0","id":1'],
    ["two documents", "{} {}"],
    ["a key twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"say","params":{"text":"x"}}'],
    ["__proto__", '{"jsonrpc":"2.0","id":1,"method":"say","params":{"__proto__":{}}}'],
    ["65 levels", "[".repeat(65) + "]".repeat(65)],
    ["more than 4 MiB", JSON.stringify("x".repeat(4 * 1024 * 1024))],
  ])("that is no strict JSON (%s) is a parse error", async (_what, text) => {
    const { send } = setUp();
    expect(await send(text)).toEqual(refusedWith(null, "parse_error"));
  });

  it("whose number lost digits is refused, since its id could not be answered", async () => {
    const { send, said } = setUp();
    const text = '{"jsonrpc":"2.0","id":9007199254740993,"method":"say","params":{"text":"x"}}';
    expect(await send(text)).toEqual(refusedWith(null, "invalid_request"));
    expect(said).toEqual([]);
  });

  it.each(["constructor", "__proto__", "toString", "Say"])("to %s finds no method", async (method) => {
    const { send } = setUp();
    expect(await send({ jsonrpc: "2.0", id: 1, method })).toEqual(refusedWith(1, "method_not_found"));
  });

  it("with wrong parameters names each of them", async () => {
    const { send } = setUp();
    const answer = await send({
      jsonrpc: "2.0",
      id: 1,
      method: "say",
      params: { text: 1, times: 0.5, more: 1 },
    });
    expect(answer).toEqual(refusedWith(1, "invalid_params"));
    const paths = answer.error.data.issues.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(["text", "times", ""]);
    expect(await send({ jsonrpc: "2.0", id: 1, method: "say", params: ["x"] })).toEqual(
      refusedWith(1, "invalid_params"),
    );
  });

  it.each(["break", "unwritable"])(
    "that fails unforeseen (%s) tells the host and not the caller",
    async (method) => {
      const { send, reported } = setUp();
      const answer = await send({ jsonrpc: "2.0", id: 1, method });
      expect(answer).toEqual(refusedWith(1, "internal"));
      expect(JSON.stringify(answer)).not.toMatch(/secret|BigInt/);
      expect(reported).toHaveLength(1);
      expect(await send(say("after", 2))).toMatchObject({ result: { text: "after" } });
    },
  );
});

describe("a batch", () => {
  it("is answered as one, each call for itself, notifications left out", async () => {
    const { send, said } = setUp();
    const answers = await send([say("a", 1), say("b"), 5, { jsonrpc: "2.0", id: 2, method: "break" }]);
    expect(answers).toEqual([
      { jsonrpc: "2.0", id: 1, result: { text: "a" } },
      refusedWith(null, "invalid_request"),
      refusedWith(2, "internal"),
    ]);
    expect(said).toEqual(["a", "b"]);
  });

  it("of notifications is not answered", async () => {
    const { send, said } = setUp();
    expect(await send([say("a"), say("b")])).toBeUndefined();
    expect(said).toEqual(["a", "b"]);
  });

  it("of 65 calls is refused whole, one of 64 is run", async () => {
    const { send, said } = setUp();
    const calls = Array.from({ length: 65 }, (_, id) => say("x", id));
    expect(await send(calls)).toEqual(refusedWith(null, "invalid_request"));
    expect(said).toEqual([]);
    expect(await send(calls.slice(1))).toHaveLength(64);
  });
});

describe("calls at once", () => {
  it("beyond the limit are refused until one has ended; urgent ones are let in", async () => {
    const { send, release } = setUp(2);
    const holding = [1, 2].map((id) => send({ jsonrpc: "2.0", id, method: "hold" }));
    const refusal = await send(say("x", 3));
    expect(refusal).toEqual(refusedWith(3, "overloaded"));
    expect(refusal.error.data.retry).toBe("same_request");
    expect(await send({ jsonrpc: "2.0", id: 4, method: "urgent" })).toMatchObject({ result: "now" });
    release();
    expect(await Promise.all(holding)).toMatchObject([{ result: null }, { result: null }]);
    expect(await send(say("x", 3))).toMatchObject({ result: { text: "x" } });
  });

  it("after close are refused; those that run are answered", async () => {
    const { dispatcher, send, release } = setUp();
    const holding = send({ jsonrpc: "2.0", id: 1, method: "hold" });
    dispatcher.close();
    expect(await send(say("x", 2))).toMatchObject({ error: { data: { kind: "shutting_down" } } });
    release();
    expect(await holding).toMatchObject({ id: 1, result: null });
  });
});
