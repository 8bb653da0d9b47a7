import { randomBytes } from "node:crypto";

/** A secret that was planted, and the part of it that must be found nowhere. */
export interface Canary {
  readonly name: string;
  readonly value: string;
  readonly core: string;
}

const shapes: readonly ((core: string) => string)[] = [
  (core) => `sk-ant-api03-${core}`,
  (core) => `ghp_${core}`,
  (core) => `AKIA${core}`,
  (core) => `eyJhbGciOiJIUzI1NiJ9.${core}.c2ln`,
  (core) => `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN${core}\n-----END PRIVATE KEY-----\n`,
  (core) => `pass "${core}" \\ word`,
  (core) => `übergeheim-${core}-日本`,
  (core) => `a+b/${core}=&?#%`,
  (core) => `${core}.*+?^$()[]{}|`,
  (core) => `xoxb-1-2-${core}<script>`,
];

/** Fifty secrets of ten shapes, none of them known before. */
export function fiftyCanaries(): readonly Canary[] {
  return Array.from({ length: 50 }, (_, index) => {
    const core = `C4n${String(index).padStart(2, "0")}${randomBytes(9).toString("hex")}`;
    return { name: `CANARY_${index}_TOKEN`, value: shapes[index % shapes.length]!(core), core };
  });
}

/** Which of them are in a text, and how they stand there. */
export function foundIn(text: string, canaries: readonly Canary[]): readonly string[] {
  const base64 = (value: string): string => Buffer.from(value).toString("base64").slice(0, 24);
  return canaries.flatMap(({ name, value, core }) => [
    ...(text.includes(core) ? [name] : []),
    ...(text.includes(base64(value)) ? [`${name} as base64`] : []),
  ]);
}
