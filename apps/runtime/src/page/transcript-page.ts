import type { SessionRecord, TranscriptRow } from "@mobkit/session";
import type { EventRange } from "../events/event-log.ts";
import { plainOutput } from "../providers/plain-output.ts";
import { imageTypeOf } from "../images/image-type.ts";
import { blobOf, imagesIn } from "../images/kept-image.ts";
import type { BlobReader, ModelMessage } from "../providers/model.ts";
import { summaryFacts } from "../providers/summary-message.ts";
import { escapeHtml } from "./escape-html.ts";
import { pagePolicy, pageStyle } from "./page-style.ts";

/** What a page shows. */
export interface TranscriptPage {
  readonly title: string;
  readonly session: Pick<
    SessionRecord,
    "id" | "state" | "len" | "baseLen" | "parent" | "createdAt" | "headDigest"
  >;
  readonly rows: AsyncIterable<TranscriptRow<ModelMessage>>;
  readonly events: EventRange;
  /** Where the bytes of its images are. */
  readonly blobs: BlobReader;
}

type Part = Exclude<ModelMessage["content"], string>[number];

/**
 * A session as one page of HTML that needs nothing else: everything in it is shown as text or as a picture of four harmless
 * kinds, there is no script, and its policy forbids all but its own style and pictures that stand in it. Comes in pieces, so that memory does not grow with the transcript.
 */
export async function* transcriptPage(page: TranscriptPage): AsyncGenerator<string, void, undefined> {
  const { title, session, rows, events, blobs } = page;
  yield [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(pagePolicy)}">`,
    '<meta name="viewport" content="width=device-width">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${pageStyle}</style>`,
    "</head>",
    "<body>",
    `<h1>${escapeHtml(title)}</h1>`,
    factList(session),
    "<main>\n",
  ].join("\n");
  for await (const row of rows) yield await article(row, session.baseLen, blobs);
  yield "</main>\n<details>\n<summary>Event log</summary>\n<pre>";
  for await (const event of events) yield `${escapeHtml(JSON.stringify(event))}\n`;
  yield "</pre>\n</details>\n</body>\n</html>\n";
}

function factList({ id, state, len, parent, createdAt, headDigest }: TranscriptPage["session"]): string {
  const facts: readonly (readonly [string, string])[] = [
    ["session", id],
    ["state", state],
    ["messages", String(len)],
    ...(parent === null ? [] : ([["forked from", `${parent.sessionId}, its first ${parent.len}`]] as const)),
    ["created", new Date(createdAt).toISOString()],
    ["digest", headDigest],
  ];
  const items = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`);
  return `<dl>\n${items.join("\n")}\n</dl>`;
}

async function article(
  { position, kind, body, createdAt, redacted }: TranscriptRow<ModelMessage>,
  baseLen: number,
  blobs: BlobReader,
): Promise<string> {
  const inherited = position < baseLen;
  const summary = summaryFacts(body);
  const notes = [
    inherited && "inherited",
    redacted === true && "redacted",
    summary !== undefined && `summary of the first ${summary.keepFrom}`,
  ].filter((note) => note !== false);
  const facts = [String(position), kind, new Date(createdAt).toISOString(), ...notes];
  const header = facts.map((fact) => `<span>${escapeHtml(fact)}</span>`).join("");
  const classes = `${escapeHtml(kind)}${inherited ? " inherited" : ""}`;
  return `<article id="m${position}" class="${classes}"><header>${header}</header>${content(body)}${await pictures(body, blobs)}</article>\n`;
}

function content({ content: given }: ModelMessage): string {
  if (typeof given === "string") return block("text", given);
  const parts: readonly Part[] = given;
  return parts.map(part).join("");
}

/** The images of a message: their kind is what their bytes say, and what is of no known kind is not shown. */
async function pictures(message: ModelMessage, blobs: BlobReader): Promise<string> {
  let shown = "";
  for (const { data } of imagesIn(message)) {
    const digest = blobOf(data);
    const bytes = digest === undefined ? undefined : await blobs.get(digest);
    const type = bytes && imageTypeOf(bytes);
    if (type !== undefined)
      shown += `<img alt="" src="data:${type};base64,${Buffer.from(bytes!).toString("base64")}">`;
  }
  return shown;
}

function part(given: Part): string {
  switch (given.type) {
    case "text":
    case "reasoning":
      return block(given.type, given.text);
    case "tool-call":
      return block("call", `${given.toolName} ${jsonText(given.input)}`);
    case "tool-result":
      return block("result", `${given.toolName} → ${outputText(given.output)}`);
    case "file":
      return block("file", [given.filename, given.mediaType].filter((each) => each !== undefined).join(", "));
    default:
      return block("other", jsonText(given)); // an imported transcript may have parts that this host makes none of
  }
}

function outputText(output: Extract<Part, { type: "tool-result" }>["output"] | undefined): string {
  const { type = "" } = output ?? {};
  const value = output === undefined ? null : plainOutput(output);
  const text = typeof value === "string" ? value : jsonText(value);
  return type.startsWith("error") ? `failed: ${text}` : text;
}

function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function block(name: string, shown: unknown): string {
  return `<pre class="${name}">${escapeHtml(typeof shown === "string" ? shown : jsonText(shown))}</pre>`;
}
