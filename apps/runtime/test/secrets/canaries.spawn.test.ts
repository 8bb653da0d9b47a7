import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fiftyCanaries, foundIn } from "./canaries.ts";
import { everyByte, filesWith, quotingProvider, running, Scene } from "./scene.ts";

async function useEverySink(
  scene: Scene,
  env: Readonly<Record<string, string>>,
  text: string,
): Promise<void> {
  const { bench } = scene;
  await scene.basis(["run", "-", ...running, "--model", scene.model], env, `remember ${text}`);
  const [{ session }] = JSON.parse(await scene.basis(["sessions", "list", "--json"], env)) as [
    { session: string },
  ];
  const cassette = join(scene.bench.data, "cassette.jsonl");
  const recording = ["run", "again", "--json", "--record", cassette, ...running, "--model", scene.model];
  await scene.basis(recording, env);
  expect(existsSync(cassette)).toBe(true);
  const write = { calls: [{ name: "write", input: { path: "a.txt", content: text } }] };
  await scene.basis(["run", text, "--approve", "park", "--model", bench.script([write])], env);
  const [{ id }] = JSON.parse(await scene.basis(["approvals", "list", "--json"], env)) as [{ id: string }];
  const url = await quotingProvider(text);
  const asking = ["run", "go", "--model", "openai-compatible/any"];
  await scene.basis(asking, { ...env, BASIS_BASE_URL: url });
  await scene.basis([...asking, "--json"], { ...env, BASIS_BASE_URL: url });
  for (const argv of [
    ["events", session],
    ["sessions", "show", session],
    ["sessions", "show", session, "--json"],
    ["sessions", "tree"],
    ["sessions", "export", session],
    ["sessions", "export", session, "--html"],
    ["approvals", "list"],
    ["approvals", "show", id],
    ["doctor", "--deep"],
    ["doctor", "--json"],
    ["inspect", "--servers"],
    ["inspect", "--json"],
    ["trust"],
    ["fork", session, "--dry-run"],
    ["run", "x", "--session", text],
    [text],
  ])
    await scene.basis(argv, env);
  const rpc = [
    { id: 1, method: "sessions/read", params: { session } },
    { id: 2, method: "events/read", params: { session } },
    { id: 3, method: "approvals/list", params: {} },
    { id: 4, method: "sessions/read", params: { session: text } },
    { id: 5, method: text, params: {} },
  ];
  const lines = rpc.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  await scene.basis(["serve", "--stdio", "--model", scene.model], env, lines);
}

// S5, S36, S40: fifty secrets of the environment that everything says aloud.
test("no secret is in any sink of the command line", { timeout: 120_000 }, async () => {
  const canaries = fiftyCanaries();
  const text = canaries.map(({ value }) => value).join(" ");
  const env = Object.fromEntries(canaries.map(({ name, value }) => [name, value]));
  const scene = new Scene(canaries);
  await useEverySink(scene, env, text);
  for (const said of scene.said) expect(foundIn(said, canaries)).toEqual([]);
  expect(filesWith(scene.bench.data, canaries)).toEqual([]);
  expect(everyByte(scene.bench.data).split("[redacted CANARY_").length).toBeGreaterThan(canaries.length * 10);

  // The positive control: not known to be secrets, they are everywhere.
  const open = new Scene(canaries);
  await open.basis(["run", "-", ...running, "--model", open.model], {}, `remember ${text}`);
  expect(foundIn(everyByte(open.bench.data), canaries).length).toBeGreaterThanOrEqual(canaries.length);
  expect(foundIn(open.said.join("\n"), canaries).length).toBeGreaterThan(0);
});
