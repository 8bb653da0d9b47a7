import fc from "fast-check";
import { expect, test } from "vitest";
import {
  fromSortableBytes,
  pack,
  packOptional,
  sortableBytes,
  spelled,
  unpack,
  unpackOptional,
  unpackSpelled,
} from "../src/packed-text.ts";
import { loadDriver } from "../src/index.ts";

/** Any JavaScript string, halves of characters and NUL included. */
const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
const order = (left: Uint8Array, right: Uint8Array): number => Math.sign(Buffer.compare(left, right));

test("any text comes back as it was packed", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(unpack(pack(text))).toBe(text);
    }),
  );
});

test("ids, digests and salts are stored as their bytes and come back", () => {
  const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
  fc.assert(
    fc.property(fc.uuid(), hex(64), hex(32), (id, hash, salt) => {
      expect(
        [pack(id), pack(`sha256:${hash}`), pack(salt)].map((value) => (value as Uint8Array).length),
      ).toEqual([17, 33, 17]);
      expect([id, `sha256:${hash}`, salt].map((text) => unpack(pack(text)))).toEqual([
        id,
        `sha256:${hash}`,
        salt,
      ]);
    }),
  );
});

test("keys of forks' events are stored as a tag and the operation's id", () => {
  const word = fc.constantFrom("committed", "seated", "abandoned", "input");
  fc.assert(
    fc.property(word, fc.uuid(), (state, id) => {
      const key = `fork-${state}:${id}`;
      expect((pack(key) as Uint8Array).length).toBe(17);
      expect(unpack(pack(key))).toBe(key);
      expect(pack(`fork-other:${id}`)).toBe(`fork-other:${id}`);
    }),
  );
});

test("what only looks like an id stays a text of its own", () => {
  const id = "01a22d09-4a05-7f02-b3d5-a98423fedd9c";
  for (const text of [id.toUpperCase(), `${id} `, id.slice(1), `sha256:${id}`, "", "ä"])
    expect(pack(text)).toBe(text);
  expect(pack(id)).not.toBe(id);
});

test("packed ids sort as their texts do", () => {
  const bytes = (id: string): Uint8Array => pack(id) as Uint8Array;
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (left, right) => {
      expect(order(bytes(left), bytes(right))).toBe(left === right ? 0 : left < right ? -1 : 1);
    }),
  );
});

test("names sort by their UTF-16 code units, and come back", () => {
  fc.assert(
    fc.property(anyText, anyText, (left, right) => {
      expect(order(sortableBytes(left), sortableBytes(right))).toBe(
        left === right ? 0 : left < right ? -1 : 1,
      );
      expect(fromSortableBytes(sortableBytes(left))).toBe(left);
    }),
  );
});

test("what is missing stays missing", () => {
  expect(packOptional(undefined)).toBeNull();
  expect(unpackOptional(packOptional(null))).toBeNull();
  expect(unpackOptional(packOptional("x"))).toBe("x");
});

test("any packed text comes back through a column that is spelled, and none stays none", async () => {
  const connection = (await loadDriver()).open(":memory:");
  const spell = connection.prepare(`SELECT json_array(${spelled("kept")}) AS facts FROM (SELECT ? AS kept)`);
  const [id, digest] = ["01a22d09-4a05-7f02-b3d5-a98423fedd9c", `sha256:${"0f".repeat(32)}`];
  const read = (value: ReturnType<typeof packOptional>): string | null =>
    (JSON.parse(String(spell.get(value)?.["facts"])) as [string | null])[0];
  for (const text of [
    id,
    digest,
    "ab".repeat(16),
    `fork-input:${id}`,
    "",
    "=",
    "#01",
    "a\0b",
    "\ud800",
    '"\\\n',
  ])
    expect(unpackSpelled(read(pack(text))!)).toBe(text);
  fc.assert(
    fc.property(anyText, (text) => {
      expect(unpackSpelled(read(pack(text))!)).toBe(text);
    }),
  );
  expect(read(packOptional(null))).toBe(null);
  connection.close();
});
