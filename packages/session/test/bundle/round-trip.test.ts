import { manualClock } from "@basis/core/testing";
import { memoryStore, modelMessageShape } from "@mobkit/session";
import { randomWalk } from "@mobkit/session/conformance";
import { exportSession, importSession, splitLines, verifyBundle } from "@mobkit/session/bundle";
import { openAiResponsesShape, type OpenAiResponseEntry } from "@mobkit/session/shapes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase64, toBase64 } from "../../src/bundle/base64.ts";
import { bundleOf, scene, type Store } from "./bundle-scene.ts";

async function contentsOf(store: Store, id: string) {
  const rows: unknown[] = [];
  for await (const { writer: _writer, seq: _seq, rev: _rev, ...row } of store.read(id)) rows.push(row);
  const { len, settledLen, openCalls, headDigest, usage } = await store.head(id);
  return { rows, head: { len, settledLen, openCalls, headDigest, usage }, mark: await store.contextMark(id) };
}

describe("export and import", () => {
  test("bring every session of a random walk over as it is, and once more from there", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const source: Store = memoryStore({ clock: manualClock() });
        await randomWalk(seed, 25).run({ open: async () => ({ store: source }) });
        const target: Store = memoryStore();
        for (const { id, binding } of (await source.listSessions()).items) {
          const request = { member: binding!.member, role: "r" };
          const { session } = await importSession(target, await bundleOf(source, id), request);
          expect(await contentsOf(target, session.id)).toEqual(await contentsOf(source, id));
          const again: Store = memoryStore();
          const { session: copy } = await importSession(again, exportSession(target, session.id), request);
          expect(await contentsOf(again, copy.id)).toEqual(await contentsOf(source, id));
        }
      }),
      { numRuns: 25 },
    );
  });

  test("work for any format of messages", async () => {
    const source = memoryStore({ shape: openAiResponsesShape });
    const { id } = await source.createSession({ member: "a", role: "r" });
    const lease = await source.acquireLease(id, { owner: "t", ttlMs: 1000 });
    const messages: OpenAiResponseEntry[] = [
      [
        { type: "function_call", call_id: "a" },
        { type: "mcp_approval_request", id: "b" },
      ],
      { type: "function_call_output", call_id: "a" },
    ];
    await source.append(id, { lease, expectedRev: 0, messages });
    const target = memoryStore({ shape: openAiResponsesShape });
    const { session } = await importSession(target, exportSession(source, id), { member: "a", role: "r" });
    expect(session.openCalls).toEqual(["approval:b"]);
    await expect(
      importSession(memoryStore(), exportSession(source, id), { member: "a", role: "r" }),
    ).rejects.toMatchObject({ code: "shape_mismatch" });
  });

  test("begin with an empty session as well", async () => {
    const source: Store = memoryStore();
    const { id } = await source.createSession({ member: "a", role: "r" });
    const { session } = await importSession(source, exportSession(source, id), { member: "b", role: "r" });
    expect([session.len, session.settledLen, session.state]).toEqual([0, 0, "ready"]);
  });

  test("wait for the blobs of a slow store before the rows that need them", async () => {
    const { lines } = await scene();
    const target: Store = memoryStore();
    const put: Store["blobs"]["put"] = async (...asked) => {
      await new Promise((resolve) => setImmediate(resolve));
      return target.blobs.put(...asked);
    };
    const slow = { ...target, blobs: { ...target.blobs, put } };
    await expect(importSession(slow, lines, { member: "a", role: "r" })).resolves.toBeDefined();
    const broken = {
      ...target,
      blobs: { ...target.blobs, put: () => Promise.reject(new Error("disk full")) },
    };
    await expect(importSession(broken, lines, { member: "b", role: "r" })).rejects.toThrow("disk full");
    expect(await target.members.holder("b")).toBeUndefined();
  });

  test("end with the caller's signal, and leave nothing", async () => {
    const { store, id, lines } = await scene();
    const stop = new AbortController();
    const target: Store = memoryStore();
    async function* slowly() {
      for (const [index, line] of lines.entries()) {
        if (index === 12) stop.abort(new Error("enough"));
        yield line;
      }
    }
    const request = { member: "a", role: "r", signal: stop.signal };
    await expect(importSession(target, slowly(), request)).rejects.toThrow("enough");
    expect((await target.listSessions()).items).toEqual([]);
    expect((await target.members.list()).items).toEqual([]);
    await expect(store.head(id)).resolves.toMatchObject({ state: "ready" });
  });
});

describe("the lines of a file", () => {
  test("are found wherever it is cut, with either kind of line break", async () => {
    const { lines } = await scene();
    const bytes = new TextEncoder().encode(`${lines.join("\n")}\n`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 20 }), async (cuts) => {
        const at = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        const found: string[] = [];
        for await (const line of splitLines(pieces)) found.push(line);
        expect(found).toEqual(lines);
      }),
    );
    const dos = splitLines([lines.join("\r\n")]);
    await expect(verifyBundle(dos, { shape: modelMessageShape })).resolves.toMatchObject({ messages: 7 });
  });

  test("are refused when one is too long, before all of it is there", async () => {
    let given = 0;
    function* endless() {
      for (;;) yield "x".repeat(((given += 1), 65_536));
    }
    const found = (async () => {
      for await (const _ of splitLines(endless()));
    })();
    await expect(found).rejects.toMatchObject({
      code: "invalid_bundle",
      details: { line: 1, problem: "oversized_line" },
    });
    expect(given).toBeLessThan(80);
  });

  test("are refused when they are no UTF-8", async () => {
    const found = (async () => {
      for await (const _ of splitLines(["{}\n", new Uint8Array([0x7b, 0xff, 0x7d])]));
    })();
    await expect(found).rejects.toMatchObject({ details: { line: 2, problem: "not_json" } });
  });
});

describe("base64", () => {
  test("is what the platform writes, and read back as it was", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = toBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64"));
        expect(fromBase64(text)).toEqual(bytes);
      }),
    );
    const large = new Uint8Array(100_000).map((_, index) => index * 7);
    expect(toBase64(large)).toBe(Buffer.from(large).toString("base64"));
  });

  test("is refused when it isn't written in that one way", () => {
    for (const text of ["A", "AB==", "AA= =", "AAAA AAAA", "====", "AA=", "A-A_"])
      expect(fromBase64(text)).toBeUndefined();
  });
});
