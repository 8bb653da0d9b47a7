import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { Bench } from "./support/bench.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const reading = [
  { text: "I read it.", calls: [{ name: "read", input: { path: "README.md" } }] },
  { text: "It is a workspace." },
];

describe("basis run", () => {
  it.each([
    [401, "application/json", '{"error":{"message":"no such key"}}', "(401): no such key"],
    [200, "text/html", "<html>sign in</html>", "its address answers with a web page"],
  ])("whose provider answers with %i %s says where to look", async (status, type, body, words) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { "content-type": type });
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const env = { BASIS_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const ended = await bench.run(["run", "hello you", "--model", "openai-compatible/any"], { env });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
    expect(ended.stderr).toContain("key, address and model fit: basis doctor --online");
  });

  it("prints the answer alone on standard output and its progress on standard error", async () => {
    const ended = await bench.run(["run", "what is this?", "--model", bench.script(reading)]);
    expect(ended).toMatchObject({ code: 0, stdout: "It is a workspace.\n" });
    expect(ended.stderr).toContain("“I read it.”");
    expect(ended.stderr).toMatch(/tool +read README\.md/);
    expect(ended.stderr).toMatch(/go on with: basis run --session main-\w{8} "…"/);
  });

  it("is meant when the first word is a prompt", async () => {
    const ended = await bench.run(["what is this?", "--model", bench.script(reading)]);
    expect(ended).toMatchObject({ code: 0, stdout: "It is a workspace.\n" });
  });

  it("is meant when the first word is an option", async () => {
    const ended = await bench.run(["--model", bench.script(reading), "what is this?"]);
    expect(ended).toMatchObject({ code: 0, stdout: "It is a workspace.\n" });
  });

  it.each([
    ["a pipe without a prompt", ["run"]],
    ["a pipe without any word", []],
    ["a dash", ["run", "-"]],
    ["a dash as the only word", ["-"]],
  ])("reads the prompt from %s", async (_name, argv) => {
    const model = bench.script([{ when: { contains: "from the pipe" }, text: "heard" }]);
    const ended = await bench.run([...argv, "--model", model], { stdin: "a question\nfrom the pipe\n" });
    expect(ended).toMatchObject({ code: 0, stdout: "heard\n" });
  });

  it("does not read standard input when there is a prompt", async () => {
    const model = bench.script([
      [{ when: { contains: "from the pipe" }, text: "the pipe" }, { text: "the word" }],
    ]);
    const ended = await bench.run(["run", "the word itself", "--model", model], { stdin: "from the pipe" });
    expect(ended.stdout).toBe("the word\n");
  });

  it("takes a prompt that begins with a dash after --", async () => {
    const model = bench.script([{ when: { contains: "--help me" }, text: "helped" }]);
    expect((await bench.run(["run", "--model", model, "--", "--help me"])).stdout).toBe("helped\n");
  });

  it("takes a prompt of one lower-case word when run is written out", async () => {
    const ended = await bench.run(["run", "hello", "--model", bench.script([{ text: "hello" }])]);
    expect(ended).toMatchObject({ code: 0, stdout: "hello\n" });
  });

  it("uses the model of BASIS_MODEL, and --model before it", async () => {
    const env = { BASIS_MODEL: "scripted:/nowhere.json" };
    const model = bench.script([{ text: "here" }]);
    expect(await bench.run(["run", "hi"], { env })).toMatchObject({ code: 5, stdout: "" });
    expect(await bench.run(["run", "hi", "--model", model], { env })).toMatchObject({ code: 0 });
  });

  it("goes on in a session by its member's name and by its id", async () => {
    const model = bench.script([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const first = await bench.run(["run", "1", "--model", model, "--json"]);
    const { session, data } = first.event("run_started");
    const second = await bench.run(["run", "2", "--model", model, "--session", data.agent]);
    const third = await bench.run(["run", "3", "--model", model, "--session", session]);
    expect([second.stdout, third.stdout]).toEqual(["two\n", "three\n"]);
  });

  it("keeps nothing of an ephemeral run", async () => {
    const ended = await bench.run(["run", "hi", "--ephemeral", "--model", bench.script([{ text: "gone" }])]);
    expect(ended).toMatchObject({ code: 0, stdout: "gone\n" });
    expect(ended.stderr).not.toContain("--session");
    expect((await bench.run(["sessions", "list"])).stdout).toContain("no sessions");
  });

  it("fails with 1 when the script holds no further round, naming file, agent and index", async () => {
    const model = bench.script([]);
    const ended = await bench.run(["run", "hi", "--model", model]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain(model.replace("scripted:", ""));
    expect(ended.stderr).toMatch(/main.*0/);
  });

  it("stands a delegation below its call, in words that name model and roster", async () => {
    const spawn = { text: "I delegate.", calls: [{ name: "spawn", input: { input: "look around" } }] };
    const model = bench.script([spawn, { text: "done" }], { child: { rounds: [{ text: "I looked." }] } });
    const ended = await bench.run(["run", "go on", "--model", model, "--approve", "always"]);
    expect(ended).toMatchObject({ code: 0, stdout: "done\n" });
    expect(ended.stderr).toMatch(/preview[^]*task +look around/);
    expect(ended.stderr).toMatch(/approved +spawn \(local_state\) by .*bound to sha256:\w{12}…/);
    expect(ended.stderr).toMatch(/child +child completed/);
  });
});
