// A PostgreSQL server for tests: an own directory, a loopback port, an unprivileged user, gone with this process.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findBinaries } from "./binaries.mjs";

/** The server refuses to run as root; this user has no rights anywhere. */
const nobody = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const account = isRoot ? nobody : {};

/** Runs the server and ends it when standard input ends, so that no server outlives whoever started it. */
const guard = `exec 3<&0; "$@" 3<&- & server=$!
(cat <&3 >/dev/null; kill -QUIT $server 2>/dev/null) & watcher=$!
wait $server; code=$?; kill $watcher 2>/dev/null; exit $code`;

const readyWithinMs = 60_000;

/** One server and its data. Without `durable` it never syncs: fast, and good for everything but kills. */
export class PostgresServer {
  #bin;
  #directory;
  #port;
  #durable;
  #child;

  /**
   * @param {{ durable?: boolean, accessRules?: string[], under?: string }} [options]
   * `accessRules` stand first in pg_hba.conf; the data lies in a new directory `under` another one.
   * @returns {Promise<PostgresServer>} a server that answers.
   */
  static async start({ durable = false, accessRules = [], under = tmpdir() } = {}) {
    const server = new PostgresServer();
    server.#durable = durable;
    server.#directory = mkdtempSync(join(under, "basis-postgres-"));
    if (isRoot) chownSync(server.#directory, nobody.uid, nobody.gid);
    try {
      server.#bin = runnable(findBinaries(), server.#directory);
      server.#initialise();
      server.#allow(accessRules);
      server.#port = await freePort();
      await server.start();
    } catch (error) {
      await server.dispose();
      throw error;
    }
    return server;
  }

  get port() {
    return this.#port;
  }

  get url() {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  /** Starts the server on its data again. */
  async start() {
    const settings = [
      "listen_addresses=127.0.0.1",
      `port=${this.#port}`,
      "unix_socket_directories=",
      "max_connections=200",
      "shared_buffers=32MB",
      "log_min_messages=fatal",
      ...(this.#durable ? [] : ["fsync=off", "full_page_writes=off"]),
    ].flatMap((setting) => ["-c", setting]);
    const command = [join(this.#bin, "postgres"), "-D", this.#data, ...settings];
    const child = spawn("/bin/sh", ["-c", guard, "sh", ...command], {
      ...account,
      cwd: this.#directory,
      stdio: ["pipe", "ignore", "pipe"],
      env: { PATH: process.env.PATH, LC_ALL: "C" },
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (said = (said + text).slice(-4000)));
    const ended = new Promise((resolve) => child.on("close", resolve));
    this.#child = { child, ended };
    let running = true;
    void ended.then(() => (running = false));
    const until = Date.now() + readyWithinMs;
    while (!this.#isReady()) {
      if (!running) throw new Error(`the PostgreSQL server ended at once: ${said}`);
      if (Date.now() > until) throw new Error(`the PostgreSQL server is not ready: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  /** Ends it: `SIGINT` breaks connections and closes in order, `SIGKILL` is a crash. Resolves when it is gone. */
  async stop(signal = "SIGINT") {
    const pid = this.#pid();
    if (pid !== undefined) process.kill(pid, signal);
    await this.#child?.ended;
    this.#child = undefined;
  }

  /** As `pg_ctl restart` does. */
  async restart() {
    await this.stop();
    await this.start();
  }

  /** Ends the server and removes its data. */
  async dispose() {
    if (this.#child) await this.stop("SIGQUIT");
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }

  get #data() {
    return join(this.#directory, "data");
  }

  #initialise() {
    const args = ["-D", this.#data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"];
    const done = spawnSync(join(this.#bin, "initdb"), args, {
      ...account,
      cwd: this.#directory,
      encoding: "utf8",
    });
    if (done.status === 0) return;
    throw new Error(`initdb failed: ${done.error?.message ?? done.stderr}`);
  }

  #allow(accessRules) {
    if (accessRules.length === 0) return;
    const path = join(this.#data, "pg_hba.conf");
    writeFileSync(path, [...accessRules, readFileSync(path, "utf8")].join("\n"));
  }

  /** The first line of the server's own file is its process, the last tells that it answers. */
  #status() {
    const path = join(this.#data, "postmaster.pid");
    return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  }

  #pid() {
    const pid = Number(this.#status()[0]);
    return this.#child && pid > 0 ? pid : undefined;
  }

  /** After a crash the file of the dead server is still there. */
  #isReady() {
    const lines = this.#status();
    if (!lines[7]?.startsWith("ready")) return false;
    try {
      process.kill(Number(lines[0]), 0);
      return true;
    } catch {
      return false;
    }
  }
}

/** The programs where their user may run them: a checkout may lie in a directory that only its owner can enter. */
function runnable(bin, directory) {
  const works = (place) =>
    spawnSync(join(place, "postgres"), ["--version"], { ...account, cwd: directory, encoding: "utf8" });
  if (works(bin).status === 0) return bin;
  const copy = join(directory, "native");
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  const again = works(join(copy, "bin"));
  if (again.status === 0) return join(copy, "bin");
  throw new Error(`${bin}/postgres does not run: ${again.error?.message ?? again.stderr}`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
