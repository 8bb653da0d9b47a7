import { describe, expect, it } from "vitest";
import { redirectImports } from "../packed/redirect-imports.mjs";

const redirect = (text: string): string =>
  redirectImports("a.js", text, (specifier) =>
    specifier === "./moved.js" ? { from: "./new.js", rename: (name: string) => `n_${name}` } : undefined,
  );

describe("redirecting imports", () => {
  it.each([
    ['import { a, b as c } from "./moved.js";\n', 'import { n_a as a, n_b as c } from "./new.js";\n'],
    ['export { a, b as c } from "./moved.js";\n', 'export { n_a as a, n_b as c } from "./new.js";\n'],
    [
      '// one\nimport { a } from "./moved.js";\nuse(a);\n',
      '// one\nimport { n_a as a } from "./new.js";\nuse(a);\n',
    ],
  ])("turns %j into %j", (before, after) => {
    expect(redirect(before)).toBe(after);
  });

  it.each([
    'import { a } from "./stays.js";\n',
    'import { a } from "moved.js";\n',
    'import * as all from "./moved.js";\n',
    'import "./moved.js";\n',
    'export * from "./moved.js";\n',
    "const text = 'import { a } from \"./moved.js\";';\nexport { text };\n",
    'const load = () => import("./moved.js");\n',
  ])("leaves %j alone", (text) => {
    expect(redirect(text)).toBe(text);
  });
});
