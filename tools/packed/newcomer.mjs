// A newcomer's first ten minutes, in the order of the READMEs, with an installed host: without a key, then with one.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWire } from "./newcomer-wire.mjs";

const SCHEMA = {
  type: "object",
  properties: { risks: { type: "array", items: { type: "string" } } },
  required: ["risks"],
  additionalProperties: false,
};

/**
 * @param {string} program The installed `basis`.
 * @param {string} base An empty folder.
 * @returns {Promise<string[]>} what a newcomer would stumble over; the first ends the walk.
 */
export async function newcomerProblems(program, base) {
  const folder = join(base, "project");
  mkdirSync(folder, { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: folder });
  writeFileSync(join(folder, "README.md"), "# Hello\n");
  writeFileSync(join(folder, "schema.json"), JSON.stringify(SCHEMA));
  execFileSync("git", ["add", "."], { cwd: folder });
  const wire = await openWire();
  const home = { HOME: base, PATH: process.env.PATH, BASIS_DATA_DIR: join(base, "data"), NO_COLOR: "1" };
  const key = { ANTHROPIC_API_KEY: "a-key-of-nobody", ANTHROPIC_BASE_URL: wire.url };
  try {
    for (const { says, args, code = 0, keyed = false } of steps) {
      const argv = typeof args === "function" ? args(wire) : args;
      const ended = await call(program, argv, { cwd: folder, env: { ...home, ...(keyed && key) } });
      const missing = says.filter((text) => !(ended.stdout + ended.stderr).includes(text));
      if (ended.code !== code || missing.length > 0)
        return [
          `basis ${argv.join(" ")}: ended with ${ended.code} instead of ${code}; it does not say: ${missing.join(", ")}`,
          ...(ended.stdout + ended.stderr).split("\n").slice(-15),
        ];
      const [, session] = /session (main-\w+)/.exec(ended.stderr) ?? [];
      wire.session = session ?? wire.session;
    }
    return [];
  } finally {
    wire.close();
  }
}

/** What is typed, what must be on the screen, and how it ends. */
const steps = [
  { args: ["--version"], says: ["."] },
  { args: ["--help"], says: ["basis demo", "ANTHROPIC_API_KEY"] },
  { args: ["what is in this folder?"], code: 5, says: ["ANTHROPIC_API_KEY", "basis demo"] },
  { args: ["demo"], says: ["fork"] },
  { args: ["init"], says: [".basis/hooks.json"] },
  { args: ["trust"], code: 5, says: ["keep-secrets", "untrusted", "terminal"] },
  { args: ["what is in this folder?"], code: 5, keyed: true, says: ["--trust-workspace"] },
  {
    args: ["what is in this folder?", "--trust-workspace"],
    keyed: true,
    says: ["A readme that says hello."],
  },
  { args: ["run", "list the risks", "--output", "schema.json"], keyed: true, says: ['"risks"'] },
  { args: ["sessions", "list"], says: ["main-"] },
  { args: (wire) => ["fork", wire.session, "--as", "other-try"], says: ["other-try"] },
  { args: ["run", "and what else?", "--session", "other-try"], keyed: true, says: ["A readme"] },
  { args: ["sessions", "tree"], says: ["other-try"] },
  { args: (wire) => ["events", wire.session], says: ['"run_started"', '"run_finished"'] },
];

function call(program, args, { cwd, env }) {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
  return new Promise((resolve, reject) =>
    child.once("error", reject).once("close", (code) => resolve({ ...said, code })),
  );
}
