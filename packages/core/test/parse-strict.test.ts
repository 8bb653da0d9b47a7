import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStrict } from "../src/index.ts";
import { StrictScan } from "../src/strict-scan.ts";

const problem = (text: string, options = {}) => {
  const parsed = parseStrict(text, options);
  return parsed.ok ? "ok" : parsed.problem;
};

// D1
describe("parseStrict", () => {
  it("reads every document that JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!/"__proto__"|"prototype"/.test(text));
        const parsed = parseStrict(text);
        expect(parsed.ok && JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it("calls every proper prefix of an object unfinished", () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3 }), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        const prefix = text.slice(0, cut % text.length);
        expect(problem(prefix)).toBe(prefix === "" ? "not_json" : "unterminated");
      }),
      { numRuns: 2000 },
    );
  });

  it("tells an unfinished text from a wrong one", () => {
    expect(problem('{"a":')).toBe("unterminated");
    expect(problem('{"a":"x')).toBe("unterminated");
    expect(problem('{"a":1')).toBe("unterminated");
    expect(problem("{a:1}")).toBe("not_json");
    expect(problem("")).toBe("not_json");
    expect(problem('{"a":1} {"b":2}')).toBe("trailing_text");
    expect(problem('{"a":1}')).toBe("ok");
  });

  it("calls what no continuation could finish no JSON, and says where it goes wrong", () => {
    const at = (text: string) => {
      const parsed = parseStrict(text);
      return parsed.ok ? ["ok"] : [parsed.problem, parsed.offset];
    };
    const cases: [string, number][] = [
      ['{"a": [,]}', 7],
      ['{"a":tru}', 5],
      ["[1,2,]", 5],
      ["{a:1}", 1],
      ['{"a":1,}', 7],
      ['"\\x"', 0],
      ["[1.e", 1],
      ["[01", 1],
      ["[--", 1],
      ["nope", 0],
      ["'a'", 0],
      ["Here: {}", 0],
      [`{"a":"${"x".repeat(100_000)}",]`, 100_008],
    ];
    for (const [text, offset] of cases)
      expect([text.slice(0, 20), ...at(text)]).toEqual([text.slice(0, 20), "not_json", offset]);
    expect(at('{"a":1} x')).toEqual(["trailing_text", 8]);
    expect(at("{}}")).toEqual(["trailing_text", 2]);
  });

  it("calls unfinished what more text could finish, however it stops", () => {
    for (const text of [
      "{",
      '{"a',
      '{"a\\',
      '{"a\\u00',
      '{"a":-',
      '{"a":1.',
      '{"a":1e+',
      "[tru",
      "[1,",
      '"',
      "[\n ",
      "-",
    ]) {
      expect([text, problem(text)]).toEqual([text, "unterminated"]);
    }
    expect(problem("[".repeat(64))).toBe("unterminated");
    expect(problem("[".repeat(65))).toBe("too_deep");
    expect(problem("[".repeat(500_000))).toBe("too_deep");
    expect(problem("[],".repeat(100), { maxDepth: 1 })).toBe("trailing_text");
  });

  it("refuses duplicate keys at any depth, spelled with escapes too", () => {
    expect(problem('{"a":1,"b":2,"a":3}')).toBe("duplicate_key");
    expect(problem('[{"x":{"a":1,"\\u0061":2}}]')).toBe("duplicate_key");
    expect(problem('{"a\\\\":1,"a":2}')).toBe("ok");
    const many = Array.from({ length: 40 }, (_, i) => `"k${i}":0`).join(",");
    expect(problem(`{${many}}`)).toBe("ok");
    expect(problem(`{${many},"k39":1}`)).toBe("duplicate_key");
  });

  it("refuses the keys that reach a prototype and keeps a harmless constructor", () => {
    expect(problem('{"__proto__":{}}')).toBe("prototype_key");
    expect(problem('{"constructor":{"prototype":{}}}')).toBe("prototype_key");
    expect(problem('{"constructor":"x"}')).toBe("ok");
    expect(problem('{"prototype":1}')).toBe("ok");
  });

  it("counts levels and bytes", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(problem(nested(64))).toBe("ok");
    expect(problem(nested(65))).toBe("too_deep");
    expect(problem('"ä"', { maxBytes: 4 })).toBe("ok");
    expect(problem('"ä"', { maxBytes: 3 })).toBe("too_large");
  });

  it("points at integers that lost digits", () => {
    const parsed = parseStrict('{"a/b":[1,9007199254740993],"c":9007199254740991,"d":12345678901234567.5}');
    expect(parsed.ok && parsed.unsafeIntegers).toEqual(["/a~1b/1"]);
    const bare = parseStrict("9007199254740993");
    expect(bare.ok && bare.unsafeIntegers).toEqual([""]);
  });

  it("answers on its quick way what the thorough one answers", () => {
    const key = fc.constantFrom(
      "a",
      "b",
      "\\u0061",
      "__proto__",
      "\\u005f_proto__",
      "prototype",
      "constructor",
      "é:",
    );
    const leaf = fc.oneof(
      fc.constantFrom("9007199254740993", "-12345678901234567", "1e400", "0.5", "true", "null", "-0"),
      fc.string({ maxLength: 30 }).map((text) => JSON.stringify(text)),
    );
    const { document } = fc.letrec<{ document: string }>((tie) => ({
      document: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie("document"), { maxLength: 3 }).map((items) => `[${items.join(" ,")}]`),
        fc
          .array(fc.tuple(key, tie("document")), { maxLength: 4 })
          .map((members) => `{${members.map(([name, value]) => ` "${name}" : ${value}`).join(",")} }`),
      ),
    }));
    fc.assert(
      fc.property(document, (text) => {
        fc.pre(/^[[{]/.test(text));
        const parsed = parseStrict(text, { maxDepth: 4 });
        const longNumbers = parsed.ok && parsed.longNumbers;
        expect(parsed).toEqual(new StrictScan(text, 4).check(JSON.parse(text), longNumbers));
      }),
      { numRuns: 3000 },
    );
  });

  it("is not misled by members that a library gave every object", () => {
    try {
      Object.assign(Object.prototype, { everybodys: 1 });
      expect(problem('{"a":1,"a":2}')).toBe("duplicate_key");
      expect(problem('{"a":1,"b":2}')).toBe("ok");
    } finally {
      Reflect.deleteProperty(Object.prototype, "everybodys");
    }
  });

  it("says where a number may have lost digits, and only there", () => {
    const long = (text: string) => {
      const parsed = parseStrict(text);
      return parsed.ok && parsed.longNumbers;
    };
    for (const text of [
      "0.1000000000000000055",
      "[1e5]",
      "[1.234567890123456]",
      "1E400",
      '{"a":-0.00000000000000001}',
    ])
      expect([text, long(text)]).toEqual([text, true]);
    for (const text of [
      "0.12345678901234",
      "[123456789012345]",
      '"1e5 0.1000000000000000055"',
      '{"1e5":[]}',
      "[-1,true]",
    ])
      expect([text, long(text)]).toEqual([text, false]);
  });

  it("finds where a long text ends, whatever stands before its quote", () => {
    for (const end of ["", "\\", '"', '\\"', "\\\\"]) {
      const text = JSON.stringify({ a: "x".repeat(40) + end, b: '":{' });
      expect([end, problem(text)]).toEqual([end, "ok"]);
      expect([end, problem(text.replace('"b"', '"a"'))]).toEqual([end, "duplicate_key"]);
    }
  });

  it("reads 200 kB of quotes and backslashes in linear time", () => {
    const text = JSON.stringify({ a: '\\"'.repeat(50_000) });
    expect(problem(text)).toBe("ok");
  });
});
