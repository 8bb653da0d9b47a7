// Everything a fresh clone needs before a root script runs: install (only when the lockfile changed), then build.
// `--no-build` stops after the install, for commands that build as one of their steps.
// All output goes to stderr, so that `npm run --silent basis` keeps stdout for the answer.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isConsoleBuilt } from "./console-inputs.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Node ${process.versions.node} is too old: install Node 20.19 or newer, then run this again.\n`,
  );
  process.exit(1);
}

/** Runs one step; its output goes to stderr. Ends this process with the step's exit code when it fails. */
function step(label, command, args) {
  const started = performance.now();
  process.stderr.write(`· ${label} …\n`);
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (done.status !== 0) {
    process.stderr.write(`✗ ${label} failed: ${done.error?.message ?? `exit code ${done.status}`}\n`);
    process.exit(done.status || 1);
  }
  process.stderr.write(`✓ ${label} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
}

function lockDigest() {
  const lock = join(root, "pnpm-lock.yaml");
  return existsSync(lock) ? createHash("sha256").update(readFileSync(lock)).digest("hex") : "none";
}

// The tools are pinned: that there are newer ones is no news to whoever runs the demo.
process.env.pnpm_config_update_notifier ??= "false";
const marker = join(root, "node_modules", ".basis-installed");
const installed = existsSync(marker) ? readFileSync(marker, "utf8") : "";
if (installed !== `${lockDigest()} ${process.version}`) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const frozen = existsSync(join(root, "pnpm-lock.yaml")) ? ["--frozen-lockfile"] : [];
  step("install", "npx", ["--yes", packageManager, "install", ...frozen]);
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, `${lockDigest()} ${process.version}`);
}

if (!process.argv.includes("--no-build")) {
  process.env.PATH = `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`;
  step("build", "tsc", ["-b"]);
  if (!isConsoleBuilt()) step("console", process.execPath, [join(root, "tools", "console-build.mjs")]);
}
