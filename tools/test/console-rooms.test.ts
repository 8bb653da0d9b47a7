import { describe, expect, test } from "vitest";
import { consoleRoomProblems } from "../checks/console-rooms.mjs";
import { workspaceOfTexts } from "../workspace.mjs";

const home = "apps/runtime/console";
const problems = (texts: Record<string, string>): string[] => consoleRoomProblems(workspaceOfTexts(texts));

describe("the rooms of the page", () => {
  test("import downwards, their own packages, the host's types and what both share", () => {
    expect(
      problems({
        [`${home}/main.tsx`]: 'import { render } from "preact";\nimport { App } from "./view/app.tsx";',
        [`${home}/view/actions/x.tsx`]: 'import { consoleHtml } from "../../../src/page/console-html.ts";',
        [`${home}/view/app.tsx`]:
          'import { useState } from "preact/hooks";\nimport { feed } from "../stream/feed.ts";',
        [`${home}/stream/feed.ts`]: 'import { fold } from "../state/fold.ts";',
        [`${home}/state/fold.ts`]:
          'import type { BasisEvent } from "../../src/events/event-schema.ts";\nimport { hierarchy } from "d3-hierarchy";',
      }),
    ).toEqual([]);
  });

  test("import nothing upwards, nothing else of the host and no package of another room", () => {
    expect(
      problems({
        [`${home}/state/fold.ts`]:
          'import { App } from "../view/app.tsx";\nimport { eventSchema } from "../../src/events/event-schema.ts";\nimport { h } from "preact";',
        [`${home}/stream/feed.ts`]: 'import { readFileSync } from "node:fs";',
      }),
    ).toEqual([
      `${home}/state/fold.ts:1 console/state knows nothing of console/view`,
      `${home}/state/fold.ts:2 "../../src/events/event-schema.ts" is no part of the page`,
      `${home}/state/fold.ts:3 "preact" has no place in console/state`,
      `${home}/stream/feed.ts:1 "node:fs" has no place in console/stream`,
    ]);
  });
});
