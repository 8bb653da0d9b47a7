import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const read = (path: string): Buffer => readFileSync(new URL(`../../${path}`, import.meta.url));
const require = createRequire(import.meta.url);

describe("the grammar that comes along", () => {
  it("is the one it says it is, with its licence", () => {
    const { name, sha256, license } = JSON.parse(read("grammar/source.json").toString()) as Record<
      string,
      string
    >;
    const grammar = brotliDecompressSync(read("grammar/bash.wasm.br"));
    expect(createHash("sha256").update(grammar).digest("hex")).toBe(sha256);
    expect({ name, license }).toEqual({ name: "tree-sitter-bash", license: "MIT" });
    expect(read("grammar/LICENSE").toString()).toContain("The MIT License");
  });

  it("is parsed by a peer in the range that the package asks for", () => {
    const manifest = JSON.parse(read("package.json").toString()) as Record<string, Record<string, string>>;
    const entry = require.resolve("web-tree-sitter");
    const peer = JSON.parse(readFileSync(entry.replace(/[^/\\]+$/, "package.json"), "utf8")) as {
      version: string;
    };
    expect(peer.version).toBe(manifest["devDependencies"]!["web-tree-sitter"]);
    expect(manifest["peerDependencies"]!["web-tree-sitter"]).toBe(`^${peer.version.replace(/\d+$/, "0")}`);
  });
});
