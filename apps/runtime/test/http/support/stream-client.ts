import type { BasisEvent } from "../../../src/events/event-schema.ts";

/** What a stream sends. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data: any;
}

/** Reads the frames of a response as they come. Beats are given as frames without data. */
export async function* framesOf(response: Response): AsyncGenerator<Frame, void, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = pieces.pop()!;
    for (const piece of pieces) yield frameOf(piece);
  }
}

/** One frame from its lines. */
export function frameOf(text: string): Frame {
  const fields = new Map(
    text
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const id = fields.get("id");
  const event = fields.get("event");
  const data = fields.get("data");
  return { ...(id && { id }), ...(event && { event }), data: data && JSON.parse(data) };
}

/** What a client of a stream has seen, over any number of connections. */
export class Seen {
  readonly events: BasisEvent[] = [];
  readonly ids: string[] = [];
  readonly controls: Frame["data"][] = [];
  beats = 0;

  take({ id, event, data }: Frame): void {
    if (data === undefined) this.beats += 1;
    else if (event === "control") this.controls.push(data);
    else this.events.push(data as BasisEvent);
    if (id !== undefined) this.ids.push(id);
  }

  get lastId(): string | undefined {
    return this.ids.at(-1);
  }

  get numbered(): readonly BasisEvent[] {
    return this.events.filter(({ seq }) => seq !== undefined);
  }
}
