// The arrows of ARCHITECTURE.md as a table: whatever is not written here is refused.

/** What a package's source may import from this workspace. A new package starts with a line here. */
export const arrows = new Map([
  ["@basis/core", []],
  ["@basis/hooks", ["@basis/core"]],
  ["@basis/hook-dialects", ["@basis/core", "@basis/hooks"]],
  ["@basis/approval", ["@basis/core"]],
  ["@basis/child-policy", ["@basis/core"]],
  ["@basis/typed-output", ["@basis/core"]],
  ["@mobkit/session", ["@basis/core"]],
  ["@mobkit/session-sqlite", ["@basis/core", "@mobkit/session"]],
  ["@mobkit/session-postgres", ["@basis/core", "@mobkit/session"]],
  ["@mobkit/fork", ["@basis/core", "@mobkit/session"]],
  [
    "@basis/runtime",
    [
      "@basis/core",
      "@basis/hooks",
      "@basis/approval",
      "@basis/child-policy",
      "@basis/typed-output",
      "@mobkit/session",
      "@mobkit/session-postgres",
      "@mobkit/session-sqlite",
      "@mobkit/fork",
    ],
  ],
]);

/** What a package's tests may import beside that: a real implementation of a port, or what it is bound together with. */
export const testArrows = new Map([
  ["@mobkit/fork", ["@mobkit/session-sqlite", "@mobkit/session-postgres"]],
  ["@basis/hooks", ["@basis/typed-output"]],
  ["@basis/approval", ["@basis/hooks"]],
]);

/** Adapter packages exist for one package of somebody else's, and depend on it. Their root entry loads it on first use. */
export const adapted = new Map([["@mobkit/session-postgres", ["pg"]]]);

/** The files of a host that may bind any number of blocks together. */
export const composers = [/^apps\/runtime\/src\/compose\.ts$/, /^apps\/runtime\/src\/demo\//];

/** Every other host file may load at most this many blocks (core and erased types do not count). */
export const blocksPerHostFile = 2;
