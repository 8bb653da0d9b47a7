import { mkdirSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openTestHost } from "../harness/test-host.ts";
import { HttpClient } from "./support/http-client.ts";

interface Served {
  readonly encoding: string | undefined;
  readonly bytes: Buffer;
}

async function setUp(): Promise<(path: string, accept?: string) => Promise<Served>> {
  const host = await openTestHost({ state: "memory", agents: { main: [] } });
  const assets = join(host.dataDir, "page");
  mkdirSync(assets);
  writeFileSync(join(assets, "app.js"), "x".repeat(5000));
  writeFileSync(join(assets, "tiny.css"), "a{}");
  const { port } = await new HttpClient(host, { assets }).address;
  return (path, accept) =>
    new Promise((resolve, reject) => {
      const headers = accept === undefined ? {} : { "accept-encoding": accept };
      get({ host: "127.0.0.1", port, path, headers }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("end", () =>
          resolve({ encoding: response.headers["content-encoding"], bytes: Buffer.concat(pieces) }),
        );
      }).once("error", reject);
    });
}

describe("a file of the page", () => {
  it("is sent compressed to who takes that, and as it is to others", async () => {
    const served = await setUp();
    for (const accept of ["gzip, deflate, br", "br;q=1, gzip;q=0.5", "GZIP"]) {
      const { encoding, bytes } = await served("/app.js", accept);
      expect(encoding).toBe("gzip");
      expect(bytes.length).toBeLessThan(500);
      expect(gunzipSync(bytes).toString()).toBe("x".repeat(5000));
    }
    for (const accept of [undefined, "identity", "gzip;q=0", "gzip;q=0.0", "notgzip"]) {
      const { encoding, bytes } = await served("/app.js", accept);
      expect(encoding).toBeUndefined();
      expect(bytes.toString()).toBe("x".repeat(5000));
    }
  });

  it("is sent as it is where compressing gains nothing", async () => {
    const served = await setUp();
    expect(await served("/tiny.css", "gzip")).toEqual({ encoding: undefined, bytes: Buffer.from("a{}") });
  });
});
