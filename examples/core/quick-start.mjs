import assert from "node:assert/strict";
import { BasisError, canonicalJson, digestJson, isBasisError, parseStrict, withDeadline } from "@basis/core";

const parsed = parseStrict('{"path":"a.txt","path":"b.txt"}');
assert.equal(parsed.ok, false);
assert.equal(parsed.problem, "duplicate_key");
assert.equal(parseStrict('{"path":"a.t').problem, "unterminated");

assert.equal(canonicalJson({ b: 1, a: [true] }), '{"a":[true],"b":1}');
assert.equal(digestJson({ b: 1, a: 2 }), digestJson({ a: 2, b: 1 }));

const late = withDeadline({ timeoutMs: 20 }, () => new Promise((done) => setTimeout(done, 200)));
await assert.rejects(late, { name: "DeadlineError" });

class StoreError extends BasisError {}
const error = new StoreError("busy", "the store is busy", { details: { waitedMs: 20 } });
assert.ok(isBasisError(error, "StoreError"));
assert.equal(JSON.parse(JSON.stringify(error)).code, "busy");
