// `node operate.mjs PATH OPERATION [STEPS]`: opens the store, takes an operation's steps and closes. Each line of stdout
// is what has happened: `open`, `begin`, `done N` for a step that was acknowledged, `refused {…}`, `closed`.
// BASIS_CAMPAIGN_FAULT=KIND:N injects a fault at the driver's N-th step since the begin (`kill`, `full`, `io`).
import { writeSync } from "node:fs";
import { isBasisError } from "@basis/core";
import { loadDriver, openSqliteStore } from "@mobkit/session-sqlite";
import { faultyDriver } from "@mobkit/session-sqlite/testing";
import { operations, prepare } from "./store-operations.mjs";

const [path, name, most = "99"] = process.argv.slice(2);
const tell = (text) => writeSync(1, `${text}\n`);

const [kind, at] = (process.env["BASIS_CAMPAIGN_FAULT"] ?? "none:0").split(":");
let steps = name === "create" ? 0 : -1;

/** A disk that is full stays full; an IO error happens once. What is looked at by time is no step of its own. */
function fail({ sql }) {
  if (steps < 0 || sql === "PRAGMA user_version") return;
  steps += 1;
  const isHit = kind === "full" ? steps >= Number(at) : steps === Number(at);
  if (!isHit) return;
  if (kind === "kill") process.kill(process.pid, "SIGKILL");
  if (kind === "full" || kind === "io") {
    throw Object.assign(new Error(`injected: ${kind}`), { errcode: kind === "full" ? 13 : 10 });
  }
}

function refuse(error) {
  const told = isBasisError(error)
    ? { name: error.name, code: error.code, details: error.details }
    : String(error);
  tell(`refused ${JSON.stringify(told)}`);
}

let store;
try {
  if (name === "create") tell("begin");
  store = await openSqliteStore(path, { driver: faultyDriver(await loadDriver(), { before: fail }) });
  if (name !== "create") tell("begin");
  steps = Math.max(steps, 0);
  if (name === "prepare") await prepare(store);
  for (const [index, step] of (operations[name] ?? []).slice(0, Number(most)).entries()) {
    await step(store, path);
    tell(`done ${index + 1}`);
  }
} catch (error) {
  refuse(error);
}
try {
  tell("end");
  await store?.close();
  tell(`closed after ${steps} driver steps`);
} catch (error) {
  refuse(error);
}
