import { sha256 } from "@basis/core";
import { memoryStore, modelMessageShape, type TranscriptShape } from "@mobkit/session";
import { importSession, verifyBundle } from "@mobkit/session/bundle";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { parse, refusalOf, scene, seal, type Line } from "./bundle-scene.ts";

let good: string[];

beforeAll(async () => {
  good = (await scene()).lines;
});

function change(type: string, fields: Record<string, unknown>, nth = 0): Line[] {
  let seen = -1;
  return parse(good).map((line) =>
    line.type === type && (seen += 1) === nth ? { ...line, ...fields } : line,
  );
}

async function told(changed: readonly (Line | string)[]): Promise<string> {
  const refusal = await refusalOf(seal(changed));
  return refusal === undefined
    ? "imported"
    : `${String(refusal["problem"])} ${String(refusal["field"])}: ${String(refusal["reason"])}`;
}

describe("a bundle", () => {
  test("of a later version is refused as such, whatever else it says", async () => {
    const [header] = parse(good);
    const newer = JSON.stringify({ ...header, version: 3, shape: "x", novelty: true });
    expect(await refusalOf([newer])).toEqual({ code: "bundle_newer", version: 3, supported: 2 });
    expect(await told(change("bundle", { version: 0 }))).toBe("invalid_field version: must be 1 to 2");
    for (const version of [-1, 1.5, "1"]) {
      expect(await told(change("bundle", { version }))).toMatch(
        "invalid_field version: must be a whole number",
      );
    }
  });

  test("of another format of messages is refused as such", async () => {
    const lines: TranscriptShape<object> = {
      name: "lines@1",
      inspect: () => ({ kind: "user", opens: [], closes: [] }),
    };
    await expect(verifyBundle(good, { shape: lines })).rejects.toMatchObject({
      code: "shape_mismatch",
      details: { stored: modelMessageShape.name, given: "lines@1" },
    });
  });

  test("that ends too early is refused, wherever it ends", async () => {
    for (let length = 0; length < good.length; length += 1) {
      const refusal = await refusalOf(good.slice(0, length));
      expect(refusal).toMatchObject({ code: "invalid_bundle", line: Math.max(length, 1) });
    }
    expect(await refusalOf([])).toMatchObject({ problem: "truncated" });
  });

  test.each<[string, string, Record<string, unknown>, number?]>([
    ["invalid_field open_after: must be 0", "message", { open_after: 1 }],
    ["invalid_field kind: must be user", "message", { kind: "assistant" }],
    ["invalid_field usage_after: is less than before", "message", { usage_after: [0, 0, 0, 0] }, 4],
    [
      "invalid_field usage_after/0: must be a whole number of at least 0",
      "message",
      { usage_after: [-1, 0, 0, 0] },
    ],
    ["invalid_field usage_after: must be four counts", "message", { usage_after: [0, 0, 0] }],
    ["invalid_field body: is no canonical JSON", "message", { body: '{"role":"user","content":"a"}' }],
    [
      "invalid_field body: is no canonical JSON",
      "message",
      { body: '{"content":"b","content":"a","role":"user"}' },
    ],
    ["invalid_field body: is no JSON", "message", { body: "{" }],
    ["invalid_message body: it is nested deeper than 256", "message", { body: deep(300) }],
    ["invalid_message body: role is none of system, user, assistant, tool", "message", { body: "[[[]]]" }],
    ["invalid_field salt: must be 32 hexadecimal digits", "message", { salt: "pepper" }],
    ["invalid_field created_at: must be a whole number of at least 0", "message", { created_at: 1e30 }],
    ["invalid_field settled_len: of the session must be 6", "session", { settled_len: 7 }],
    [
      "invalid_field own_usage: of the session is less than its rows'",
      "session",
      { inherited_usage: [0, 0, 0, 0] },
    ],
    [
      "invalid_field request_head: must be sha256: and 64 hexadecimal digits",
      "session",
      { request_head: "x" },
    ],
    ["invalid_field summarises: is beyond the summary's own row", "mark", { summarises: 5 }],
    ["invalid_field keep_from: is beyond what is summarised", "mark", { summarises: 1 }],
    ["invalid_field keep_from: splits a call from its result", "mark", { summarises: 3, keep_from: 3 }],
    ["invalid_field rev: is beyond the session's", "cancel", { rev: 99 }],
    ["invalid_field to: must not be beyond from", "cancel", { to: 99 }],
    ["invalid_field base64: is more than the 18 bytes announced", "chunk", { base64: "A".repeat(28) }],
    ["invalid_field base64: is no base64", "chunk", { base64: "A" }],
    ["invalid_field base64: is no base64", "chunk", { base64: "AB==" }],
    ["invalid_field base64: is no base64", "chunk", { base64: "" }],
    ["invalid_field bytes: is more than 67108864", "blob", { bytes: 67_108_865 }],
    ["unexpected_line type: content is missing before this line", "blob", { bytes: 19 }],
    ["invalid_field value: is no canonical JSON", "chunk", { base64: btoa('{"open":["e" ]}') }, 3],
  ])("is refused with %s", async (problem, type, fields, nth) => {
    expect(await told(change(type, fields, nth))).toBe(problem);
  });

  test("is refused with a short body in a blob", async () => {
    expect(await told(withBlob())).toBe("invalid_field blob: must be null");
  });

  // A message of a million calls would otherwise keep the importer busy for hours.
  test("is refused with more calls than anybody makes, and soon", async () => {
    const { lines } = await scene();
    const content = Array.from({ length: 400_000 }, (_, index) => ({
      toolCallId: `${index}`,
      type: "tool-call",
    }));
    const body = JSON.stringify({ content, role: "assistant" });
    const digest = `sha256:${sha256(body)}`;
    const parsed = parse(lines);
    const at = parsed.findIndex(({ type }) => type === "message");
    const pieces = body.match(/[^]{1,150000}/g)!.map((piece) => ({ type: "chunk", base64: btoa(piece) }));
    const blob = [{ type: "blob", digest, bytes: body.length }, ...pieces];
    const asked = { ...parsed[at]!, kind: "assistant", body: null, blob: digest };
    expect(await told(parsed.toSpliced(at, 1, ...blob, asked))).toBe(
      "invalid_message body: has more than 8192 calls",
    );
  }, 10_000);

  test("is refused for lines at the wrong place", async () => {
    const lines = parse(good);
    const of = (type: string): Line => lines.find((line) => line.type === type)!;
    const at = (type: string): number => lines.indexOf(of(type));
    const insert = (type: string, place: number) =>
      told([...lines.slice(0, place), of(type), ...lines.slice(place)]);
    expect(await insert("bundle", 1)).toMatch(/^unexpected_line type: .*a session line must stand here/);
    expect(await insert("session", 0)).toMatch(/^unexpected_line type: .*a bundle line must stand here/);
    expect(await insert("session", at("span"))).toMatch(/^unexpected_line type: .*too late/);
    expect(await insert("span", at("cancel"))).toMatch(/^unexpected_line type: .*too late/);
    expect(await insert("ancestor", at("message"))).toMatch(/^unexpected_line type: .*too late/);
    expect(await insert("mark", at("blob"))).toMatch(/^unexpected_line type: .*no message stands before it/);
    expect(await insert("mark", at("mark"))).toMatch(/^unexpected_line type: .*no message stands before it/);
    expect(await insert("chunk", at("span"))).toMatch(/^unexpected_line type: no content was announced/);
    expect(await insert("message", at("side_state") + 2)).toMatch(/^unexpected_line type: .*too late/);
    expect(await insert("side_state", lines.length - 1)).toMatch(/^invalid_field kind: stands twice/);
  });

  test("is imported only if it is the one that was meant", async () => {
    const { bundleDigest } = await verifyBundle(good, { shape: modelMessageShape });
    const request = { member: "copy", role: "general", bundleDigest };
    const other = seal(change("session", { labels: {} }));
    await expect(importSession(memoryStore(), other, request)).rejects.toMatchObject({
      code: "invalid_request",
    });
    await expect(importSession(memoryStore(), good, request)).resolves.toMatchObject({
      bundle: { bundleDigest },
    });
  });

  test("with any of its lines lost, doubled, moved or one character changed is refused, whole again it isn't", async () => {
    const hit = fc.tuple(
      fc.constantFrom("lose", "double", "move", "alter"),
      fc.nat(),
      fc.nat(),
      fc.nat({ max: 94 }),
    );
    await fc.assert(
      fc.asyncProperty(hit, async ([how, line, place, letter]) => {
        const lines = damage(good, {
          how,
          line: line % good.length,
          place,
          letter: String.fromCharCode(33 + letter),
        });
        fc.pre(lines.join("\n") !== good.join("\n"));
        expect(await refusalOf(lines)).toHaveProperty("code");
      }),
      { numRuns: 300 },
    );
  });

  test("damaged and then sealed anew is imported or refused with a reason, never thrown at", async () => {
    const hit = fc.tuple(fc.nat(), fc.nat(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(hit, async ([at, field, value]) => {
        const lines = parse(good);
        const line = lines[at % (lines.length - 1)]!;
        const names = Object.keys(line);
        line[names[field % names.length]!] = value;
        const refusal = await refusalOf(seal(lines));
        expect(refusal === undefined || typeof refusal["code"] === "string").toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

function deep(levels: number): string {
  return `{"content":"a","providerOptions":${"[".repeat(levels)}${"]".repeat(levels)},"role":"user"}`;
}

/** The first message with its short body in a blob, where it doesn't belong. */
function withBlob(): Line[] {
  const lines = parse(good);
  const at = lines.findIndex(({ type }) => type === "message");
  const body = String(lines[at]!["body"]);
  const digest = `sha256:${sha256(body)}`;
  const blob = [
    { type: "blob", digest, bytes: body.length },
    { type: "chunk", base64: btoa(body) },
  ];
  return lines.toSpliced(at, 1, ...blob, { ...lines[at]!, body: null, blob: digest });
}

interface Damage {
  readonly how: string;
  readonly line: number;
  readonly place: number;
  readonly letter: string;
}

function damage(lines: readonly string[], { how, line, place, letter }: Damage): string[] {
  const text = lines[line]!;
  if (how === "lose") return lines.toSpliced(line, 1);
  if (how === "double") return lines.toSpliced(line, 0, text);
  if (how === "move") return lines.toSpliced(line, 1).toSpliced(place % lines.length, 0, text);
  const at = place % text.length;
  return lines.toSpliced(line, 1, text.slice(0, at) + letter + text.slice(at + 1));
}
