import { describe, expect, it } from "vitest";
import { manifestProblems } from "../checks/manifests.mjs";
import { manifest, workspaceWith } from "./small-workspace.ts";

const withManifest = (over: Record<string, unknown>, source = 'export { sha256 } from "@basis/core";\n') =>
  manifestProblems(
    workspaceWith({
      "packages/hooks/package.json": manifest("@basis/hooks", over),
      "packages/hooks/src/index.ts": source,
    }),
  );

describe("manifests", () => {
  it("accepts a block that depends on core and on an optional peer", () => {
    const problems = withManifest({
      dependencies: { "@basis/core": "workspace:^" },
      peerDependencies: { ajv: "^8" },
      peerDependenciesMeta: { ajv: { optional: true } },
    });
    expect(problems).toEqual([]);
  });

  it.each([
    [{ dependencies: { ajv: "8" } }, "depends on ajv, which no arrow allows"],
    [
      { dependencies: { "@basis/approval": "workspace:^" } },
      "depends on @basis/approval, which no arrow allows",
    ],
    [{ dependencies: { "@basis/core": "^1" } }, 'other than by "workspace:^"'],
    [{ peerDependencies: { ajv: "^8" } }, "has the peer ajv, which is not optional"],
    [
      {
        peerDependencies: { "@basis/core": "^1" },
        peerDependenciesMeta: { "@basis/core": { optional: true } },
      },
      "has the workspace package @basis/core as a peer",
    ],
    [{ type: "commonjs" }, 'is not "type": "module"'],
    [{ sideEffects: true }, 'is not "sideEffects": false'],
    [{ engines: { node: ">=18" } }, "engines.node"],
    [{ license: "ISC" }, "MIT"],
    [{ description: "" }, "no description"],
    [{ scripts: { postinstall: "node x" } }, "install script"],
    [{ scripts: {} }, "pack:check"],
    [{ scripts: { tarball: "a", "pack:check": "b" } }, "does not bundle its root entry"],
    [{ publishConfig: { access: "public", exports: {} } }, "publishes other exports"],
    [{ publishConfig: { exports: {} } }, "publishConfig.access"],
    [{ publishConfig: { access: "public", exports: {} } }, "publishConfig.provenance"],
    [{ exports: { ".": { "@basis/source": "./src/gone.ts" } } }, "needs packages/hooks/src/gone.ts"],
  ])("refuses %j", (over, message) => {
    const problems = withManifest(over);
    expect(problems.join("\n")).toContain(message);
    for (const problem of problems) expect(problem).toMatch(/^packages\/hooks\/package\.json /);
  });

  it("refuses a dependency that no source imports", () => {
    const problems = withManifest(
      { dependencies: { "@basis/core": "workspace:^" } },
      "export const x = 1;\n",
    );
    expect(problems).toEqual(["packages/hooks/package.json depends on @basis/core, which no source imports"]);
  });

  it("lets a host provide the optional peer of a package it depends on", () => {
    const host = (peers: object) =>
      manifestProblems(
        workspaceWith({
          "packages/hooks/package.json": manifest("@basis/hooks", {
            peerDependencies: peers,
            peerDependenciesMeta: { ajv: { optional: true } },
          }),
          "apps/runtime/package.json": manifest("@basis/runtime", {
            dependencies: { "@basis/hooks": "workspace:^", ajv: "8.0.0" },
          }),
          "apps/runtime/src/index.ts": 'import "@basis/hooks";\n',
        }),
      );
    expect(host({ ajv: "^8" })).toEqual([]);
    expect(host({})).toEqual(["apps/runtime/package.json depends on ajv, which no source imports"]);
  });
});
