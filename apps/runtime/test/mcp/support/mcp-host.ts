import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  calls,
  openTestHost,
  resultsOf,
  type TestHost,
  type TestHostOptions,
} from "../../harness/test-host.ts";

const script = fileURLToPath(new URL("scripted-server.mjs", import.meta.url));

/** What a scripted server does; see scripted-server.mjs. */
export type ServerPlan = Readonly<Record<string, unknown>>;

/** A `.mcp.json` of scripted servers by name. */
export function mcpFile(servers: Readonly<Record<string, ServerPlan>>, more: object = {}): string {
  const entries = Object.entries(servers).map(([name, plan]) => [
    name,
    { command: "node", args: [script, JSON.stringify(plan)], ...more },
  ]);
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

/** A tool as a server lists it. */
export function offered(name: string, more: object = {}): object {
  return { name, description: `The tool ${name}.`, inputSchema: { type: "object" }, ...more };
}

/** A host with one scripted server `s`, whose tools are named like what they do. */
export function hostWith(
  plan: ServerPlan,
  options: TestHostOptions & { readonly entry?: object } = {},
): Promise<TestHost> {
  const { entry, ...rest } = options;
  return openTestHost({
    trust: "run",
    ...rest,
    files: { ".mcp.json": mcpFile({ s: plan }, entry), ...rest.files },
  });
}

/** A turn that calls each tool of `s` once, in order. */
export function callsOf(...names: readonly string[]): NonNullable<TestHostOptions["agents"]> {
  const rounds = names.map((name, index) => calls({ name: `mcp__s__${name}`, input: {}, id: `c${index}` }));
  return { main: [...rounds, { text: "done" }] };
}

/** Runs one turn; answers the results in order. */
export async function resultsIn(host: TestHost): Promise<readonly { type: string; value: unknown }[]> {
  const report = await host.run("go");
  const results = resultsOf(await host.transcript(report.transcript!.sessionId));
  return Object.values(results) as { type: string; value: unknown }[];
}

/** What servers wrote down, line by line. */
export function notesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

/** The processes that a server wrote down. */
export function processesOf(path: string): readonly number[] {
  return notesOf(path).flatMap((line) => {
    const found = /^(?:started|child) (\d+)$/.exec(line)?.[1];
    return found === undefined ? [] : [Number(found)];
  });
}
