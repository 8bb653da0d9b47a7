import { existsSync, readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const roots = ["packages", "apps"]
  .flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}`))
  .filter((dir) => existsSync(`${dir}/package.json`));
const nameOf = (dir: string): string => JSON.parse(readFileSync(`${dir}/package.json`, "utf8")).name;

/** Files that start processes: they share one worker, so that their deadlines mean something on a busy machine. */
const spawning = "test/**/*.spawn.test.ts";

export default defineConfig({
  resolve: { conditions: ["@basis/source"] },
  ssr: { resolve: { conditions: ["@basis/source"] } },
  test: {
    passWithNoTests: true,
    testTimeout: 20_000,
    projects: [
      ...roots.map((dir) => ({
        extends: true as const,
        test: { name: nameOf(dir), root: dir, include: ["test/**/*.test.ts"], exclude: [spawning] },
      })),
      {
        extends: true as const,
        test: {
          name: "spawning",
          include: roots.map((dir) => `${dir}/${spawning}`),
          globalSetup: ["tools/fresh-dist.ts"],
          fileParallelism: false,
          testTimeout: 60_000,
        },
      },
      { extends: true as const, test: { name: "tools", root: "tools", include: ["test/**/*.test.ts"] } },
    ],
  },
});
