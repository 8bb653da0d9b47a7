import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ScriptedAgent, ScriptedFile } from "../../../src/providers/scripted-file.ts";
import { startBasis, type Ended, type Running, type StartOptions } from "./basis-process.ts";

/** A place of its own for the built binary: a git repository as workspace, and home, data and config beside it. */
export class Bench {
  readonly base: string = realpathSync(mkdtempSync(join(tmpdir(), "basis-test-")));
  readonly workspace: string = join(this.base, "workspace");
  readonly data: string = join(this.base, "data");
  readonly config: string = join(this.base, "config");

  constructor() {
    for (const dir of [this.workspace, this.config, join(this.base, "home")]) mkdirSync(dir, { mode: 0o700 });
    execFileSync("git", ["init", "-q"], { cwd: this.workspace });
    this.write("README.md", "# A workspace\n");
  }

  /** Writes a file of the workspace, or of another directory when the path is absolute. */
  write(path: string, content: string | Uint8Array, mode = 0o644): string {
    const target = path.startsWith("/") ? path : join(this.workspace, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content, { mode });
    return target;
  }

  /** Writes a scripted file beside the workspace; answers what `--model` takes. */
  script(rounds: ScriptedAgent["rounds"], others: ScriptedFile["agents"] = {}): string {
    const file: ScriptedFile = { schema: 1, agents: { main: { rounds }, ...others } };
    return `scripted:${this.write(join(this.base, "script.json"), JSON.stringify(file))}`;
  }

  /** Writes a hook of the operator, which needs no trust: a program's text, its name and the tools it guards. */
  hook(name: string, program: string, tools: readonly string[]): void {
    const path = this.write(join(this.config, `${name}.mjs`), program);
    const hooks = [{ name, command: ["node", path], tools }];
    this.write(join(this.config, "hooks.json"), JSON.stringify({ schema: 1, hooks }), 0o600);
  }

  start(argv: readonly string[], options: StartOptions = {}): Running {
    return startBasis(argv, { ...options, cwd: options.cwd ?? this.workspace, env: this.env(options.env) });
  }

  run(argv: readonly string[], options: StartOptions = {}): Promise<Ended> {
    return this.start(argv, options).ended;
  }

  env(more: StartOptions["env"] = {}): Record<string, string | undefined> {
    return {
      PATH: process.env["PATH"],
      HOME: join(this.base, "home"),
      TMPDIR: tmpdir(),
      BASIS_DATA_DIR: this.data,
      BASIS_CONFIG_DIR: this.config,
      ...more,
    };
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true, maxRetries: 5 });
  }
}
