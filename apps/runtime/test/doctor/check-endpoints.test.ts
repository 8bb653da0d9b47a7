import { afterEach, describe, expect, test } from "vitest";
import { checkEndpoints } from "../../src/doctor/check-endpoints.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { refusal, WireServer, type WireAnswer } from "../providers/wire-server.ts";

const KEY = "sk-canary-1234567890";
const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function ask(
  answer: WireAnswer,
  env: Readonly<Record<string, string>>,
  timeoutMs = 10_000,
): Promise<{ readonly server: WireServer; readonly findings: readonly Finding[] }> {
  const server = new WireServer(answer);
  servers.push(server);
  const url = await server.listen();
  const placed = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replace("URL", url)]),
  );
  const { signal } = new AbortController();
  const findings = await checkEndpoints({ env: placed, signal, timeoutMs });
  expect(JSON.stringify(findings)).not.toContain(KEY);
  return { server, findings };
}

const anthropic = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: "URL", BASIS_MODEL: "anthropic/claude-x" };

describe("doctor --online asks", () => {
  test.each([
    ["anthropic", anthropic, "/v1/models/claude-x", "x-api-key", KEY],
    [
      "openai",
      { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: "URL", BASIS_MODEL: "openai/gpt-x" },
      "/v1/models/gpt-x",
      "authorization",
      `Bearer ${KEY}`,
    ],
    [
      "local",
      { LOCAL_API_KEY: KEY, LOCAL_BASE_URL: "URL", BASIS_MODEL: "local/any" },
      "/v1/models",
      "authorization",
      `Bearer ${KEY}`,
    ],
  ] as const)("%s for its models, with the key in its header", async (name, env, path, header, value) => {
    const { server, findings } = await ask(refusal(200, { data: [] }), env);
    expect(findings).toMatchObject([{ section: "online", name, level: "ok" }]);
    expect(server.requests.map((request) => request.path)).toEqual([path]);
    expect(server.requests[0]!.headers[header]).toBe(value);
  });

  test("an address that leads to a web page, and says so", async () => {
    const page: WireAnswer = (response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<html>sign in</html>");
    };
    const { findings } = await ask(page, anthropic);
    expect(findings).toMatchObject([
      { level: "problem", text: expect.stringMatching(/^127\.0\.0\.1:\d+ answers with a web page/) },
    ]);
  });

  test("nobody when nothing is set up", async () => {
    const { signal } = new AbortController();
    expect(await checkEndpoints({ env: { BASIS_MODEL: "scripted:a.json" }, signal })).toMatchObject([
      { level: "ok", text: expect.stringContaining("nobody was asked") },
    ]);
  });
});

describe("doctor --online tells", () => {
  test.each([
    [401, "problem", "refuses the key (401)"],
    [404, "problem", "does not know claude-x"],
    [429, "warning", "429"],
    [500, "warning", "500"],
  ] as const)("a %i as a %s, and shows nothing of the answer", async (status, level, text) => {
    const { findings } = await ask(refusal(status, { error: `your key ${KEY} is bad` }), anthropic);
    expect(findings).toMatchObject([{ level, text: expect.stringContaining(text) as string }]);
  });

  test("a redirect, without following it: the key goes nowhere else", async () => {
    const elsewhere = new WireServer(refusal(200, {}));
    servers.push(elsewhere);
    const location = await elsewhere.listen();
    const { findings } = await ask(refusal(302, {}, { location }), anthropic);
    expect(findings).toMatchObject([{ level: "warning", text: expect.stringContaining("302") as string }]);
    expect(elsewhere.requests).toEqual([]);
  });

  test("an endpoint that is not there, and one that does not answer", async () => {
    const env = { ...anthropic, ANTHROPIC_BASE_URL: "http://127.0.0.1:9/v1" };
    const { findings } = await ask(refusal(200, {}), env);
    expect(findings).toMatchObject([
      { level: "problem", text: expect.stringContaining("was not reached") as string },
    ]);
    const silent = await ask(() => undefined, anthropic, 300);
    expect(silent.findings).toMatchObject([{ facts: { reason: "no answer in time" } }]);
  });
});
