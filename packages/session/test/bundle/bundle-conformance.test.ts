import { memoryStore } from "@mobkit/session";
import { transferChapters, type StoreFactory } from "@mobkit/session/conformance";
import { describe, expect, test } from "vitest";

const memory: StoreFactory = { open: async ({ clock }) => ({ store: memoryStore({ clock }) }) };

describe.each(transferChapters)("$name", ({ cases }) => {
  test.each(cases)("$name", ({ run }) => expect(run(memory)).resolves.toBeUndefined());
});
