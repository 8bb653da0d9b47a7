import { defineOutput, streamOutput } from "../../../packages/typed-output/dist/index.js";
import { scriptedRunner } from "../../../packages/typed-output/dist/testing/index.js";

const row = { type: "object", properties: { n: { type: "integer" }, text: { type: "string" } } };
const schema = { type: "object", properties: { rows: { type: "array", items: row } }, required: ["rows"] };

/** A long answer in pieces of four characters: every snapshot and element is read. */
export async function open({ kilobytes }) {
  const spec = defineOutput({ name: "rows", description: "", schema });
  const rows = Array.from({ length: (kilobytes * 1024) / 30 }, (_, n) => ({ n, text: "abcdefghij" }));
  const terminal = JSON.stringify({ rows });
  const read = async () => {
    const runner = scriptedRunner([{ terminal }], { pieces: 4 });
    let told = 0;
    for await (const event of streamOutput(runner, spec, "Go.", { elements: "/rows" }))
      told += event.type === "element" ? 1 : 0;
    if (told !== rows.length) throw new Error(`${told} elements of ${rows.length}`);
  };
  return {
    run: async (times) => {
      for (let at = 0; at < times; at += 1) await read();
    },
  };
}
