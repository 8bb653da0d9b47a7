import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** A directory in which nothing but stubs and the real programs named can run: each stub writes down how it was called. */
export interface StubPrograms {
  /** Runs shell text and answers which stubs were started with which words. */
  run(shell: string, source: string): readonly (readonly string[])[];
  remove(): void;
}

/** Ends a call in the log; no argument holds it. */
const END = "\u0001end\u0001";

export function stubPrograms(names: readonly string[], real: readonly string[] = []): StubPrograms {
  const root = mkdtempSync(join(tmpdir(), "command-stubs-"));
  const bin = join(root, "bin");
  const work = join(root, "work");
  const log = join(root, "log");
  for (const folder of [bin, join(work, "src")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(work, "src", "a.ts"), "");
  for (const name of names) {
    const path = join(bin, name);
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\0' "\${0##*/}" "$@" '${END}' >>'${log}'\n`);
    chmodSync(path, 0o755);
  }
  for (const path of real.filter((one) => existsSync(one))) symlinkSync(path, join(bin, basename(path)));
  return {
    run(shell, source) {
      writeFileSync(log, "");
      const args = shell.endsWith("bash") ? ["--norc", "--noprofile", "-c", source] : ["-c", source];
      const { error } = spawnSync(shell, args, {
        cwd: work,
        env: { PATH: bin, HOME: work },
        timeout: 5000,
      });
      if (error && !/ETIMEDOUT|ENOBUFS/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
      return readFileSync(log, "utf8")
        .split(`${END}\0`)
        .slice(0, -1)
        .map((call) => call.split("\0").slice(0, -1));
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
