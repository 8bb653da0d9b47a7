import { createHash } from "node:crypto";
import type { TranscriptRow } from "@mobkit/session";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { escapeHtml } from "../../src/page/escape-html.ts";
import { transcriptPage, type TranscriptPage } from "../../src/page/transcript-page.ts";
import type { ModelMessage } from "../../src/providers/model.ts";
import { png } from "../harness/pictures.ts";

const usageAfter = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

async function render(
  messages: readonly ModelMessage[],
  more: Partial<TranscriptPage> = {},
): Promise<string> {
  async function* rows(): AsyncGenerator<TranscriptRow<ModelMessage>> {
    for (const [position, body] of messages.entries()) {
      const place = {
        writer: "w",
        seq: position,
        position,
        id: `m${position}`,
        turnId: null,
        kind: body.role,
      };
      yield {
        ...place,
        digest: "d",
        openAfter: 0,
        usageAfter,
        rev: 1,
        createdAt: 0,
        body,
      };
    }
  }
  const session = {
    id: "s",
    state: "ready",
    len: messages.length,
    baseLen: 0,
    parent: null,
    createdAt: 0,
    headDigest: "d",
  } as const;
  const given = { title: "t", events: [], blobs: { get: async () => undefined } };
  const pieces: string[] = [];
  for await (const piece of transcriptPage({ ...given, session, rows: rows(), ...more })) pieces.push(piece);
  return pieces.join("");
}

/** The tags that are in a page, without its own style. */
const tagsOf = (page: string): ReadonlySet<string> =>
  new Set([...page.matchAll(/<(\/?[a-z0-9]+)/gi)].map(([, tag]) => tag!.toLowerCase().replace("/", "")));

const own = new Set(
  "html head meta title style body h1 dl dt dd main article header span pre details summary".split(" "),
);

// S38
describe("the page of a transcript", () => {
  test("shows whatever stands in it as text: no tag, attribute or line of it gets out", async () => {
    const attacks = [
      "</pre><script>alert(1)</script>",
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='alert(1)",
      "<!--",
      "</title><base href=//evil>",
      "a\u2028b\u2029c",
      "&lt;script&gt;",
      "\u202Eevil\u0007\u0000",
      "]]><svg/onload=alert(1)>",
    ];
    const messages = attacks.flatMap((text): ModelMessage[] => [
      { role: "user", content: text },
      {
        role: "assistant",
        content: [
          { type: "text", text },
          { type: "tool-call", toolCallId: "c", toolName: text, input: { [text]: text } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c",
            toolName: text,
            output: { type: "error-text", value: text },
          },
        ],
      },
    ]);
    const events = attacks.map((text) => ({ type: "notice", data: { text } }) as unknown as BasisEvent);
    const page = await render(messages, { title: attacks.join(""), events });
    expect([...tagsOf(page)].filter((tag) => !own.has(tag))).toEqual([]);
    for (const char of ["\u2028", "\u2029", "\u202E", "\u0007", "\u0000"]) expect(page).not.toContain(char);
    expect(page).not.toContain("<!--");
    expect(page).toContain("&lt;script&gt;alert(1)");
    expect(page).toContain("&amp;lt;script&amp;gt;");
  });

  test("has a policy that allows its own style by its hash, pictures that stand in it and nothing else", async () => {
    const page = await render([]);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/
      .exec(page)![1]!
      .replaceAll("&#39;", "'");
    const style = /<style>([^]*?)<\/style>/.exec(page)![1]!;
    const hash = createHash("sha256").update(style).digest("base64");
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    expect(page).not.toMatch(/<script|style="|\son\w+=|https?:|src=|href=/i);
  });

  test("shows parts that this host makes none of, as an import may bring them", async () => {
    const odd = [
      { role: "user", content: [{ type: "image", image: "<b>" }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "t" }] },
      { role: "assistant", content: [{ type: "text", text: 7 }] },
    ] as unknown as ModelMessage[];
    const page = await render(odd);
    expect(page).toContain("{&quot;type&quot;:&quot;image&quot;,&quot;image&quot;:&quot;&lt;b&gt;&quot;}");
    expect(page).toContain("t → null");
  });

  test("tells inherited and redacted messages apart, and which calls failed", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: "one" },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c", toolName: "read", output: { type: "text", value: "fine" } },
        ],
      },
    ];
    const session = { id: "s", state: "ready", len: 2, baseLen: 1, createdAt: 0, headDigest: "d" } as const;
    const page = await render(messages, {
      session: { ...session, parent: { sessionId: "p", len: 1, digest: "d" } },
    });
    expect(page).toContain('id="m0" class="user inherited"');
    expect(page).toContain('id="m1" class="tool"');
    expect(page).toContain("read → fine");
    expect(page).toContain("<dt>forked from</dt><dd>p, its first 1</dd>");
  });
});

test("escaped text has no character that ends a text or an attribute, and reads as the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const escaped = escapeHtml(text);
      expect(escaped).not.toMatch(/[<>"'\u2028\u2029]|&(?!(amp|lt|gt|quot|#39);)/);
    }),
  );
});

// S38: a picture is what its bytes are; what could hold a script is not shown, whatever the message calls it.
test("shows pictures of four harmless kinds by their bytes, and no others", async () => {
  const blobs = new Map<string, Uint8Array>([
    ["sha256:a", png("<script>alert(1)</script>")],
    ["sha256:b", Buffer.from("<svg onload=alert(1)>")],
  ]);
  const file = (digest: string, mediaType: string) => ({
    type: "file" as const,
    mediaType,
    data: `blob:${digest}`,
  });
  const page = await render(
    [
      { role: "user", content: [file("sha256:a", "image/svg+xml"), file("sha256:b", "image/png")] },
      {
        role: "user",
        content: [file("sha256:gone", "image/png"), { ...file("x", '"><script>'), data: "AAAA" }],
      },
    ],
    { blobs: { get: async (digest) => blobs.get(digest) } },
  );
  const shown = page.match(/<img alt="" src="data:[^"]*">/g);
  expect(shown).toEqual([
    `<img alt="" src="data:image/png;base64,${png("<script>alert(1)</script>").toString("base64")}">`,
  ]);
  expect(page.match(/<img|<svg|<script/g)).toEqual(["<img"]);
  expect(page).toContain("img-src data:;");
});
