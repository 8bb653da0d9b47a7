import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const SECRET = "canary-0123456789abcdef";
const read = { calls: [{ name: "read", input: { path: "README.md" } }] };
const spawn = {
  calls: [
    { name: "spawn", input: { input: "look" } },
    { name: "spawn", input: { input: "look" } },
  ],
};
const schema = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false,
};
const without = (text: string): string =>
  text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|main-[0-9a-f]{8}|child-[0-9a-f]{6}|"ts":"[^"]*"/g, "*");

describe("run --record", () => {
  it("writes a cassette that plays the whole run again, children and checked answers too, without a model", async () => {
    bench.write("README.md", `# A workspace with ${SECRET}\n`);
    const file = join(bench.base, "run.cassette");
    const rounds = [read, spawn, { terminal: '{"n":"x"}' }, { terminal: '{"n":7}' }];
    const model = bench.script(rounds, { child: { rounds: [read, { text: `it says ${SECRET}` }] } });
    const output = bench.write(join(bench.base, "n.json"), JSON.stringify(schema));
    const argv = ["run", "go", "--output", output, "--with-tools", "--approve", "always", "--json"];
    const env = { ACME_API_KEY: SECRET };
    const recorded = await bench.run([...argv, "--model", model, "--record", file], { env });
    expect(recorded.code).toBe(0);
    expect(recorded.stderr).toContain(`recorded 8 rounds; play it with: --model cassette:${file}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const cassette = readFileSync(file, "utf8");
    expect(cassette).not.toContain(SECRET);
    expect(cassette).toContain("[redacted ACME_API_KEY]");
    const played = await bench.run([...argv, "--model", `cassette:${file}`], { env });
    expect(played.stderr).toBe("");
    expect(played.code).toBe(0);
    expect(played.events().map(({ type }) => type)).toEqual(recorded.events().map(({ type }) => type));
    expect(played.event("output_accepted").data.candidate).toEqual({ n: 7 });
    expect(played.event("run_started").data.model).toEqual(recorded.event("run_started").data.model);
    const results = (ended: typeof played): readonly string[] =>
      ended
        .events()
        .flatMap((event) =>
          event.type === "tool_completed" ? [without(JSON.stringify(event.data.output))] : [],
        );
    expect(results(played)).toEqual(
      results(recorded).map((text) => text.replaceAll(`says ${SECRET}`, "says [redacted ACME_API_KEY]")),
    );
    // The same file is shown as text.
    const shown = await bench.run(["replay", file]);
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toMatch(/round +0 of main on scripted\/.*\n.*user +go\n.*call +read/);
    // What was not recorded is told, and nobody is asked.
    const other = argv.map((word) => (word === "go" ? "stop" : word));
    const missed = await bench.run([...other, "--model", `cassette:${file}`], { env });
    expect(missed.code).toBe(1);
    expect(missed.stderr).toContain("which differs in messages/0");
    expect(missed.event("error").data.code).toBe("cassette_miss");
  });

  it("goes on in a session that was recorded turn by turn", async () => {
    const model = bench.script([{ text: "one" }, { text: "two" }]);
    const [first, second] = [join(bench.base, "1.cassette"), join(bench.base, "2.cassette")];
    const { session } = (
      await bench.run(["run", "a b", "--json", "--model", model, "--record", first])
    ).event("run_started");
    await bench.run(["run", "and?", "--session", session, "--model", model, "--record", second]);
    const again = await bench.run(["run", "a b", "--json", "--model", `cassette:${first}`]);
    const next = await bench.run([
      "run",
      "and?",
      "--session",
      again.event("run_started").session,
      "--model",
      `cassette:${second}`,
    ]);
    expect(next).toMatchObject({ code: 0, stdout: "two\n" });
  });

  it("takes no other file's place, and refuses broken cassettes before anything starts", async () => {
    const model = bench.script([{ text: "one" }]);
    const taken = bench.write("taken", "mine");
    expect(await bench.run(["run", "x y", "--model", model, "--record", "taken"])).toMatchObject(
      refused(2, `there is a file ${taken}`),
    );
    expect(readFileSync(taken, "utf8")).toBe("mine");
    expect(await bench.run(["run", "x y", "--model", model, "--record", "no/where"])).toMatchObject(
      refused(2, "cannot be written: its directory does not exist"),
    );
    const play = (file: string) => bench.run(["run", "x y", "--model", `cassette:${file}`]);
    expect(await play("nowhere")).toMatchObject(refused(5, "nowhere: there is no such file"));
    expect(await play("taken")).toMatchObject(refused(5, "taken:1:", "basis run --record FILE"));
    expect(await bench.run(["run", "x y", "--model", "cassette:"])).toMatchObject(
      refused(2, "cassette:FILE"),
    );
  });
});

describe("replay", () => {
  it("shows an event log as a run would show it, and names what is torn, foreign or missing", async () => {
    const model = bench.script([read, spawn, { text: "the \u001b[31mend" }], {
      child: { rounds: [{ text: "seen" }] },
    });
    const ended = await bench.run(["run", "go on", "--approve", "always", "--json", "--model", model]);
    const log = bench.write("log.jsonl", ended.stdout);
    const whole = await bench.run(["replay", "log.jsonl"]);
    expect(whole).toMatchObject({ code: 0, stderr: "" });
    expect(whole.stdout).toMatch(/user +go on\n/);
    expect(whole.stdout).toMatch(/tool +read README\.md\n/);
    expect(whole.stdout).toMatch(/ {4}model +seen\n/);
    expect(whole.stdout).toMatch(/end +completed; \d+ tokens in/);
    expect(whole.stdout).not.toContain("\u001b");
    const lines = ended.stdout.trimEnd().split("\n");
    const gap = lines.findIndex((line) => line.includes('"tool_queued"'));
    const torn = [
      ...lines.slice(0, gap),
      ...lines.slice(gap + 1),
      "not an event",
      lines[0]!.slice(0, 40),
    ].join("\n");
    bench.write("log.jsonl", torn);
    const told = await bench.run(["replay", "log.jsonl"]);
    expect(told.code).toBe(1);
    expect(told.stderr).toMatch(new RegExp(`${log}:${gap + 1}: number \\d+ of session .* is missing`));
    expect(told.stderr).toContain(`${log}:${lines.length}: is no JSON`);
    expect(told.stderr).toContain(`${log}:${lines.length + 1}: the file ends in the middle of this line`);
    expect(told.stdout).toMatch(/end +completed/);
  });

  it("refuses what is no recording (5), naming the line and what makes one", async () => {
    bench.write("other.json", '\n{"hello": 1}\n');
    expect(await bench.run(["replay", "other.json"])).toMatchObject(
      refused(5, "other.json:2: is neither an event nor the beginning of a cassette", "basis events SESSION"),
    );
    expect(await bench.run(["replay", "nowhere"])).toMatchObject(refused(5, "there is no such file"));
    bench.write("empty", "");
    expect(await bench.run(["replay", "empty"])).toMatchObject(refused(5, "the file is empty"));
    expect(await bench.run(["replay", "."])).toMatchObject(refused(5, "no regular file"));
    expect(await bench.run(["replay"])).toMatchObject(refused(2, "FILE is missing"));
  });
});
