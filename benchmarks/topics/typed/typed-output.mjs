import { defineOutput, output } from "../../../packages/typed-output/dist/index.js";
import { hostOf } from "./hand-loop.mjs";
import { ABOUT, NAME, PROMPT, SCHEMA, subjectOf } from "./scene.mjs";

/** Ours: reservation, gate, strict parse, schema, attempts, plan and report. */
export function open(variant) {
  const spec = defineOutput({ name: NAME, description: ABOUT, schema: SCHEMA });
  const { dialect } = variant ?? {};
  const ask = async (replies) => {
    const host = hostOf(replies);
    const capabilities = dialect ? { ...host.capabilities, dialect } : host.capabilities;
    return (await output({ ...host, capabilities }, spec, PROMPT)).value;
  };
  return subjectOf(ask, variant);
}
