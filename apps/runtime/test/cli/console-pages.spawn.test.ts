import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
let temporary: string;
beforeAll(() => {
  bench = new Bench();
  temporary = join(bench.base, "temporary");
  mkdirSync(temporary);
  bench.write("package.json", "{}\n");
  bench.write("packages/hooks/src/advance.ts", "export const participants = 1;\n");
});
afterAll(() => bench.remove());

const env = (): Record<string, string> => ({ TMPDIR: temporary });

/** The events that a page holds. */
function eventsIn(page: string): readonly { session: string; type: string }[] {
  const data = /<script type="application\/x-ndjson"[^>]*>\n([^]*?)\n<\/script>/.exec(page)![1]!;
  return data.split("\n").map((line) => JSON.parse(line) as { session: string; type: string });
}

// S38
describe("the console as one file", () => {
  it("holds a session with its forks, and is shown for a log until it is interrupted", async () => {
    const model = bench.script([{ text: "one" }, { text: "two" }]);
    const log = await bench.run(["run", "</script>go", "--json", "--model", model]);
    const { session, data } = log.event("run_started");
    await bench.run(["fork", data.agent, "--at", "1", "--as", "branch"]);
    await bench.run(["run", "more", "--session", "branch", "--model", model]);

    const to = join(bench.base, "run.html");
    expect(await bench.run(["sessions", "export", data.agent, "--console", "--to", to])).toMatchObject({
      code: 0,
    });
    expect(statSync(to).mode & 0o777).toBe(0o600);
    const page = readFileSync(to, "utf8");
    expect(new Set(eventsIn(page).map((event) => event.session)).size).toBe(2);
    const branch = await bench.run(["sessions", "export", "branch", "--console"]);
    expect(eventsIn(branch.stdout).map((event) => event.session)).toContain(session);
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    const both = await bench.run(["sessions", "export", "branch", "--console", "--html"]);
    expect(both).toMatchObject(refused(2, "two kinds of page"));

    const file = bench.write(join(bench.base, "run.jsonl"), `${log.stdout}{"v":1,"torn`);
    const replay = bench.start(["replay", file, "--open"], { env: env() });
    const shown = (await replay.line(/^\/.*page\.html$/m)).trim();
    expect(statSync(shown).mode & 0o777).toBe(0o600);
    expect(readFileSync(shown, "utf8")).toContain('{"v":1,"torn');
    await replay.saw("Ctrl-C");
    replay.kill("SIGINT");
    expect(await replay.ended).toMatchObject({ code: 0 });
    expect(existsSync(shown)).toBe(false);
  });

  it("is served beside the demonstration, and goes with it", async () => {
    const demo = bench.start(["demo", "--open"], { env: env() });
    const address = await demo.line(/http:\/\/127\.0\.0\.1:\d+\/#token=\S+/);
    const [root, token] = address.split("#token=") as [string, string];
    const page = await fetch(root);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(await page.text()).toContain('src="app.js"');
    expect((await fetch(`${root}app.js`)).status).toBe(200);
    await demo.saw("stays until Ctrl-C");
    const listed = await fetch(`${root}rpc`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sessions/list", params: {} }),
    });
    const { result } = (await listed.json()) as { result: { sessions: readonly { member: string }[] } };
    expect(result.sessions.map(({ member }) => member)).toEqual(
      expect.arrayContaining(["main", "reviewer", "late"]),
    );
    demo.kill("SIGINT");
    expect(await demo.ended).toMatchObject({ code: 0 });
    expect(readdirSync(temporary)).toEqual([]);
  });
});
