import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

import { openHooks, type HookSpec, type OpenedHooks, type OpenHooksOptions } from "../../src/node/index.ts";

/** A workspace and a global directory beside it, in a directory that is removed after the test. */
export interface Fixture {
  readonly root: string;
  readonly workspace: string;
  readonly globalDir: string;
  readonly reports: string[];
  /** Writes a file below the root and answers its path. */
  write(path: string, text: string, mode?: number): Promise<string>;
  /** Writes the workspace's hooks.json. */
  ownHooks(...hooks: readonly object[]): Promise<string>;
  /** Writes the operator's hooks.json. */
  globalHooks(...hooks: readonly object[]): Promise<string>;
  /** Opens with an environment of nothing but PATH; the chain is closed after the test. */
  open(options?: Partial<OpenHooksOptions>): Promise<OpenedHooks>;
}

let launcher = true;

/** To the end of the file fixtures open chains that start their programs themselves: a whole suite can be run so. */
export function withoutLauncher(): void {
  launcher = false;
  afterAll(() => void (launcher = true));
}

/** Makes the directories of a test. */
export async function makeFixture(): Promise<Fixture> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hooks-test-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const workspace = join(root, "workspace");
  const globalDir = join(root, "config");
  await mkdir(workspace);
  await mkdir(globalDir, { mode: 0o700 });
  const reports: string[] = [];
  const write = async (path: string, text: string, mode = 0o600): Promise<string> => {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text, { mode });
    await chmod(target, mode);
    return target;
  };
  const hooksFile = (path: string, hooks: readonly object[]) =>
    write(path, JSON.stringify({ schema: 1, hooks }));
  return {
    root,
    workspace,
    globalDir,
    reports,
    write,
    ownHooks: (...hooks) => hooksFile("workspace/.basis/hooks.json", hooks),
    globalHooks: (...hooks) => hooksFile("config/hooks.json", hooks),
    async open(options = {}) {
      const chain = await openHooks({
        workspace,
        globalDir,
        env: { PATH: process.env["PATH"] },
        launcher,
        report: (message) => reports.push(message),
        ...options,
      });
      onTestFinished(() => chain.close());
      return chain;
    },
  };
}

/** A spec that runs a line of shell; `name` is `hook` and the deadline generous unless given. */
export function shellHook(script: string, facts: Partial<HookSpec> = {}): HookSpec {
  return { name: "hook", command: ["/bin/sh", "-c", script], timeout_ms: 10_000, ...facts };
}

/** A spec that runs a program for Node. */
export function nodeHook(program: string, facts: Partial<HookSpec> = {}): HookSpec {
  return { name: "hook", command: [process.execPath, "-e", program], timeout_ms: 20_000, ...facts };
}
