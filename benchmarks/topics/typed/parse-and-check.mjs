import Ajv from "../../../packages/typed-output/node_modules/ajv/dist/2020.js";
import { SCHEMA, subjectOf } from "./scene.mjs";

/** The limit: `JSON.parse` and a compiled ajv validator, one for each reply. */
export function open(variant) {
  const check = new Ajv.default({ allErrors: true }).compile(SCHEMA);
  const ask = async (replies) => {
    for (const reply of replies) {
      const value = JSON.parse(reply);
      if (check(value)) return value;
    }
    return undefined;
  };
  return subjectOf(ask, variant);
}
