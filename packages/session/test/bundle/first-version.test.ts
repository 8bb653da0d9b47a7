import { sha256 } from "@basis/core";
import { memoryStore, modelMessageShape } from "@mobkit/session";
import { exportSession, importSession, verifyBundle } from "@mobkit/session/bundle";
import { emptyDigest } from "@mobkit/session/rules";
import { expect, test } from "vitest";
import { bundleOf, parse, refusalOf, says, scene, seal, type Line, type Store } from "./bundle-scene.ts";

/** The body of a message line: its own, or the one of the blob just before it. */
function bodyOf(lines: readonly Line[], at: number): unknown {
  const { body, blob } = lines[at]!;
  if (blob === null) return body;
  const from = lines.findIndex(({ digest, type }) => type === "blob" && digest === blob);
  const pieces = lines.slice(from + 1, at).map(({ base64 }) => Buffer.from(String(base64), "base64"));
  return Buffer.concat(pieces).toString();
}

/** The bundle as version 1 wrote it: every row had a digest of its own, and the one behind it covered that. */
function asFirstVersion(lines: readonly Line[]): string[] {
  const first = new Map<unknown, string>();
  let before = emptyDigest;
  for (const [at, line] of lines.entries()) {
    if (line.type !== "message") continue;
    const own = sha256(
      JSON.stringify([line["salt"], line["id"], line["kind"], line["turn"], bodyOf(lines, at)]),
    );
    before = `sha256:${sha256(`${before}\n${own}`)}`;
    first.set(line["digest"], before);
  }
  return seal(
    lines.map((line) => ({
      ...line,
      ...(line.type === "bundle" ? { version: 1 } : {}),
      ...(first.has(line["digest"]) ? { digest: first.get(line["digest"]) } : {}),
    })),
  );
}

test("a bundle of version 1 is read, and goes on in the present form", async () => {
  const { lines } = await scene();
  const given = asFirstVersion(parse(lines));
  const digest = parse(given)[1]!["digest"];
  expect(digest).not.toBe(parse(lines)[1]!["digest"]);

  const store: Store = memoryStore();
  const { session } = await importSession(store, given, { member: "old", role: "general" });
  expect(session).toMatchObject({ len: 7, headDigest: digest, openCalls: ["call:y"] });

  const lease = await store.acquireLease(session.id, { owner: "test", ttlMs: 1000 });
  const to = session.settledLen;
  const cancel = { lease, expectedRev: session.rev, to, reason: "left open", messages: [says("on")] };
  await store.cancel(session.id, cancel);
  const mixed = await bundleOf(store, session.id);
  await expect(verifyBundle(mixed, { shape: modelMessageShape })).resolves.toMatchObject({ messages: 7 });
  const request = { member: "again", role: "general" };
  await expect(
    importSession(memoryStore(), exportSession(store, session.id), request),
  ).resolves.toBeDefined();
});

test("a changed message is refused in a bundle of version 1 as well", async () => {
  const lines = parse(asFirstVersion(parse((await scene()).lines)));
  const at = lines.findIndex(({ type }) => type === "message");
  const changed = lines.with(at, { ...lines[at]!, body: JSON.stringify({ content: "other", role: "user" }) });
  await expect(refusalOf(seal(lines))).resolves.toBeUndefined();
  await expect(refusalOf(seal(changed))).resolves.toMatchObject({ problem: "wrong_digest" });
});
