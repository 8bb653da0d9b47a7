import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import { genAi, genAiContent, own, spanEvents, spanNames } from "../../src/telemetry/trace-names.ts";
import { parseTraceparent } from "../../src/telemetry/traceparent.ts";
import { openTestHost } from "../harness/test-host.ts";
import { recordSpans } from "./recorded-spans.ts";
import { openFamily, playEverything, SAID } from "./traced-hosts.ts";

const spec = { identity: "branch", role: "main", launchMode: "fresh" } as const;

describe("the trace of a run", () => {
  test.each([true, false])(
    "nests rounds, guards, approvals, tools and children (context manager: %s)",
    async (contexts) => {
      const spans = recordSpans({ contexts });
      const host = await openFamily();
      await host.run("go");
      const main = spans.named("invoke_agent main");
      const child = spans.named("invoke_agent child");
      expect(spans.below(main)).toEqual(
        expect.arrayContaining(["chat main", "basis.hooks", "basis.approval", "execute_tool spawn"]),
      );
      expect(spans.below(spans.named("execute_tool spawn"))).toEqual(["invoke_agent child"]);
      expect(spans.below(child)).toEqual(
        expect.arrayContaining(["chat main", "execute_tool read", "basis.hooks"]),
      );
      expect(main.kind).toBe(SpanKind.INTERNAL);
      expect(spans.all().find(({ name }) => name === "chat main")!.kind).toBe(SpanKind.CLIENT);
      expect(main.attributes).toMatchObject({
        [genAi.operation]: "invoke_agent",
        [genAi.agentName]: "main",
        [genAi.requestModel]: "main",
        [own.outcome]: "completed",
        [own.usageComplete]: true,
      });
      expect(main.parentSpanContext).toBeUndefined();
    },
  );

  test("stands under the host's active span, else under the TRACEPARENT it was given", async () => {
    const spans = recordSpans();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const host = await openTestHost({
      telemetry: { traceparent },
      agents: { main: [{ text: "one" }, { text: "two" }] },
    });
    await spans.inside(() => host.run("go"));
    expect(spans.below(spans.named("the host's own"))).toEqual(["invoke_agent main"]);
    const { sessionId } = await host.runtime.prepare(host.facts);
    await host.run("go on", { sessionId });
    const second = spans.all().findLast(({ name }) => name === "invoke_agent main")!;
    expect(second.parentSpanContext).toMatchObject(parseTraceparent(traceparent)!);
  });

  test("of a forked session is linked to the run that it was forked from", async () => {
    const spans = recordSpans();
    const host = await openTestHost({
      agents: { main: [{ text: "one" }, { text: "two" }, { text: "three" }] },
    });
    await host.run("go", { member: "trunk" });
    const source = spans.named("invoke_agent main").spanContext();
    const { sessionId } = await host.runtime.fork("trunk", spec);
    await host.run("later, in the trunk", {
      sessionId: (await host.state.store.members.get("trunk"))!.sessionId,
    });
    await host.run("in the branch", { sessionId });
    const branch = spans.all().findLast(({ name }) => name === "invoke_agent main")!;
    expect(branch.links.map(({ context }) => context.spanId)).toEqual([source.spanId]);
    expect(spans.named("basis.fork").attributes[own.forkSession]).toBe(sessionId);
  });

  test("tells an error by its class, and never by its text", async () => {
    const spans = recordSpans();
    const host = await openTestHost({ agents: { main: [] } });
    await host.run("go");
    for (const name of ["chat main", "invoke_agent main"]) {
      const { status, attributes } = spans.named(name);
      expect(status).toEqual({ code: SpanStatusCode.ERROR });
      expect(attributes[genAi.errorType]).toBe("scripted_miss");
    }
  });
});

describe("the table of names", () => {
  test("is exactly what is emitted, and without content nothing that was said", async () => {
    const spans = recordSpans();
    await playEverything({});
    const all = spans.all();
    const keys = new Set(
      all.flatMap(({ attributes, events }) =>
        [attributes, ...events.map((one) => one.attributes ?? {})].flatMap(Object.keys),
      ),
    );
    const table = [...Object.values(genAi), ...Object.values(own)].filter((name) => !rare.has(name));
    expect([...keys].filter((name) => !rare.has(name)).toSorted()).toEqual(table.toSorted());
    expect(new Set(all.flatMap(({ events }) => events.map(({ name }) => name)))).toEqual(
      new Set(Object.values(spanEvents).filter((name) => name !== spanEvents.retry)),
    );
    const names = /^(?:invoke_agent|chat|execute_tool) \S+$/;
    const ours = new Set<string>([spanNames.hooks, spanNames.approval, spanNames.fork]);
    expect(all.map(({ name }) => name).filter((name) => !names.test(name) && !ours.has(name))).toEqual([]);
    expect(
      JSON.stringify(all.map(({ name, attributes, events, status }) => [name, attributes, events, status])),
    ).not.toContain(SAID);
  });

  test("has five more where the host asks for content, each put through its redaction", async () => {
    const spans = recordSpans();
    await playEverything({ content: true, redact: (text) => text.replaceAll(SAID, "[redacted]") });
    const keys = new Set(spans.all().flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...keys]).toEqual(expect.arrayContaining(Object.values(genAiContent)));
    const text = JSON.stringify(spans.all().map(({ attributes }) => attributes));
    expect(text).toContain("[redacted]");
    expect(text).not.toContain(SAID);
  });
});

/** Told by live providers alone. */
const rare = new Set<string>([
  genAi.cachedTokens,
  genAi.reasoningTokens,
  own.retryAttempt,
  own.retryDelayMs,
  genAi.outputType,
]);

test("without a registered tracer nothing is traced, and none of it is loaded", async () => {
  const host = await openTestHost({ agents: { main: [{ text: "one" }] } });
  const report = await host.run("go");
  expect(host.events.data("run_started", report.transcript!.sessionId)[0]).not.toHaveProperty("traceparent");
});

test.each([
  ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", 1],
  ["01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03-more", 1],
  ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", 0],
])("%s is read as a traceparent", (text, traceFlags) => {
  expect(parseTraceparent(text)).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", traceFlags });
});

test.each([
  undefined,
  "",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
  "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "00-00000000000000000000000000000000-b7ad6b7169203331-01",
  "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
  "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01",
])("%s is none", (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});
