import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFixture, type Fixture } from "../../node/workspace-fixture.ts";

/** The built entry. */
export const entry: string = fileURLToPath(new URL("../../../dist/cli/basis-hooks.js", import.meta.url));

/** A command line that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run may add. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** A workspace, an operator's directory and a record of trust, and the command line in them. */
export interface CliFixture extends Fixture {
  readonly trustFile: string;
  /** What the command line is started with: nothing of the tests' own but PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs the built binary in the workspace. */
  run(argv: readonly string[], options?: RunOptions): Promise<Ended>;
  /** The same with `--json`: the document, and the exit code. */
  json(argv: readonly string[], options?: RunOptions): Promise<{ code: number | null; document: never }>;
}

export async function makeCliFixture(): Promise<CliFixture> {
  const fixture = await makeFixture();
  const { root, workspace, globalDir } = fixture;
  const data = join(root, "data");
  await mkdir(data, { mode: 0o700 });
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: root,
    BASIS_CONFIG_DIR: globalDir,
    BASIS_DATA_DIR: data,
  };
  const run = (argv: readonly string[], options: RunOptions = {}): Promise<Ended> =>
    runBinary(argv, { cwd: workspace, ...options, env: { ...env, ...options.env } });
  return {
    ...fixture,
    trustFile: join(data, "trust.json"),
    env,
    run,
    async json(argv, options) {
      const { code, stdout } = await run([...argv, "--json"], options);
      return { code, document: JSON.parse(stdout) as never };
    },
  };
}

function runBinary(
  argv: readonly string[],
  { cwd, env, stdin = "" }: RunOptions & { readonly cwd: string },
): Promise<Ended> {
  const child = spawn(process.execPath, [entry, ...argv], { cwd, env });
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** A script of the workspace that prints an answer, whatever it is asked. */
export function answeringScript(decision: object): string {
  return `#!/bin/sh\ncat > /dev/null\necho '${JSON.stringify(decision)}'\n`;
}
