// The servers of a packed host, each started once: what they import is in the tarball or among its dependencies.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const request = (method, params) => `${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`;

/** What is written to each server of standard input and output, and a text that its answer holds. */
const talks = {
  "--stdio": { says: request("server/info"), hears: '"protocol":1' },
  "--acp": {
    says: request("initialize", { protocolVersion: 1, clientCapabilities: {} }),
    hears: '"agentCapabilities"',
  },
  "--mcp": {
    says: request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "alone", version: "1" },
    }),
    hears: '"serverInfo"',
  },
};

/** @param {string} program The installed host. @param {string} project A folder for its files. @returns {Promise<string[]>} problems */
export async function serverProblems(program, project) {
  const workspace = join(project, "workspace");
  mkdirSync(workspace, { recursive: true });
  const script = join(project, "replies.json");
  writeFileSync(
    script,
    JSON.stringify({ schema: 1, agents: { main: { rounds: [{ text: "from the package" }] } } }),
  );
  const start = (...argv) =>
    spawn(program, ["serve", ...argv, "--model", `scripted:${script}`, "--ephemeral"], {
      cwd: workspace,
      env: {
        ...process.env,
        BASIS_DATA_DIR: join(project, "data"),
        BASIS_CONFIG_DIR: join(project, "config"),
      },
      shell: process.platform === "win32",
    });
  const spoken = Object.entries(talks).map(async ([option, { says, hears }]) => {
    const child = start(option);
    child.stdin.end(says);
    const { code, stdout, stderr } = await endOf(child);
    return code === 0 && stdout.includes(hears)
      ? []
      : [`serve ${option} ended with ${code}: ${stdout}${stderr}`];
  });
  return (await Promise.all([...spoken, overHttp(start("--http", "127.0.0.1:0"))])).flat();
}

/** Runs a turn over HTTP. */
async function overHttp(child) {
  const end = endOf(child);
  const address = await Promise.race([
    new Promise((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk)))),
    end.then(() => undefined),
  ]);
  if (address === undefined) return [`serve --http ended with ${(await end).stderr}`];
  try {
    const [url, token] = address.trim().split("#token=");
    const call = async (method, params) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const response = await fetch(`${url}rpc`, { method: "POST", headers, body: request(method, params) });
      return /** @type {any} */ (await response.json());
    };
    const { result } = await call("runs/start", { prompt: "go on" });
    const over = await call("runs/wait", { run: result?.run });
    return over.result?.text === "from the package" ? [] : [`serve --http answered ${JSON.stringify(over)}`];
  } finally {
    child.kill();
    await end;
  }
}

function endOf(child) {
  const out = [];
  const err = [];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => err.push(chunk));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, stdout: "", stderr: error.message }));
    child.once("close", (code) => resolve({ code, stdout: out.join(""), stderr: err.join("") }));
  });
}
