/** The input of a spawn tool, as JSON Schema. */
export interface SpawnInput {
  type: "object";
  properties: { input: { type: "string"; description: string } };
  required: ["input"];
  additionalProperties: false;
}

/** A fresh copy of it: frameworks change the schemas they are given. */
export function spawnInput(): SpawnInput {
  return {
    type: "object",
    properties: { input: { type: "string", description: "The task, written out." } },
    required: ["input"],
    additionalProperties: false,
  };
}
