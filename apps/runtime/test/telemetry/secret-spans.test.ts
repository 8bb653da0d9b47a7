import { expect, test } from "vitest";
import { secrets } from "../../src/secrets/secrets.ts";
import { recordSpans } from "./recorded-spans.ts";
import { playEverything, SAID } from "./traced-hosts.ts";

const printed = (spans: ReturnType<typeof recordSpans>): string =>
  JSON.stringify(
    spans
      .all()
      .map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
  );

// A file of its own: a registered secret stays one for the whole process.
test("the positive control: what everybody says stands in spans that were asked for content", async () => {
  const spans = recordSpans();
  await playEverything({ content: true });
  expect(printed(spans)).toContain(SAID);
});

test.each([true, false])(
  "no registered secret is in any attribute, event or status of a span (content: %s)",
  async (content) => {
    secrets.add(SAID, "LAUNCH_CODE");
    const spans = recordSpans();
    await playEverything({ content });
    expect(spans.all().length).toBeGreaterThan(20);
    expect(printed(spans)).not.toContain(SAID);
    expect(printed(spans).includes("[redacted LAUNCH_CODE]")).toBe(content);
  },
);
