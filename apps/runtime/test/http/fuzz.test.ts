import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseStrict } from "@basis/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openTestHost } from "../harness/test-host.ts";
import { malformed } from "../rpc/support/malformed.ts";
import { HttpClient, TOKEN } from "./support/http-client.ts";

const MALFORMED = 20_000;
const A_CONNECTION = 500;
/** What may stay of 20,000 calls, most of it the machine's own: 16 MiB. */
const MAX_GROWTH = 16 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Posts bodies one behind the other over one connection; answers the bodies of their answers. */
async function postAll(client: HttpClient, bodies: readonly string[]): Promise<readonly string[]> {
  const { host, port } = await client.address;
  const head = `POST /rpc HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
  const socket = connect(port, host);
  const pieces: string[] = [];
  socket.setEncoding("utf8").on("data", (text: string) => pieces.push(text));
  for (const [index, body] of bodies.entries()) {
    const last = index === bodies.length - 1 ? "Connection: close\r\n" : "";
    socket.write(`${head}${last}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const answers = pieces.join("").split("HTTP/1.1 200 OK\r\n").slice(1);
  return answers.map((answer) => answer.slice(answer.indexOf("\r\n\r\n") + 4));
}

/** Those that are JSON are sent in batches of 16, the others alone. */
function inBatches(texts: readonly string[]): readonly string[] {
  const isJson = (text: string): boolean => parseStrict(text).ok;
  const json = texts.filter(isJson);
  const other = texts.filter((text) => !isJson(text));
  const batches: string[] = [];
  for (let from = 0; from < json.length; from += 16)
    batches.push(`[${json.slice(from, from + 16).join(",")}]`);
  return [...batches, ...other];
}

it(
  "refuses 20,000 malformed calls, each with an answer, does nothing and keeps nothing",
  { timeout: 180_000 },
  async () => {
    const host = await openTestHost({ agents: { main: [{ text: "done" }] } });
    const client = new HttpClient(host);
    const bodies = inBatches(fc.sample(malformed, { numRuns: MALFORMED, seed: 11 }));
    let before = 0;
    let answered = 0;
    for (let from = 0; from < bodies.length; from += A_CONNECTION) {
      const answers = await postAll(client, bodies.slice(from, from + A_CONNECTION));
      answered += answers.length;
      const accepted = answers.flatMap((text) => JSON.parse(text)).filter(({ error }) => error === undefined);
      expect(accepted).toEqual([]);
      // What a first call loads is no growth.
      if (from === 2 * A_CONNECTION) before = heldBytes();
    }
    expect(answered).toBe(bodies.length);
    expect(heldBytes() - before).toBeLessThan(MAX_GROWTH);
    expect(client.unforeseen).toEqual([]);
    expect(await client.call("sessions/list")).toEqual({ sessions: [], next: null });
    const { run } = await client.call("runs/start", { prompt: "go" });
    expect(await client.call("runs/wait", { run })).toMatchObject({ text: "done" });
  },
);
