import { afterEach, beforeEach, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";
import { park, tokenOptions } from "./support/waiting.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const schema = (word: string): string =>
  JSON.stringify({ type: "object", properties: { [word]: { type: "string" } }, required: [word] });

// D12
it("a typed turn that waited goes on with the same --output alone, and prints its value", async () => {
  bench.write("verdict.json", schema("verdict"));
  bench.write("other.json", schema("other"));
  const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] };
  const model = bench.script([write, { calls: [{ name: "$output", input: { verdict: "good" } }] }]);
  const typed = ["--output", "verdict.json", "--with-tools"];
  const { id, session } = await park(bench, model, ...typed);
  expect((await bench.run(["approvals", "allow", id, ...tokenOptions(bench)])).code).toBe(0);
  const goOn = ["run", "--session", session, "--model", model];
  expect(await bench.run(goOn)).toMatchObject(refused(2, "answers with a value"));
  expect(await bench.run([...goOn, "--output", "other.json"])).toMatchObject(refused(2, "the same --output"));
  const ended = await bench.run([...goOn, ...typed]);
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout)).toEqual({ verdict: "good" });
});

it("a turn in prose that waited takes no --output", async () => {
  bench.write("verdict.json", schema("verdict"));
  const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] };
  const model = bench.script([write, { text: "done" }]);
  const { session } = await park(bench, model);
  const goOn = ["run", "--session", session, "--output", "verdict.json", "--model", model];
  expect(await bench.run(goOn)).toMatchObject(refused(2, "answers in prose"));
});
