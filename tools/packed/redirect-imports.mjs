// Lets a module take its names from the bundle directly, instead of through files that only pass them on.
import { parseSync } from "vite";

/**
 * @param {string} path Of the module, for the parser.
 * @param {string} text
 * @param {(specifier: string) => { from: string, rename: (name: string) => string } | undefined} destination
 *   Where an import leads now and what its names are called there; undefined leaves it as it is.
 * @returns {string} the text; unchanged when nothing led elsewhere.
 */
export function redirectImports(path, text, destination) {
  const { module } = parseSync(path, text);
  const declarations = [
    ...module.staticImports.map((one) => ({ ...one, word: "import", specifier: one.moduleRequest.value })),
    ...module.staticExports.map((one) => ({
      ...one,
      word: "export",
      specifier: one.entries[0]?.moduleRequest?.value,
    })),
  ];
  const edits = declarations.flatMap(({ start, end, word, specifier, entries }) => {
    const target = specifier?.startsWith(".") ? destination(specifier) : undefined;
    if (!target || entries.length === 0 || entries.some((entry) => entry.importName.kind !== "Name"))
      return [];
    const names = entries.map((entry) => {
      const here = word === "import" ? entry.localName.value : entry.exportName.name;
      return `${target.rename(entry.importName.name)} as ${here}`;
    });
    return [{ start, end, code: `${word} { ${names.join(", ")} } from ${JSON.stringify(target.from)};` }];
  });
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((code, edit) => code.slice(0, edit.start) + edit.code + code.slice(edit.end), text);
}
