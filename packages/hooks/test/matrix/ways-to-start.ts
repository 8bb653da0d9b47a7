import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { unstartable, type BrokenGuard, type GuardMode } from "./broken-guard.ts";

/** Programs that cannot be started, or are none; mended they are a script that behaves. */
export function waysToStart(mode: GuardMode): readonly BrokenGuard[] {
  return [
    unstartable("no such file", mode, async (fixture, well) => {
      await fixture.write("workspace/there", well, 0o700);
      return { broken: "./absent", mended: "./there" };
    }),
    unstartable("a bare name that is not on PATH", mode, async (fixture, well) => {
      await fixture.write("workspace/guard", well, 0o700);
      return { broken: "guard", mended: "./guard" };
    }),
    unstartable("no such interpreter", mode, async (fixture, well) => {
      await fixture.write("workspace/odd", well.replace("/bin/sh", "/no/such/sh"), 0o700);
      await fixture.write("workspace/well", well, 0o700);
      return { broken: "./odd", mended: "./well" };
    }),
    unstartable("a file that is not executable", mode, async (fixture, well) => {
      await fixture.write("workspace/plain", well, 0o600);
      await fixture.write("workspace/well", well, 0o700);
      return { broken: "./plain", mended: "./well" };
    }),
    unstartable("a directory", mode, async (fixture, well) => {
      await mkdir(join(fixture.workspace, "tools"));
      await fixture.write("workspace/tools/guard", well, 0o700);
      return { broken: "./tools", mended: "./tools/guard" };
    }),
    unstartable("a link to itself", mode, async (fixture, well) => {
      await symlink("loop", join(fixture.workspace, "loop"));
      await fixture.write("workspace/well", well, 0o700);
      await symlink("well", join(fixture.workspace, "link"));
      return { broken: "./loop", mended: "./link" };
    }),
    unstartable(
      "an executable file without content",
      mode,
      async (fixture, well) => {
        await fixture.write("workspace/empty", "", 0o700);
        await fixture.write("workspace/well", well, 0o700);
        return { broken: "./empty", mended: "./well" };
      },
      ["not_started", "silent"],
    ),
    unstartable(
      "an executable file that is no program",
      mode,
      async (fixture, well) => {
        await fixture.write("workspace/noise", "\u0001\u0002 ) canary-7f3a (\n", 0o700);
        await fixture.write("workspace/well", well, 0o700);
        return { broken: "./noise", mended: "./well" };
      },
      ["not_started", "exited"],
    ),
  ];
}
