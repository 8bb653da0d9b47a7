import { emptyDigest } from "@mobkit/session/rules";
import { beforeAll, describe, expect, test } from "vitest";
import { parse, refusalOf, scene, seal, type Line } from "./bundle-scene.ts";

let good: string[];
let lines: Line[];
const other = "01900000-0000-7000-8000-000000000000";
const zeros = `sha256:${"0".repeat(64)}`;

beforeAll(async () => {
  good = (await scene()).lines;
});

/** Changes one line of the bundle: the `nth` of its type. */
function change(
  type: string,
  fields: Record<string, unknown> | ((line: Line) => Line | string),
  nth = 0,
): (Line | string)[] {
  lines = parse(good);
  const at = lines.map((line, index) => (line.type === type ? index : -1)).filter((index) => index >= 0)[
    nth
  ]!;
  const line = lines[at]!;
  const changed = typeof fields === "function" ? fields(line) : { ...line, ...fields };
  return lines.map((each, index) => (index === at ? changed : each));
}

function without(type: string, nth = 0): Line[] {
  lines = parse(good);
  let seen = -1;
  return lines.filter((line) => line.type !== type || (seen += 1) !== nth);
}

/** Adds a line before the first of a type. */
function before(type: string, line: Line | string): (Line | string)[] {
  lines = parse(good);
  const at = lines.findIndex((each) => each.type === type);
  return [...lines.slice(0, at), line, ...lines.slice(at)];
}

const problemOf = async (changed: readonly (Line | string)[]): Promise<unknown[]> => {
  const refusal = await refusalOf(seal(changed));
  return [refusal?.["problem"] ?? refusal?.["code"], refusal?.["field"]];
};

// S35: one hostile bundle at a time; each is otherwise whole, down to its last digest.
describe("a bundle is refused, and leaves nothing,", () => {
  test("unless nothing is wrong with it: sealing it anew changes nothing", async () => {
    expect(
      parse(good)
        .map(({ type }) => type)
        .join(" "),
    ).toBe(
      "bundle session ancestor span span blob chunk message blob chunk message message message blob chunk message mark " +
        "message message cancel side_state chunk end",
    );
    expect(await refusalOf(good)).toBeUndefined();
    expect(await refusalOf(seal(parse(good)))).toBeUndefined();
  });

  test("whose span or row lies in the log of a session outside", async () => {
    expect(await problemOf(change("span", { writer: other }))).toEqual(["foreign_span", "writer"]);
    expect(await problemOf(change("message", { writer: other }))).toEqual(["foreign_span", "writer"]);
    const { id } = parse(good)[1]!;
    expect(await problemOf(change("message", { writer: id }))).toEqual(["foreign_span", "writer"]);
  });

  test("whose session descends from itself", async () => {
    const [, session, ancestor] = parse(good);
    expect(await problemOf(change("ancestor", { id: session!["id"] }))).toEqual(["lineage_cycle", "id"]);
    expect(await problemOf(before("span", ancestor!))).toEqual(["lineage_cycle", "id"]);
  });

  test("with a row twice, in its spans or in its lines", async () => {
    const first = parse(good).find(({ type }) => type === "span")!;
    expect(await problemOf(change("span", { writer: first["writer"], lo: 4, hi: 6 }, 1))).toEqual([
      "duplicate_seq",
      "lo",
    ]);
    const message = parse(good).filter(({ type }) => type === "message");
    expect(await problemOf(before("cancel", message[6]!))).toEqual(["duplicate_seq", "position"]);
    expect(await problemOf(change("message", { id: message[0]!["id"] }, 2))).toEqual(["invalid_field", "id"]);
  });

  test("with a row missing, elsewhere or too many", async () => {
    expect(await problemOf(without("message", 2))).toEqual(["broken_order", "position"]);
    expect(await problemOf(without("message", 6))).toEqual(["invalid_field", "messages"]);
    expect(await problemOf(change("message", { seq: 9 }, 2))).toEqual(["broken_order", "seq"]);
    expect(await problemOf(change("span", { lo: 1, hi: 6 }))).toEqual(["broken_order", "seq"]);
    expect(await problemOf(change("span", { start: 1 }))).toEqual(["broken_order", "start"]);
    expect(await problemOf(change("span", { hi: 0 }))).toEqual(["broken_order", "hi"]);
    expect(await problemOf(change("span", { hi: 99 }))).toEqual(["broken_order", "hi"]);
    expect(await problemOf(without("span", 1))).toEqual(["broken_order", ""]);
    const last = parse(good).findLast(({ type }) => type === "message")!;
    const more = { ...last, position: 7, id: "more" };
    expect(await problemOf(before("cancel", more))).toEqual(["broken_order", "position"]);
  });

  test("with any digest wrong", async () => {
    const wrong = ["wrong_digest", "digest"];
    for (const nth of [0, 3, 6])
      expect(await problemOf(change("message", { digest: zeros }, nth))).toEqual(wrong);
    expect(await problemOf(change("message", { body: '{"content":"b","role":"user"}' }))).toEqual(wrong);
    expect(await problemOf(change("message", { salt: "0".repeat(32) }))).toEqual(wrong);
    expect(await problemOf(change("message", { id: "other" }))).toEqual(wrong);
    expect(await problemOf(change("message", { turn: "other" }))).toEqual(wrong);
    expect(await problemOf(change("session", { digest: zeros }))).toEqual(wrong);
    expect(await problemOf(change("ancestor", { digest: zeros }))).toEqual(wrong);
    const whole = { len: 7, digest: zeros };
    expect(await problemOf(change("ancestor", whole))).toEqual(wrong);
    expect(await problemOf(change("blob", { digest: zeros }))).toEqual(wrong);
    expect(
      await problemOf(
        change("chunk", ({ base64 }) => ({ type: "chunk", base64: `AAAA${String(base64).slice(4)}` })),
      ),
    ).toEqual(wrong);
    const unsealed = parse(good).map((line) =>
      JSON.stringify(line.type === "end" ? { ...line, digest: zeros } : line),
    );
    expect(await refusalOf(unsealed)).toMatchObject({ problem: "wrong_digest", field: "digest" });
  });

  test("with a digest of nothing that isn't that of no message", async () => {
    const [header, session] = parse(good);
    const end = parse(good).at(-1);
    const empty = { len: 0, settled_len: 0, request_head: null, digest: emptyDigest };
    const of = (fields: object): Line[] => [
      header!,
      { ...session!, ...empty, ...fields },
      { ...end!, messages: 0, blobs: 0 },
    ];
    expect(await problemOf(of({}))).toEqual([undefined, undefined]);
    expect(await problemOf(of({ digest: zeros }))).toEqual(["wrong_digest", "digest"]);
  });

  test("with a blob missing: a body, one beside, the request's head", async () => {
    const kinds = parse(good);
    const blobs = kinds.flatMap((line, index) => (line.type === "blob" ? [index] : []));
    const drop = (nth: number) =>
      seal(
        kinds
          .filter((_, index) => index !== blobs[nth] && index !== blobs[nth]! + 1)
          .map((line) => (line.type === "end" ? { ...line, blobs: 2 } : line)),
      );
    expect(await refusalOf(drop(0))).toMatchObject({ problem: "missing_blob", field: "request_head" });
    expect(await refusalOf(drop(1))).toMatchObject({ problem: "missing_blob", field: "blob" });
    expect(await refusalOf(drop(2))).toMatchObject({ problem: "missing_blob", field: "blobs/0" });
    expect(await problemOf(change("message", { body: "{}" }, 1))).toEqual(["invalid_field", "body"]);
    expect(await problemOf(change("message", { body: null }))).toEqual(["invalid_field", "body"]);
    expect(await problemOf(change("end", { blobs: 2 }))).toEqual(["invalid_field", "blobs"]);
  });

  test("with a line that is too long", async () => {
    expect(await problemOf(change("message", { body: "x".repeat(4_200_000) }))).toEqual([
      "oversized_line",
      "",
    ]);
    expect(await problemOf(change("message", { body: "é".repeat(2_100_000) }))).toEqual([
      "oversized_line",
      "",
    ]);
  });

  test("with a key twice, or one that reaches into prototypes", async () => {
    const raw = (text: string) => (line: Line) => JSON.stringify(line).replace("{", `{${text},`);
    expect(await problemOf(change("message", raw('"seq":0')))).toEqual(["duplicate_key", ""]);
    expect(await problemOf(change("session", raw('"__proto__":{}')))).toEqual(["prototype_key", ""]);
    expect(await problemOf(change("session", raw('"constructor":{"prototype":1}')))).toEqual([
      "prototype_key",
      "",
    ]);
    expect(await problemOf(change("session", { labels: JSON.parse('{"__proto__":"x"}') as object }))).toEqual(
      ["prototype_key", ""],
    );
    for (const type of ["__proto__", "constructor", "toString", "lease"]) {
      expect(await problemOf(before("message", { type }))).toEqual(["unexpected_line", "type"]);
    }
  });

  test("with garbage in a line, between lines or after the end", async () => {
    for (const text of ["", "{", "null x", '{"type":"mark"}{}', "\u0000", '{"type":NaN}']) {
      expect(await problemOf(before("message", text))).toEqual(["not_json", ""]);
    }
    for (const text of ["null", "[]", "7", '"chunk"']) {
      expect((await problemOf(before("message", text)))[0]).toBe("unexpected_line");
    }
    for (const text of ["", "null", good[0]!, good.at(-1)!]) {
      const refusal = await refusalOf([...good, text]);
      expect(refusal).toMatchObject({ code: "invalid_bundle", line: good.length + 1 });
    }
    expect(await refusalOf([...good, good.at(-1)!])).toMatchObject({
      problem: "unexpected_line",
      field: "type",
    });
  });

  test("with an id that is a path", async () => {
    for (const id of [
      "../../etc/passwd",
      "/etc/passwd",
      "a/../b",
      "..",
      "C:\\x",
      "\\\\host\\x",
      "a\\..\\b",
    ]) {
      expect(await problemOf(change("message", { id }))).toEqual(["invalid_field", "id"]);
      expect(await problemOf(change("message", { turn: id }))).toEqual(["invalid_field", "turn"]);
      expect(await problemOf(change("session", { id }))).toEqual(["invalid_field", "id"]);
      expect(await problemOf(change("ancestor", { id }))).toEqual(["invalid_field", "id"]);
      expect(await problemOf(change("span", { writer: id }))).toEqual(["invalid_field", "writer"]);
    }
    // Names that are no paths are judged by their digest alone.
    expect(await problemOf(change("message", { id: "a..b:c" }))).toEqual(["wrong_digest", "digest"]);
  });

  test("that brings a lease, an approval, a rule, an event or a field of its own", async () => {
    for (const type of ["lease", "approval", "rule", "outbox", "event", "write_id"]) {
      expect(await problemOf(before("end", { type, id: "a" }))).toEqual(["unexpected_line", "type"]);
    }
    for (const field of [
      "lease",
      "run_turn",
      "queued_inputs",
      "pending_approvals",
      "agent_identity",
      "parent",
    ]) {
      expect(await problemOf(change("session", { [field]: null }))).toEqual(["invalid_field", field]);
    }
  });
});
