import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { Bench } from "../cli/support/bench.ts";
import { until } from "../crash/support/processes.ts";
import { mcpFile } from "../mcp/support/mcp-host.ts";

/** A row of a transcript, as `sessions show --json` prints it. */
export interface Row {
  readonly kind: string;
  readonly message: { readonly role: string; readonly content: unknown };
}

const options = ["--allow-run", "--approve", "always", "--trust-workspace", "--json"];
export const ANSWER = "both are done";

/**
 * A host whose main agent runs a program, asks a server, and delegates twice; each child runs a program. A program
 * notes that it ran, and takes a moment.
 */
export class ThreeAgents {
  readonly bench: Bench = new Bench();
  readonly #marks = join(this.bench.base, "marks");
  readonly #model: string;

  constructor() {
    this.bench.write(".mcp.json", mcpFile({ s: {} }));
    this.bench.hook("guard", 'process.stdin.resume(); console.log(`{"decision":"allow"}`);', ["run"]);
    const step = (id: string, name: string, input: object) => ({
      calls: [{ id, name, input: input as never }],
    });
    const program = (mark: string) => ({ argv: ["sh", "-c", `echo ${mark} >> ../marks; sleep 0.1`] });
    const childOf = (mark: string) => ({
      when: { contains: mark },
      ...step(`c-${mark}`, "run", program(mark)),
    });
    this.#model = this.bench.script(
      [
        step("m1", "run", program("main")),
        step("m2", "mcp__s__echo", { a: 1 }),
        step("m3", "spawn", { input: "do the first" }),
        step("m4", "spawn", { input: "do the second" }),
        { text: ANSWER },
      ],
      { child: { rounds: [[childOf("first"), childOf("second")], { text: "done" }] } },
    );
  }

  /** Begins, or goes on in a session. */
  start(session?: string): ReturnType<Bench["start"]> {
    const what = session === undefined ? ["go"] : ["--session", session];
    return this.bench.start(["run", ...what, ...options, "--model", this.#model]);
  }

  /** The main agent's session; none before there is one. */
  async session(): Promise<string | undefined> {
    if (!existsSync(this.bench.data)) return undefined;
    const { stdout } = await this.bench.run(["sessions", "list", "--json"]);
    const views = JSON.parse(stdout) as { session: string; member?: string }[];
    return views.find(({ member }) => /^main-[^.]*$/.test(member ?? ""))?.session;
  }

  async rows(session: string): Promise<readonly Row[]> {
    const { stdout } = await this.bench.run(["sessions", "show", session, "--json"]);
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Row);
  }

  /** How often each program ran. */
  ran(): Readonly<Record<string, number>> {
    const lines = existsSync(this.#marks) ? readFileSync(this.#marks, "utf8").trimEnd().split("\n") : [];
    const counts: Record<string, number> = {};
    for (const line of lines) counts[line] = (counts[line] ?? 0) + 1;
    return counts;
  }

  /** Resolves once no process stands in the folder; rejects naming those that do. */
  async nobodyLeft(): Promise<void> {
    await until("no process is left", () => this.#processes().length === 0).catch(() => {
      throw new Error(`survivors: ${this.#processes().join("; ")}`);
    });
  }

  #processes(): readonly string[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(this.bench.workspace)) return [];
          return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`];
        } catch {
          return [];
        }
      });
  }
}
