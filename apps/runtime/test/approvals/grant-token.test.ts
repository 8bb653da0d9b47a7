import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  checkGrantToken,
  forgetGrantToken,
  makeGrantToken,
  readTokenFile,
} from "../../src/approvals/grant-token.ts";

let base: string;
let dataDir: string;
let directory: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "basis-token-")));
  [dataDir, directory] = [join(base, "data"), join(base, "workspace")];
  for (const path of [dataDir, directory]) mkdirSync(path);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const kept = (): string => join(dataDir, "grant-token.json");

function hold(text: string, mode = 0o600, name = "token"): string {
  const path = join(base, name);
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

const check = (file: string): void => checkGrantToken(readTokenFile({ file, directory }), dataDir);
const refusal = (text: string) =>
  expect.objectContaining({
    name: "StartError",
    code: "trust",
    message: expect.stringContaining(text),
  });

// S6
describe("a token", () => {
  test("is taken as it was made, blanks around it aside; another is not", () => {
    const token = makeGrantToken(dataDir);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(() => check(hold(`\n${token}\n`))).not.toThrow();
    expect(() => check("../token")).not.toThrow();
    for (const other of [
      "",
      token.slice(1),
      `${token}x`,
      makeGrantToken(join(dataDir, "..")),
      "x".repeat(43),
    ])
      expect(() => check(hold(other))).toThrow(refusal("the token is not the one"));
  });

  test("is kept by its digest alone, in a file of the user's, and nothing is left beside it", () => {
    const token = makeGrantToken(dataDir);
    expect(readFileSync(kept(), "utf8")).not.toContain(token);
    expect(statSync(kept()).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(["grant-token.json"]);
  });

  test("gives way to the next one, and to none", () => {
    const first = hold(makeGrantToken(dataDir));
    const second = hold(makeGrantToken(dataDir), 0o600, "second");
    expect(() => check(first)).toThrow(refusal("the token is not the one"));
    expect(() => check(second)).not.toThrow();
    expect([forgetGrantToken(dataDir), forgetGrantToken(dataDir)]).toEqual([true, false]);
    expect(() => check(second)).toThrow(refusal("there is no token yet"));
  });

  test("that could not be put in place leaves nothing behind", () => {
    mkdirSync(join(kept(), "in the way"), { recursive: true });
    expect(() => makeGrantToken(dataDir)).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(dataDir)).toEqual(["grant-token.json"]);
  });

  test.each([
    ["no JSON", "{"],
    ["another schema", JSON.stringify({ schema: 2, sha256: "0".repeat(64) })],
    ["no digest", JSON.stringify({ schema: 1 })],
    ["a digest cut short", JSON.stringify({ schema: 1, sha256: "0".repeat(63) })],
    ["more than a digest", JSON.stringify({ schema: 1, sha256: `0${"0".repeat(64)}` })],
    ["digits that are none", JSON.stringify({ schema: 1, sha256: "g".repeat(64) })],
    ["two of them", '{"schema":1,"sha256":"","sha256":""}'],
  ])("is not taken while what is kept holds %s", (_name, text) => {
    const token = hold(makeGrantToken(dataDir));
    writeFileSync(kept(), text);
    expect(() => check(token)).toThrow(refusal("is damaged"));
  });
});

describe("a file with a token", () => {
  test("is the user's alone: nobody else may read or write it, nor what is kept of it", () => {
    const token = makeGrantToken(dataDir);
    for (const mode of [0o640, 0o604, 0o620, 0o601])
      expect(() => check(hold(token, mode))).toThrow(refusal("others may read"));
    expect(() => check(hold(token, 0o400))).not.toThrow();
    chmodSync(kept(), 0o644);
    expect(() => check(hold(token))).toThrow(refusal("others may read"));
  });

  test("belongs to whoever runs the command", () => {
    const token = hold(makeGrantToken(dataDir));
    const host = process as { getuid: () => number };
    const user = vi.spyOn(host, "getuid").mockReturnValue(statSync(token).uid + 1);
    expect(() => check(token)).toThrow(refusal("belongs to another user"));
    user.mockRestore();
    expect(() => check(token)).not.toThrow();
  });

  test("is a file, small, and no link", () => {
    const token = makeGrantToken(dataDir);
    expect(() => check(join(base, "nothing"))).toThrow(refusal("is no file with a token"));
    expect(() => check(dataDir)).toThrow(refusal("is no file with a token"));
    symlinkSync(hold(token), join(base, "link"));
    expect(() => check(join(base, "link"))).toThrow(refusal("is no file with a token"));
    expect(() => check(hold(token + " ".repeat(4096)))).toThrow(refusal("is no file with a token"));
    expect(() => check(hold(token + " ".repeat(4096 - token.length)))).not.toThrow();
  });

  test("lies outside the workspace, whatever links lead to it", () => {
    const token = makeGrantToken(dataDir);
    writeFileSync(join(directory, "token"), token, { mode: 0o600 });
    symlinkSync(directory, join(base, "elsewhere"));
    for (const path of [join(directory, "token"), "token", join(base, "elsewhere", "token")])
      expect(() => check(path)).toThrow(refusal("lies inside the workspace"));
    expect(() => check(hold(token))).not.toThrow();
  });
});
