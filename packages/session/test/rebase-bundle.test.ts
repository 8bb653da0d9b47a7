import { memoryStore, type ModelMessage } from "@mobkit/session";
import { exportSession, importSession } from "@mobkit/session/bundle";
import { actor } from "../src/conformance/actor.ts";
import { expect, test } from "vitest";

const says = (content: string): ModelMessage => ({ role: "user", content });

async function linesOf(store: Parameters<typeof exportSession>[0], sessionId: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportSession(store, sessionId)) lines.push(line);
  return lines;
}

async function* given(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

// S32, S35
test("a session that was rebased and redacted is exported, and a redaction reaches no import of it", async () => {
  const store = memoryStore();
  let leaf = await actor(store, "m0");
  const first = await leaf.append([says("a long secret"), says("second")]);
  for (let level = 1; level < 40; level += 1) {
    leaf = await leaf.fork(`m${level}`);
    await leaf.append([says(`level ${level}`)]);
  }
  await store.upkeep.rebase();
  const lines = await linesOf(store, leaf.sessionId);
  const imported = await importSession(store, given(lines), { member: "copy", role: "general" });
  const { len, headDigest } = await store.head(leaf.sessionId);
  expect(imported.session).toMatchObject({ len, headDigest });
  await store.upkeep.redact({ sessionId: leaf.sessionId, messageIds: [first.ids[0]!] });
  const [original] = await leaf.rows();
  expect(original).toMatchObject({ body: says("[redacted]"), redacted: true });
  for await (const { body } of store.read(imported.session.id, { to: 1 })) {
    expect(body).toEqual(says("a long secret"));
  }
  const again = await importSession(store, given(await linesOf(store, leaf.sessionId)), {
    member: "copy of the redacted",
    role: "general",
  });
  for await (const row of store.read(again.session.id, { to: 1 }))
    expect(row).toMatchObject({ redacted: true });
});
