import type { FetchLike } from "@modelcontextprotocol/client";
import { MAX_MESSAGE_BYTES } from "./line-transport.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** A fetch whose answers end with an error beyond the size of one message: a whole body, or one event of a stream. */
export function boundedFetch(maxBytes: number = MAX_MESSAGE_BYTES): FetchLike {
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.body === null) return answer;
    const isStream = answer.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const body = answer.body.pipeThrough(limit(maxBytes, isStream));
    const bounded = new Response(body, answer);
    Object.defineProperty(bounded, "url", { value: answer.url });
    return bounded;
  };
}

/** Counts bytes; in a stream of events, from one empty line to the next. */
function limit(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lineIsEmpty = true;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of isStream ? chunk : []) {
        bytes += 1;
        if (byte === NEWLINE && lineIsEmpty) bytes = 0;
        if (byte !== RETURN) lineIsEmpty = byte === NEWLINE;
        if (bytes > maxBytes) break;
      }
      if (!isStream) bytes += chunk.length;
      if (bytes > maxBytes) controller.error(new Error(`the answer has more than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
