import { join } from "node:path";
import type { ManualClock } from "@basis/core/testing";
import type { Choices } from "./random.ts";
import type { World } from "./world.ts";

/** Something that happens between an approval and its execution. Some change what would happen, some do not. */
export interface Mutation {
  readonly kind: string;
  readonly apply: (world: World, choices: Choices, clock: ManualClock) => void;
}

/** How long an allow and a parked question live in the campaign. */
export const TTL_MS = 10_000;

const rewrites = [
  { name: "keep", rewrite: (argv: readonly string[]) => argv },
  { name: "add", rewrite: (argv: readonly string[]) => [...argv, "--more"] },
  {
    name: "swap",
    rewrite: (argv: readonly string[]) => argv.map((word) => (word === "deploy.sh" ? "other.sh" : word)),
  },
];

export const mutations: readonly Mutation[] = [
  { kind: "nothing", apply: () => undefined },
  {
    kind: "input",
    apply(world, choices) {
      world.argv = choices.pick([
        ["sh", "deploy.sh"],
        ["sh", "deploy.sh", "late.sh"],
        ["rm", "deploy.sh", "late.sh"],
        ["sh", "deploy.sh", "late.sh", ""],
        ["sh deploy.sh", "late.sh"],
      ]);
    },
  },
  {
    kind: "field",
    apply(world, choices) {
      world.note = choices.pick(["first", "second", "First", "first "]);
    },
  },
  {
    kind: "cwd",
    apply(world, choices) {
      world.place = join(world.root, choices.pick(["one", "two", "link"]));
    },
  },
  { kind: "symlink", apply: (world, choices) => world.pointLink(choices.pick(["one", "two"])) },
  {
    kind: "file",
    apply(world, choices) {
      world.write(
        choices.pick(["one", "two"]),
        "deploy.sh",
        choices.pick(["echo one", "echo two", "rm -rf /"]),
      );
    },
  },
  {
    kind: "late file",
    apply(world, choices) {
      if (choices.below(3) === 0) world.erase("one", "late.sh");
      else world.write(choices.pick(["one", "two"]), "late.sh", "echo late");
    },
  },
  { kind: "unrelated file", apply: (world) => world.write("one", "notes.txt", "x") },
  {
    kind: "hook reload",
    apply(world, choices) {
      world.hooks = Array.from({ length: choices.below(3) }, () => choices.pick(rewrites));
    },
  },
  {
    kind: "policy flip",
    apply(world, choices) {
      world.policy = choices.pick(["policy-1", "policy-2"]);
    },
  },
  {
    kind: "tool behind the name",
    apply(world, choices) {
      world.tool = choices.pick(["tool-1", "tool-2"]);
    },
  },
  {
    kind: "agent",
    apply(world, choices) {
      world.agent = choices.pick(["main", "child"]);
    },
  },
  { kind: "time", apply: (_world, choices, clock) => clock.advance(choices.below(TTL_MS / 3)) },
  { kind: "expiry", apply: (_world, _choices, clock) => clock.advance(TTL_MS) },
];
