import { existsSync, readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const roots = ["packages", "apps"]
  .flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}`))
  .filter((dir) => existsSync(`${dir}/package.json`));
const nameOf = (dir: string): string => JSON.parse(readFileSync(`${dir}/package.json`, "utf8")).name;

/** Files that start processes: those of a project share one worker, so that their deadlines mean something on a busy machine. */
const spawning = "test/**/*.spawn.test.ts";

/** The command line's own: half of all the processes that tests start, so they are a project beside the others. */
const commands = "apps/runtime/test/cli/**/*.spawn.test.ts";

/** Files that need a PostgreSQL server; fork's suites run on it as they do on the other stores. */
const onServer = "test/**/*.server.test.ts";
const withoutPostgres = process.env["BASIS_TEST_WITHOUT_POSTGRES"] === "1";
if (withoutPostgres) process.stderr.write("BASIS_TEST_WITHOUT_POSTGRES=1: nothing is tested on PostgreSQL\n");

/** What starts processes on a server starts the server as well. */
const tested = roots.filter((dir) => !(withoutPostgres && dir === "packages/session-postgres"));

/** The suites of a directory that run on every kind of store: they ask for the list of kinds. */
const storeSuites = (dir: string, kinds: RegExp): string[] =>
  readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.endsWith(".spawn.test.ts"))
    .map((name) => `${dir}/${name}`)
    .filter((path) => kinds.test(readFileSync(path, "utf8")));

/** Runs suites of other files once more, by another way: it needs modules of its own, or they would be there already. */
const again = "test/http/methods.test.ts";

/** Before each file of the host. */
const setupFiles = [`${import.meta.dirname}/apps/runtime/test/harness/forget-secrets.ts`];

const postgres = {
  extends: true as const,
  test: {
    name: "postgres",
    include: [
      `packages/session-postgres/${onServer}`,
      ...storeSuites("packages/fork/test", /\.each\(stores\)/),
      `apps/runtime/${onServer}`,
      ...storeSuites("apps/runtime/test", /\.each\(stateKinds\)|state: keptKind/),
    ],
    globalSetup: ["packages/session-postgres/test/server/vitest-setup.ts", "tools/fresh-dist.ts"],
    setupFiles,
    testTimeout: 240_000,
  },
};

const startingProcesses = (files: { name: string; include: string[]; exclude: string[] }) => ({
  extends: true as const,
  test: {
    ...files,
    globalSetup: ["tools/fresh-dist.ts"],
    setupFiles,
    // They start more than they load, and some run the suites of others once more.
    isolate: true,
    fileParallelism: false,
    testTimeout: 60_000,
  },
});

export default defineConfig({
  resolve: { conditions: ["@basis/source"] },
  ssr: { resolve: { conditions: ["@basis/source"] } },
  test: {
    passWithNoTests: true,
    // Nothing mocks modules, so files may share them: loading them anew for each file took most of the time.
    isolate: false,
    testTimeout: 20_000,
    // What a suite is set up with (a build, a browser, a server) takes its time on a busy machine.
    hookTimeout: 60_000,
    projects: [
      ...roots.map((dir) => ({
        extends: true as const,
        test: {
          name: nameOf(dir),
          root: dir,
          include: ["test/**/*.test.ts"],
          exclude: [spawning, onServer, again],
          setupFiles: dir === "apps/runtime" ? setupFiles : [],
        },
      })),
      {
        extends: true as const,
        test: {
          name: "@basis/runtime by http",
          root: "apps/runtime",
          include: [again],
          isolate: true,
          setupFiles,
        },
      },
      startingProcesses({
        name: "spawning",
        include: tested.map((dir) => `${dir}/${spawning}`),
        exclude: [commands],
      }),
      startingProcesses({ name: "commands", include: [commands], exclude: [] }),
      ...(withoutPostgres ? [] : [postgres]),
      { extends: true as const, test: { name: "tools", root: "tools", include: ["test/**/*.test.ts"] } },
    ],
  },
});
