import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Bench } from "../cli/support/bench.ts";

const program = fileURLToPath(new URL("support/delegating.mjs", import.meta.url));
const usage = { inputTokens: 60, outputTokens: 40 };
const spawn = (input: string) => ({ calls: [{ name: "spawn", input: { input } }], usage });
const found = { text: "found", usage };

/** Killed while its third child begins: `lead` and its own `deep` have ended, and five rounds were asked for. */
const main = [spawn("lead"), spawn("child"), spawn("child"), spawn("child"), { text: "done", usage }];
const others = {
  lead: { rounds: [spawn("deep"), found] },
  deep: { rounds: [found] },
  child: { rounds: [found] },
};

const unknown: unknown = expect.stringMatching(
  /^interrupted: outcome unknown; the subagent's session is \S+; it had not begun$/,
);
const lost = ["found", unknown];
const full: unknown = expect.stringContaining("has started 4 subagents");

describe.concurrent("kill -9 of a host while a child begins", () => {
  // L2: the limit is four children in one run's whole tree.
  it.each([
    {
      with: "its children",
      maxTokens: 10_000,
      ends: { outcome: "completed", results: [...lost, "found", full] },
    },
    {
      with: "its tokens",
      maxTokens: 600,
      ends: { stoppedBy: "token_budget", results: [...lost, expect.any(String)] },
    },
    {
      with: "neither, at a prompt of its own",
      maxTokens: 600,
      prompt: ["anew"],
      ends: { outcome: "completed", results: [...lost, "found", "found"] },
    },
  ])(
    "goes on with $with counted from before",
    { timeout: 90_000 },
    async ({ maxTokens, prompt = [], ends }) => {
      const bench = new Bench();
      try {
        const model = bench.script(main, others);
        const given = [bench.data, bench.workspace, bench.config, model];
        expect(await ended([...given, "10000"])).toMatchObject({ signal: "SIGKILL" });
        const listed = JSON.parse((await bench.run(["sessions", "list", "--json"])).stdout) as Listed[];
        const [{ session }] = listed.filter(({ state }) => /running|interrupted/.test(state)) as [Listed];
        const { stdout } = await ended([...given, String(maxTokens), session, ...prompt]);
        expect(JSON.parse(stdout)).toMatchObject(ends);
      } finally {
        bench.remove();
      }
    },
  );
});

interface Listed {
  readonly session: string;
  readonly state: string;
}

function ended(argv: readonly string[]): Promise<{ readonly signal: unknown; readonly stdout: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...argv], (error, stdout) =>
      resolve({ signal: error?.signal, stdout }),
    );
  });
}
